// What a stage computes per point, counted by operation and type. The cost model's arithmetic terms use these
// counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cryolite {

struct ScalarType {
    enum class Kind : uint8_t { Int, UInt, Float, BFloat, Handle };
    Kind kind = Kind::Int;
    int bits = 32;

    int bytes() const { return (bits + 7) / 8; }
    bool is_float() const { return kind == Kind::Float || kind == Kind::BFloat; }
    bool operator==(const ScalarType &) const = default;
};

enum class OpKind : uint8_t {
    Add,  // +, -
    Multiply,
    Divide,  // by anything but a constant power of two
    Modulo,
    MinMax,  // min, max, clamp (as two), abs
    Compare,
    Select,
    Bitwise,         // and, or, xor, shifts, logical operations, division by a power of two
    Cast,            // between different widths or int <-> float; reinterpretations are free
    SquareRoot,      // sqrt, rsqrt, fast_inverse
    Transcendental,  // exp, log, pow of single precision: polynomials
    ExternCall,      // any other call of an external function, sin and cos as well
    DivideByValue,  // of integers, and remainders, by what is no constant: vectors do it element by element
    BitCount,  // bits that are set; leading or trailing zeros
    Count
};

enum class TypeClass : uint8_t {
    Int8,
    Int16,
    Int32,
    Int64,
    Float16,
    Float32,
    Float64,
    Bool,
    Count
};

TypeClass type_class(ScalarType type);

// Operations per point of the stage's loops. Index arithmetic of loads and stores is not counted, because it is
// hoisted or strength-reduced. That of data-dependent indices is counted.
struct OpHistogram {
    std::array<std::array<double, static_cast<size_t>(TypeClass::Count)>,
               static_cast<size_t>(OpKind::Count)>
        count{};

    double &at(OpKind k, TypeClass t) {
        return count[static_cast<size_t>(k)][static_cast<size_t>(t)];
    }
    double at(OpKind k, TypeClass t) const {
        return count[static_cast<size_t>(k)][static_cast<size_t>(t)];
    }
    double total() const;
    void add_scaled(const OpHistogram &other, double factor);
};

struct OperationCount {
    OpKind kind = OpKind::Add;
    TypeClass type = TypeClass::Int32;
    double count = 0;  // per point of the stage's loops
};

// Operations of a stage that depend on the same loops and values. A compiler can do them once for all iterations of
// a loop that they do not depend on.
struct OperationGroup {
    std::vector<OperationCount> operations;
    std::vector<bool> depends_on;  // per loop of the stage
    bool loaded = false;           // they use a loaded value, of an input or a Func
    bool of_predicate =
        false;  // they belong to the predicate: done in every iteration, excluded ones too
    // Per loop: if that reduction loop or loop over channels is unrolled whole, or a pure loop by its period, the share
    // of the copies that keep the operations (graph/builder/kept_shares.h). Empty: all copies keep them.
    std::vector<float> kept_share;
    // If the operations use the value of a single call, such as a conversion of it: the call is
    // Stage::incoming[edge], Edge::accesses[access]. Groups with equal `function` compute the same function of their
    // calls' values.
    int edge = -1, access = -1;
    uint64_t function = 0;

    bool follows_call() const { return edge >= 0; }
};

// One group of all `ops`, which depends on all of `num_loops` loops.
OperationGroup undivided(const OpHistogram &ops, size_t num_loops);

}  // namespace cryolite

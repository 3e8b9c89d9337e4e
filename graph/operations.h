// What a stage computes per point, counted by operation and type: the input of every arithmetic
// term of the cost model.
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
const char *name(OpKind kind);
const char *name(TypeClass type);

// Operations per point of the stage's loops. Index arithmetic of loads and stores is not counted
// (it is hoisted or strength-reduced), except that of data-dependent indices.
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

// Operations of a stage that are repeated for the same reason. A loop that they do not depend on
// changes nothing of them, so that a compiler can do them once for many of its iterations.
struct OperationGroup {
    std::vector<OperationCount> operations;
    std::vector<bool> depends_on;  // per loop of the stage
    bool loaded = false;           // of a value that is loaded or of another Func
    bool of_predicate = false;     // done for every iteration, also for those that it excludes
    // Per loop of the stage: if that reduction loop is unrolled whole, the share of its copies that keep
    // the operations, see graph/build_kept_shares.h. Empty: all copies keep them.
    std::vector<float> kept_share;
    // Of the value of one call alone, a conversion of it say: Stage::incoming[edge],
    // Edge::accesses[access], and which function of it. Equal functions of the same value are one.
    int edge = -1, access = -1;
    uint64_t function = 0;

    bool follows_call() const { return edge >= 0; }
};

// All of `ops` as one group that depends on all of `num_loops` loops.
OperationGroup undivided(const OpHistogram &ops, size_t num_loops);

}  // namespace cryolite

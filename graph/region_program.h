// A bounds expression, compiled into a short postfix program over integers when the graph is built. Millions of times
// the search asks which box of a producer a box of the consumer's loops needs. Halide's simplifier would be too slow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"

namespace cryolite {

enum class RegionOp : uint8_t {
    Constant,  // push operand
    LoopMin,   // push the min of loop number `operand` of the consumer stage
    LoopMax,   // push its max
    Add,
    Sub,
    Mul,
    Div,
    Mod,  // Halide's: rounding towards -infinity for a positive divisor, x/0 = x%0 = 0
    Min,
    Max,
    Less,
    LessEqual,
    Equal,
    NotEqual,  // push 0 or 1
    And,
    Or,
    Not,
    Select,  // pops c, a, b (b on top): pushes c ? a : b
    Abs,
    ShiftLeft,
    ShiftRight,
    // A cast to an integer narrower than 64 bits: wraps the top to |operand| bits, signed if operand < 0.
    Wrap,
    // Floating point: resampling by a fraction computes its indices so. A float on the stack is the bit pattern of a
    // double, which is close enough to Halide's own type for an estimate.
    FloatConstant,  // push operand
    ToFloat,
    FromFloat,  // integer -> float; float -> integer, rounding towards zero
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
    FloatMin,
    FloatMax,
    Floor,
    Ceil,
    Round,
};

struct RegionInstruction {
    RegionOp op;
    int64_t operand = 0;
    bool operator==(const RegionInstruction &) const = default;
};

// Evaluates to one integer. Arithmetic saturates at +-2^62 instead of overflowing; these values also mean
// "unbounded".
class RegionExpression {
public:
    static constexpr int64_t unbounded = int64_t{1} << 62;

    RegionExpression() = default;
    explicit RegionExpression(std::vector<RegionInstruction> code);
    static RegionExpression constant(int64_t v);

    // loops: the box of the consumer stage's loops, indexed like Stage::loops.
    int64_t evaluate(std::span<const Interval> loops) const {
        switch (shape_) {
            case Shape::LoopMinPlus: return plus_offset(loops[static_cast<size_t>(loop_)].min);
            case Shape::LoopMaxPlus: return plus_offset(loops[static_cast<size_t>(loop_)].max);
            case Shape::Empty:
            case Shape::Constant: return offset_;
            case Shape::General: break;
        }
        return run(loops);
    }

    // Whether an end means "as far as the producer goes".
    static constexpr bool is_unbounded(int64_t v) { return v >= unbounded || v <= -unbounded; }

    const std::vector<RegionInstruction> &code() const { return code_; }
    bool operator==(const RegionExpression &) const = default;

private:
    int64_t plus_offset(int64_t v) const { return is_unbounded(v) ? v : v + offset_; }
    int64_t run(std::span<const Interval> loops) const;

    std::vector<RegionInstruction> code_;
    // Most bounds are loop.min + c or loop.max + c. They need no stack machine.
    enum class Shape : uint8_t {
        Empty,
        Constant,
        LoopMinPlus,
        LoopMaxPlus,
        General
    } shape_ = Shape::Empty;
    int32_t loop_ = 0;
    int64_t offset_ = 0;
    size_t stack_depth_ = 0;
};

struct RegionBounds {
    RegionExpression min, max;
};

// Bounds of a box, per producer dimension. The caller replaces an unbounded end by that of the producer's whole
// region.
struct RegionProgram {
    std::vector<RegionBounds> dims;

    // out.size() == dims.size().
    void evaluate(std::span<const Interval> loops, std::span<Interval> out) const;
};

}  // namespace cryolite

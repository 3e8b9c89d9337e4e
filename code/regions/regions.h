// Which box of a Func one iteration of a loop needs. Every placement asks this question.
//
// The answer walks from the Func to its readers, as far as they run inside the loop:
// - The loop's own stage contributes the points of one iteration.
// - A Func computed deeper inside contributes everything that one iteration computes of it.
// - An inlined Func contributes what its own readers need of it.
// - A companion (action::ComputeWith) contributes the part that has the place of its leader's.
// The enclosing loops stand in mid-range, away from the image's borders.
#pragma once

#include <optional>
#include <span>

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Narrows `ranges` (of Stage::loops, over one realisation) to one iteration of the loop at `position`. Enclosing loops
// stand in mid-range. The loop itself stands there too unless `iteration` is given. Returns how many iterations the
// loop has there.
int64_t narrow_to_iteration(const StageNest &nest, int position, std::span<Interval> ranges,
                            std::optional<int64_t> iteration = std::nullopt);

// Answers the question for any number of Funcs and one loop. It remembers the boxes of the Funcs on the way. The
// LoopNest must outlive it.
class IterationRegions {
public:
    // iteration: of the loop itself; without one the loop stands in mid-range.
    IterationRegions(const LoopNest &nest, LoopName loop,
                     std::optional<int64_t> iteration = std::nullopt);

    // The same for one iteration with the given ranges of its stage's loops.
    IterationRegions(const LoopNest &nest, LoopName loop, Intervals ranges);

    // All readers of f must be decided. The reference holds until the next call.
    const Box &of(FuncId f) { return answers_[demand(f)].box; }

private:
    struct Answer {
        bool asked_for = false;  // some reader runs inside the loop
        Box box;
    };
    // The index of the answer. A reference would not survive the next answer.
    size_t demand(FuncId f);
    // The part of a companion that belongs to the iteration: where its leader's part is.
    Box part_of_companion(const FuncNest &companion) const;
    std::span<const Interval> ranges_of(StageId s, Intervals &storage);
    bool runs_inside(const FuncNest &func) const;

    const LoopNest &nest_;
    const StageGraph &graph_;
    const LoopName loop_;
    const int position_;
    const FuncId owner_;
    Intervals own_ranges_;
    std::vector<Answer> answers_;
    // [distance of a Func's id from the owner's]: index into answers_; -1: not asked. The owner's id comes before the
    // ids of all Funcs that it reads.
    SmallVector<int32_t, 32> answer_of_;
};

// The box of `f` that one iteration of `loop` needs, with the loop and all enclosing loops in mid-range. nullopt: the
// box that the whole pipeline needs. All readers of f must be decided.
Box required_region(const LoopNest &nest, FuncId f, std::optional<LoopName> loop);

// The same for a given iteration of `loop`.
Box region_of_iteration(const LoopNest &nest, FuncId f, LoopName loop,
                        std::optional<int64_t> iteration = std::nullopt);

// A sliding window. The region moves with the loop along `dim` and along no other dimension. It moves `step` points per
// iteration, and it is longer than that. dim -1: there is no window.
struct Slide {
    int dim = -1;
    int64_t step = 0;
    bool grows =
        false;  // some reads stay, as f(0) beside f(y): Halide keeps all points that it has computed
};
Slide find_slide(const LoopNest &nest, FuncId f, LoopName compute_at);

// Whether an index that moves along dimension `dim` of `f` is clamped on the way from the loop `compute_at` to f.
// Boundary conditions do so. Halide then slides, but it does not fold the storage: the length of the window is no
// constant (seen with 21).
bool is_slide_clamped(const LoopNest &nest, FuncId f, int dim, LoopName compute_at);

// Whether an index that moves along dimension `dim` of `f` is divided on the way, as in y / 2. Halide must then solve a
// division for the iteration in which the window's loop must start, and can do so only if the last read of each
// iteration is a whole quotient: of rows X and X + 1 it may be (X + 2) / 2, but not (X + 1) / 2. Where it cannot, the
// first iteration fills the window by a condition (seen with 21). f: a window of the loop.
bool is_slide_divided(const LoopNest &nest, FuncId f, int dim, LoopName compute_at);

// Whether a reader of `f` has a clamped or divided window that moves with the same loop. A condition then decides what
// that window computes in the first iteration. Halide cannot prove that the region of f only ever moves one way. So it
// computes all of f in each iteration (seen with 21).
bool feeds_conditional_window(const LoopNest &nest, FuncId f, LoopName compute_at);

// Whether a Func without a window stands in the same loop between the window of `slid` and another window that is made
// of it. The other window's filling starts the loop earlier, and that Func's points of these iterations start it
// earlier once more for the window of `slid`: it reaches further than is needed. In a chain of windows alone each
// computes no more than it must. Seen with 21.
bool is_filled_through_another(const LoopNest &nest, FuncId slid);

// Halide fills a window by starting its loop earlier. Any other Func in that loop is then computed too early as well,
// and reads values that are not there. Funcs that read the window or only feed it do no harm. Measured with 21: this
// happens only if the loop is the outermost of its dimension. True if the loop of the window of `slid` holds no harmful
// Func.
bool has_loop_for_itself(const LoopNest &nest, FuncId slid);

// Whether `f` itself is such a harmful Func in the loop of any window.
bool is_beside_window(const LoopNest &nest, FuncId f);

}  // namespace cryolite

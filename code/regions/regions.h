// Which box of a Func one iteration of a loop needs: the question behind every placement.
//
// The answer walks from the Func to its readers, as far as they run inside the loop: the loop's own
// stage contributes the points of one iteration, a Func computed deeper inside contributes all that
// is computed of it in one iteration, an inlined Func what its own readers ask of it. The
// enclosing loops stand in mid-range, away from the image's borders.
#pragma once

#include <optional>
#include <span>

#include "base/small_vector.h"
#include "schedule/loop_nest.h"

namespace cryolite {

// Narrows `ranges` (of Stage::loops, over one realisation) to one iteration of the loop at
// `position`. Enclosing loops stand in mid-range; so does that loop unless `iteration` says which.
// Returns how many iterations that loop has there.
int64_t narrow_to_iteration(const StageNest &nest, int position, std::span<Interval> ranges,
                            std::optional<int64_t> iteration = std::nullopt);

// The same question about any number of Funcs and one loop: what is found about the Funcs on the way is
// found once. The LoopNest must outlive it.
class IterationRegions {
public:
    // `iteration`: of the loop itself; without one it stands in mid-range, too.
    IterationRegions(const LoopNest &nest, LoopName loop,
                     std::optional<int64_t> iteration = std::nullopt);

    // All readers of f must be decided. Holds until the next question.
    const Box &of(FuncId f) { return answers_[demand(f)].box; }

private:
    struct Answer {
        bool asked_for = false;  // some reader runs inside the loop
        Box box;
    };
    // The index of the answer: references would not survive the next one.
    size_t demand(FuncId f);
    std::span<const Interval> ranges_of(StageId s, Intervals &storage);
    bool runs_inside(const FuncNest &func) const;

    const LoopNest &nest_;
    const StageGraph &graph_;
    const LoopName loop_;
    const int position_;
    const FuncId owner_;
    Intervals own_ranges_;
    std::vector<Answer> answers_;
    // By how far a Func's id is from the owner's, which is before all that it reads; -1: not asked.
    SmallVector<int32_t, 32> answer_of_;
};

// The box of `f` that one iteration of `loop` needs (nullopt: the whole pipeline), with the enclosing loops in
// mid-range. All readers of f must be decided.
Box required_region(const LoopNest &nest, FuncId f, std::optional<LoopName> loop);

// The same, with the iteration of `loop` itself chosen.
Box region_of_iteration(const LoopNest &nest, FuncId f, LoopName loop,
                        std::optional<int64_t> iteration = std::nullopt);

// A sliding window: along `dim`, and only there, the region moves with the loop, `step` points per
// iteration and fewer than the region is long. dim -1: there is none.
struct Slide {
    int dim = -1;
    int64_t step = 0;
};
Slide find_slide(const LoopNest &nest, FuncId f, LoopName compute_at);

// Whether an index that moves along dimension `dim` of `f` is clamped on the way from the loop `compute_at`
// to f, as boundary conditions do. Halide then slides, but does not fold the storage, the window's length
// being no constant (seen with 21).
bool is_slide_clamped(const LoopNest &nest, FuncId f, int dim, LoopName compute_at);

// Whether a reader of `f` has a clamped window that moves with the same loop. Where it starts, in the first
// iteration or in a later one, hangs on a condition then, and Halide, which asks whether the region of f
// only ever moves one way, gives up: f is computed whole in each iteration (seen with 21).
bool feeds_clamped_window(const LoopNest &nest, FuncId f, LoopName compute_at);

// Halide fills a window by starting its loop earlier. What else is computed in that loop is then
// computed too early as well, and reads what is not there, unless it only feeds the window or reads
// it. (Measured with 21: only where the loop is the outermost of its dimension.) True if nothing
// else is in the loop of the window of `slid`.
bool has_loop_for_itself(const LoopNest &nest, FuncId slid);

// Whether `f` itself is something else in the loop of any window.
bool is_beside_window(const LoopNest &nest, FuncId f);

}  // namespace cryolite

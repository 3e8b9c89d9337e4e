#include "analytical/compile/compile_cost.h"

#include <algorithm>
#include <cmath>

#include "analytical/compile/address_assumptions.h"
#include "code/kernel/first_points.h"
#include "code/kernel/kernels.h"
#include "code/stage/inner_loops.h"
#include "code/stage/split_tails.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// Parts that Halide cuts a loop into. It removes a guard from all but the last iteration, and a clamp from all but the
// first and the last ones.
constexpr double guarded_parts = 2, clamped_parts = 3;

// Statements of an element that is loaded by itself: the clamped index, the address, the load, the insertion into a
// vector.
constexpr double per_element = 4;

// How many more terms the sides of a box get per guarded loop around it: if an iteration of the loop covers a vector,
// and if it covers unrolled vectors or a tile. Measured on ten nested Funcs.
constexpr double growth_by_vectors = 0.5, growth_by_tiles = 1.5;

// A part of odd length (graph/builder/alignment.h) has a guard for its own end and one for the whole's. The body is
// there under either and under both, and LLVM's time jumps: 2 s for 256 masked elements in a row of conditions, more
// than 65 s for 512. So many elements count for each.
constexpr double masks_of_odd_part = 12;

// Microseconds of LLVM, times the cube of the Funcs that are launched. The plain schedules of six apps with 36 to 92
// such Funcs give 22 to 39.
constexpr double per_launched_cube = 27;

// The microseconds of a kernel are at most this, so that sums stay exact.
constexpr double endless = 1e12;

bool has_body(const LoopLevel &l) {
    return l.kind != LoopKind::Vectorized && l.kind != LoopKind::Unrolled;
}

// A member of the kernel, as the members computed in its loops need it.
struct Around {
    FuncId func;
    double copies = 1;  // of its loops
    double loops = 0;   // around its loops
    double nested = 1;  // terms in a side of a box inside its loops
};

class Counting {
public:
    Counting(const LoopNest &nest, const Machine &machine, StageExpander &expander,
             std::span<const FuncId> members)
        : nest_(nest),
          graph_(nest.graph()),
          machine_(machine),
          expander_(expander),
          members_(members) {}

    CodeSize run() {
        for (FuncId f : members_) {
            const Func &func = graph_.func(f);
            const FuncNest &placed = nest_.at(f);
            Around around{f};
            if (placed.compute_at) {
                const Around &outer =
                    around_[index_of(graph_.stage(placed.compute_at->stage).func)];
                around.copies = outer.copies * parts_around(*placed.compute_at);
                around.nested = outer.nested;
                around.loops = outer.loops + loops_to(*placed.compute_at);
            }
            size_.funcs++;
            if (!placed.compute_at && std::ranges::any_of(placed.stages, [](const StageNest &s) {
                    return has_kind(s, LoopKind::GpuBlock);
                }))
                size_.launched++;
            size_.bounds += around.nested - 1;
            double growth = 1;
            for (const StageNest &s : placed.stages) {
                if (s.loops.empty() && graph_.stage(s.stage).is_undefined) continue;
                growth = std::max(growth, growth_inside(func, s));
                add_stage(func, s, around.copies * twins(func, s), around.loops);
            }
            // At root the minima are of plain sizes and do not grow.
            if (placed.compute_at) around.nested *= growth;
            around.copies *= placed.stages.empty() ? 1 : twins(func, placed.stages[0]);
            around_.push_back(around);
        }
        return size_;
    }

private:
    size_t index_of(FuncId f) const {
        size_t i = 0;
        while (around_[i].func != f) i++;
        return i;
    }

    // A specialised output is compiled twice: for large sizes and for all sizes. The second counts with the unrolled
    // copies that emission leaves out of it. The case of its own that extents with periods get (specialized_cases) is
    // not counted: to look for it in each state slowed camera_pipe's search down by a fifth.
    double twins(const Func &func, const StageNest &s) const {
        const bool is_split =
            std::ranges::any_of(s.loops, [](const LoopLevel &l) { return l.name.level > 0; });
        return is_split && func.is_output() && func.stages.size() == 1 && func.outgoing.empty() &&
                       func.may_specialize
                   ? 2
                   : 1;
    }

    bool is_guarded(const Func &func, const StageNest &s, const LoopLevel &l) const {
        if (l.name.level > 0 || l.span == 1) return false;
        const auto d = static_cast<size_t>(l.name.dim);
        return !may_round_up(func, graph_.stage(s.stage).loops[d]);
    }

    double growth_inside(const Func &func, const StageNest &s) const {
        double growth = 1;
        for (const LoopLevel &l : s.loops) {
            if (!is_guarded(func, s, l)) continue;
            const bool has_tiles = std::ranges::any_of(s.loops, [&](const LoopLevel &inner) {
                return inner.name.dim == l.name.dim && inner.name.level > 1;
            });
            growth += has_tiles ? growth_by_tiles : growth_by_vectors;
        }
        return growth;
    }

    // Most questions are about the stage of the question before.
    const ExpandedStage &expanded(const StageNest &s) {
        if (s.stage != of_last_.first) of_last_ = {s.stage, &expander_.expand(nest_, s.stage)};
        return *of_last_.second;
    }

    bool is_clamped(const StageNest &s, size_t dim) {
        const ExpandedStage &body = expanded(s);
        return std::ranges::any_of(
            body.loads, [&](const LoadGroup &load) { return load.clamped[dim] != Clamp::None; });
    }

    // Whether a clamp moves with the vectors: then only the loop around the vectors is cut.
    bool cuts_by_vectors(const StageNest &s) {
        return !s.loops.empty() && s.loops.back().kind == LoopKind::Vectorized &&
               is_clamped(s, static_cast<size_t>(s.loops.back().name.dim));
    }

    // How many copies of the code inside the first `count` loops of a stage Halide makes.
    double parts(const Func &func, const StageNest &s, size_t count) {
        double copies = 1;
        if (cuts_by_vectors(s)) return count + 1 >= s.loops.size() ? clamped_parts : 1;
        for (size_t i = 0; i < count && i < s.loops.size(); i++) {
            const LoopLevel &l = s.loops[i];
            if (!has_body(l) || l.extent <= 1) continue;
            // Loops inside the end parts of a cut loop are left whole. So the parts of cut loops add up.
            if (is_clamped(s, static_cast<size_t>(l.name.dim)))
                copies += clamped_parts - 1;
            else if (is_guarded(func, s, l))
                copies += guarded_parts - 1;
        }
        return copies;
    }

    // How many of a stage's loops Halide cuts for clamps.
    double cut_loops(const StageNest &s) {
        if (cuts_by_vectors(s)) return 1;
        return static_cast<double>(std::ranges::count_if(s.loops, [&](const LoopLevel &l) {
            return has_body(l) && l.extent > 1 && is_clamped(s, static_cast<size_t>(l.name.dim));
        }));
    }

    // How many loops of the site's stage there are, from the outermost down to the site.
    double loops_to(LoopName site) const {
        const LoopLevels &loops = nest_.stage_nest(site.stage).loops;
        const auto end = loops.begin() + nest_.position(site) + 1;
        return static_cast<double>(std::count_if(loops.begin(), end, has_body));
    }

    double parts_around(LoopName site) {
        const Func &func = graph_.func_of(site.stage);
        return parts(func, nest_.stage_nest(site.stage),
                     static_cast<size_t>(nest_.position(site)) + 1);
    }

    // How many vectors of the machine's width one vector of so many lanes takes; at least 1.
    double width(int lanes, const Func &func) const {
        int bits = 8;
        for (const ScalarType &t : func.values) bits = std::max(bits, t.bits);
        return std::max(1.0, lanes * bits / (8.0 * machine_.vector_bytes));
    }

    // Counts over one body with its unrolled copies.
    struct Body {
        double statements = 0, clamped = 0, vectors = 0, shuffled = 0, scattered = 0, masked = 0;
        double clamps = 0;  // of `clamped`, without copies that share a clamp with another one
        double at_ends =
            0;  // further vectors in the end parts, where clamped loads go element by element
    };

    // Copies along a loop that moves no clamped index share their clamps: the channels of an image, for example.
    static double copies_of_clamps(const LoadGroup &load, const InnerLoops &in) {
        double copies = 1;
        const auto add = [&](const UnrolledLoop &u) {
            if (load.clamped[u.dim] != Clamp::None) copies *= u.factor;
        };
        std::ranges::for_each(in.unrolled, add);
        std::ranges::for_each(in.copied, add);
        return copies;
    }

    Body body_of(const Func &func, const StageNest &s, const InnerLoops &in) {
        const ExpandedStage &stage = expanded(s);
        const bool in_vectors = in.vector_dim >= 0;
        const auto v = static_cast<size_t>(std::max(0, in.vector_dim));
        const double whole = width(in.lanes, func), copies = in.code_copies();
        const auto values = static_cast<double>(func.values.size());
        const bool may_be_masked =
            in_vectors && !may_round_up(func, graph_.stage(s.stage).loops[v]);
        const double guards =
            in_vectors && graph_.stage(s.stage).loops[v].taken_for_aligned ? masks_of_odd_part : 1;
        Body b;
        b.statements = copies * (stage.operations_and_loads + values);
        b.vectors = copies * whole * (stage.ops.total() + values);
        for (const LoadGroup &load : stage.loads) {
            const double loads = copies * load.count;
            const bool by_element =
                in_vectors &&
                (load.scattered[v] ||
                 lanes_may_wrap(nest_, s.stage, load, in.vector_dim, in.lanes, in.lane_step));
            b.vectors += loads * (by_element ? in.lanes : whole);
            if (std::ranges::any_of(load.clamped, [](Clamp c) { return c != Clamp::None; })) {
                b.clamped += loads;
                b.clamps += load.count * copies_of_clamps(load, in);
            }
            if (!in_vectors) continue;
            const bool one_by_one = by_element || load.gather,
                       dense = is_dense(stage, load, v, in.lane_step,
                                        graph_.func(load.producer).storage_order);
            if (one_by_one)
                b.scattered += loads * in.lanes;
            else if (!dense)
                b.shuffled += loads * width(in.lanes, graph_.func(load.producer));
            if (may_be_masked && (one_by_one || !dense)) b.masked += loads * in.lanes * guards;
            if (!by_element && load.clamped[v] != Clamp::None)
                b.at_ends += loads * (per_element * in.lanes - whole) * (clamped_parts - 1);
        }
        return b;
    }

    // around: how many loops there are around those of the stage.
    void add_stage(const Func &func, const StageNest &s, double copies, double around) {
        const InnerLoops in = inner_loops(graph_.stage(s.stage), s);
        const Body body = body_of(func, s, in);
        const double in_loops = copies * parts(func, s, s.loops.size());
        const double loops_around =
            around + static_cast<double>(std::ranges::count_if(s.loops, has_body));
        size_.loops += copies * static_cast<double>(s.loops.size());
        size_.statements += in_loops * body.statements;
        size_.nested += in_loops * body.statements * loops_around;
        size_.clamped += in_loops * body.clamped * loops_around;
        size_.cuts += copies * cut_loops(s) * body.clamps * body.clamps;
        size_.vectors += in_loops * body.vectors + copies * body.at_ends;
        size_.shuffled += in_loops * body.shuffled;
        size_.scattered += in_loops * body.scattered;
        // Of a specialised output only the case for all sizes has masks, and it is not cut.
        const double cases = twins(func, s), masks = cases > 1 ? copies / cases : in_loops;
        size_.masked += masks * body.masked;
        size_.masked_squares += masks * body.masked * body.masked;
        const double assumptions =
            address_assumptions(nest_, s.stage, expanded(s), in, machine_, expander_, members_);
        size_.assumption_cubes += in_loops * assumptions * assumptions * assumptions;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const Machine &machine_;
    StageExpander &expander_;
    std::span<const FuncId> members_;
    std::pair<StageId, const ExpandedStage *> of_last_;
    CodeSize size_;
    SmallVector<Around, 8> around_;  // by member
};

}  // namespace

CodeSize &CodeSize::operator+=(const CodeSize &other) {
    funcs += other.funcs;
    launched += other.launched;
    loops += other.loops;
    bounds += other.bounds;
    statements += other.statements;
    nested += other.nested;
    clamped += other.clamped;
    cuts += other.cuts;
    vectors += other.vectors;
    shuffled += other.shuffled;
    scattered += other.scattered;
    masked += other.masked;
    masked_squares += other.masked_squares;
    assumption_cubes += other.assumption_cubes;
    return *this;
}

std::array<std::pair<std::string_view, double>, 14> code_size_fields(const CodeSize &size) {
    return {{{"funcs", size.funcs},
             {"launched", size.launched},
             {"loops", size.loops},
             {"bounds", size.bounds},
             {"statements", size.statements},
             {"nested", size.nested},
             {"clamped", size.clamped},
             {"cuts", size.cuts},
             {"vectors", size.vectors},
             {"shuffled", size.shuffled},
             {"scattered", size.scattered},
             {"masked", size.masked},
             {"masked_squares", size.masked_squares},
             {"assumption_cubes", size.assumption_cubes}}};
}

CompileCost &CompileCost::operator+=(const CompileCost &other) {
    funcs += other.funcs;
    launched += other.launched;
    lowering_alone += other.lowering_alone;
    llvm_alone += other.llvm_alone;
    lowering_per_func += other.lowering_per_func;
    llvm_per_func += other.llvm_per_func;
    return *this;
}

CompileCost &CompileCost::operator-=(const CompileCost &other) {
    funcs -= other.funcs;
    launched -= other.launched;
    lowering_alone -= other.lowering_alone;
    llvm_alone -= other.llvm_alone;
    lowering_per_func -= other.lowering_per_func;
    llvm_per_func -= other.llvm_per_func;
    return *this;
}

double CompileCost::llvm_seconds() const {
    return 1e-6 * (llvm_alone + funcs * llvm_per_func +
                   per_launched_cube * launched * launched * launched);
}

CodeSize code_size(const LoopNest &nest, const Machine &machine, StageExpander &expander,
                   std::span<const FuncId> members) {
    return Counting(nest, machine, expander, members).run();
}

// The constants are fitted to bench/results/compile.csv, except those of `bounds`, `cuts`, `masked` and
// `assumption_cubes`: see compile.md.
CompileCost compile_cost(const CodeSize &size) {
    const auto whole = [](double v) { return std::round(std::min(v, endless)); };
    CompileCost cost;
    cost.funcs = size.funcs;
    cost.launched = size.launched;
    cost.lowering_alone = whole(330 * size.loops + 20e3 * size.bounds + 8 * size.nested +
                                340 * size.clamped + 400 * size.cuts);
    cost.lowering_per_func = whole(10 * size.loops + size.vectors);
    cost.llvm_alone =
        whole(760 * size.loops + 150 * size.vectors + 6300 * size.shuffled + 61 * size.scattered +
              1200 * size.masked + 2 * size.masked_squares + 4 * size.assumption_cubes);
    cost.llvm_per_func = whole(300 * size.funcs);
    return cost;
}

double overprice(const CompileCost &cost, const CompileBudget &budget) {
    double times = 1;
    if (budget.lowering_seconds > 0)
        times = std::max(times, cost.lowering_seconds() / budget.lowering_seconds);
    if (budget.seconds > 0) times = std::max(times, cost.seconds() / budget.seconds);
    return times * times;
}

CodeSize CompileModel::size(const LoopNest &nest) {
    CodeSize size;
    for (const Kernel &k : kernels_of(nest, expander_))
        size += code_size(nest, machine_, expander_, {k.members.data(), k.members.size()});
    return size;
}

}  // namespace cryolite

#include "analytical/compile/address_assumptions.h"

#include <algorithm>
#include <cmath>

#include "base/small_vector.h"
#include "code/kernel/constant_sides.h"
#include "code/kernel/kernel_code.h"
#include "code/kernel/known_addresses.h"

namespace cryolite {
namespace {

// From so many accesses on LLVM takes all arrays for one (alias-set-saturation-threshold).
constexpr double most_told_apart = 250;

// Halide loads elements that stand at most so far apart as whole vectors and shuffles them.
constexpr double most_shuffled_stride = 4;

struct Accesses {
    double all = 0;
    double uneven = 0;  // of these, those whose step is not their size
};

// The innermost loop that is left in the code. Null: none.
const LoopLevel *innermost_loop(const StageNest &nest) {
    for (auto l = nest.loops.rbegin(); l != nest.loops.rend(); ++l)
        if (l->kind != LoopKind::Vectorized && l->kind != LoopKind::Unrolled && l->extent > 1)
            return &*l;
    return nullptr;
}

int bits_of(const Func &func) {
    int bits = 8;
    for (const ScalarType &t : func.values) bits = std::max(bits, t.bits);
    return bits;
}

class Body {
public:
    Body(const LoopNest &nest, StageId stage, const ExpandedStage &body, const InnerLoops &in,
         const Machine &machine)
        : nest_(nest),
          stage_(nest.graph().stage(stage)),
          func_(nest.graph().func(stage_.func)),
          machine_(machine),
          body_(body),
          in_(in),
          loop_(innermost_loop(nest.stage_nest(stage))) {}

    // Whether the loop around the body is the innermost one in the code, and all its addresses move evenly. Around a
    // sum's loop its stores are moved out; a scan stores in each step. Joined vectors and indices that wrap around or
    // stand still are left out: what becomes of them was not measured.
    bool moves_evenly(std::span<const FuncId> members) const {
        return loop_ &&
               (!stage_.loops[loop_dim()].is_reduction ||
                (stage_.recurrence && stage_.recurrence->loop == loop_dim())) &&
               in_.joined == 1 &&
               std::ranges::none_of(body_.loads, [&](const LoadGroup &l) { return leaps(l); }) &&
               std::ranges::none_of(members, [&](FuncId f) { return is_inside(f); });
    }

    // are_apart(load, loop): whether copies along the unrolled loop load anew what both need.
    template <typename AreApart>
    Accesses accesses(const AreApart &are_apart) const {
        Accesses sum = stores();
        for (const LoadGroup &load : body_.loads) {
            if (!load.depends_on[loop_dim()]) continue;
            UnrolledFlags apart;
            for (const UnrolledLoop &u : in_.unrolled) apart.push_back(are_apart(load, u.dim));
            const Way way = way_of(load);
            const double loads = repeats_per_body(load, in_, apart) * way.instructions;
            sum.all += loads;
            if (!is_step_of(load, way.elements)) sum.uneven += loads;
        }
        return sum;
    }

private:
    // How a load is done.
    struct Way {
        double instructions = 1;  // per distinct load of the group
        double elements = 1;      // of one instruction
    };

    bool leaps(const LoadGroup &load) const {
        if (load.gather || !load.wrapped.empty()) return true;
        if (!is_vector()) return false;
        if (load.scattered[vector()]) return true;
        for (size_t d = 0; d < load.coefficient.size(); d++)
            if (is_run(load, d, vector())) return true;
        return false;
    }

    bool is_inside(FuncId f) const {
        const std::optional<LoopName> &site = nest_.at(f).compute_at;
        return site && site->stage == stage_.id &&
               nest_.position(*site) >= nest_.position(loop_->name);
    }

    bool is_vector() const { return in_.vector_dim >= 0 && in_.lanes > 1; }
    size_t vector() const { return static_cast<size_t>(in_.vector_dim); }
    size_t loop_dim() const { return static_cast<size_t>(loop_->name.dim); }

    // Elements of the Func in one of the machine's vectors.
    double most_elements(const Func &func) const {
        return 8.0 * machine_.vector_bytes / bits_of(func);
    }

    Accesses stores() const {
        const double most = most_elements(func_), lanes = is_vector() ? in_.lanes : 1;
        const double all =
            in_.unroll_product * std::ceil(lanes / most) * static_cast<double>(func_.values.size());
        const std::vector<int> &order = nest_.storage_order(func_.id);
        const bool is_even = !order.empty() && stage_.loops[loop_dim()].func_dim == order[0] &&
                             static_cast<double>(loop_->span) == std::min(lanes, most);
        return {all, is_even ? 0 : all};
    }

    // Whether the load moves by so many elements from one iteration of the innermost loop to the next.
    bool is_step_of(const LoadGroup &load, double elements) const {
        const std::vector<int> &order = nest_.storage_order(load.producer);
        for (size_t d = 0; d < load.coefficient.size(); d++) {
            const double step = load.coefficient[d][loop_dim()] * static_cast<double>(loop_->span);
            if (step == 0) continue;
            if (order.empty() || static_cast<size_t>(order[0]) != d || step != elements)
                return false;
        }
        return true;
    }

    Way way_of(const LoadGroup &load) const {
        if (!is_vector()) return {};
        const std::vector<int> &order = nest_.storage_order(load.producer);
        double stride = 0;
        for (size_t d = 0; d < load.coefficient.size(); d++) {
            const double step = std::abs(load.coefficient[d][vector()]) * in_.lane_step;
            if (step == 0) continue;
            if (order.empty() || static_cast<size_t>(order[0]) != d || step > most_shuffled_stride)
                return {static_cast<double>(in_.lanes), 1};
            stride = step;
        }
        if (stride == 0) return {};
        const Func &producer = nest_.graph().func(load.producer);
        const double elements = std::min<double>(in_.lanes, most_elements(producer));
        return {whole_vectors(load, static_cast<size_t>(order[0]), stride, elements), elements};
    }

    // Vectors that are loaded for each load whose elements are `stride` apart in dimension d. Loads share them that
    // begin between the same two multiples of the stride. Where these are is not known, so the worst counts. The second
    // vectors of dense loads are the first ones of others.
    double whole_vectors(const LoadGroup &load, size_t d, double stride, double elements) const {
        const double vectors = std::ceil(in_.lanes * std::max(1.0, stride) / elements);
        SmallVector<Rational, 16> offsets;  // without repetitions
        for (const std::vector<Rational> &of_load : load.offsets)
            if (std::ranges::find(offsets, of_load[d]) == offsets.end())
                offsets.push_back(of_load[d]);
        // Copies along other loops read the same rows, too, such as the steps of a sum.
        SmallVector<double, 8> copies(load.depends_on.size(), 1);
        double span = load.offset_span[d];
        for (const UnrolledLoop &u : in_.unrolled) {
            if (u.dim == vector()) continue;
            copies[u.dim] *= u.factor;
            span += std::abs(load.coefficient[d][u.dim]) * (u.factor - 1);
        }
        const double loads = different_indices(
            load, d, std::max<double>(1, static_cast<double>(offsets.size())), copies);
        if (stride <= 1) return (loads + (vectors - 1) * std::min(loads, elements)) / loads;
        return vectors * std::min(loads, std::ceil((span + stride) / stride)) / loads;
    }

    const LoopNest &nest_;
    const Stage &stage_;
    const Func &func_;
    const Machine &machine_;
    const ExpandedStage &body_;
    const InnerLoops &in_;
    const LoopLevel *loop_;
};

}  // namespace

double address_assumptions(const LoopNest &nest, StageId stage, const ExpandedStage &expanded,
                           const InnerLoops &in, const Machine &machine, StageExpander &expander,
                           std::span<const FuncId> members) {
    const Body body(nest, stage, expanded, in, machine);
    if (!body.moves_evenly(members)) return 0;
    const auto all_apart = [](const LoadGroup &, size_t) { return true; };
    const Accesses most = body.accesses(all_apart);
    if (most.all <= most_told_apart || most.uneven == 0) return 0;
    // What copies share takes longer to find out, and few bodies get so far.
    const KernelCode kernel(nest.graph(), expander, nest, members);
    if (kernel.too_large()) return 0;
    const ConstantSides sides(kernel);
    const auto code = std::ranges::find_if(
        kernel.stages(), [&](const StageCode &c) { return c.stage->id == stage; });
    const Accesses accesses = body.accesses([&](const LoadGroup &load, size_t loop) {
        return !neighbours_meet(nest, *code, load, loop, sides);
    });
    return accesses.all <= most_told_apart ? 0 : accesses.uneven;
}

}  // namespace cryolite

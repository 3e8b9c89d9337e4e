#include "code/kernel/register_values.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "code/kernel/first_points.h"
#include "code/regions/regions.h"
#include "code/regions/storage_bounds.h"
#include "code/stage/inner_loops.h"
#include "code/stage/vector_geometry.h"

namespace cryolite {
namespace {

bool is_copied(const LoopLevel &l) {
    return l.extent == 1 || l.kind == LoopKind::Unrolled || l.kind == LoopKind::Vectorized;
}

// One Func of the kernel that may live in registers.
class Candidate {
public:
    Candidate(const KernelCode &code, const FuncNest &placed)
        : code_(code),
          nest_(code.nest()),
          placed_(placed),
          func_(nest_.graph().func(placed.func)),
          order_(nest_.storage_order(placed.func)) {}

    bool holds() {
        if (!is_stored_in_a_body() || order_.empty()) return false;
        lanes_ = lanes_of(placed_.stages[0]);
        for (const StageNest &s : placed_.stages)
            if (!is_made_of_copies(s) || lanes_of(s) != lanes_) return false;
        return std::ranges::all_of(code_.stages(), [&](const StageCode &w) {
            return std::ranges::all_of(w.body->loads, [&](const LoadGroup &load) {
                return load.producer != placed_.func || load.is_self || is_read_in_place(w, load);
            });
        });
    }

    double registers(const Machine &machine) const {
        double points = 1;
        for (size_t d = 0; d < placed_.storage_bound.size(); d++) {
            const auto bound = static_cast<double>(placed_.storage_bound[d]);
            const bool is_row = static_cast<int>(d) == order_[0];
            points *= is_row ? std::ceil(bound / lanes_) : bound;
        }
        double each = 0;
        for (const ScalarType &value : func_.values) each += vectors(machine, value.bits, lanes_);
        return points * each;
    }

private:
    bool is_stored_in_a_body() const {
        return placed_.compute_at && placed_.store_at == placed_.compute_at &&
               !placed_.stages.empty() && !placed_.stages[0].in_kernel &&
               !placed_.storage_bound.empty() &&
               std::ranges::none_of(placed_.storage_bound, [](int64_t b) { return b == 0; });
    }

    // Lanes of the stage's vectors along rows; 1: scalars; 0: vectors along another dimension.
    int lanes_of(const StageNest &s) const {
        const InnerLoops in = inner_loops(nest_.graph().stage(s.stage), s);
        if (in.lanes == 1) return 1;
        if (in.lane_step > 1) return 0;
        const StageLoop &along =
            nest_.graph().stage(s.stage).loops[static_cast<size_t>(in.vector_dim)];
        return along.func_dim == order_[0] ? in.lanes : 0;
    }

    bool is_made_of_copies(const StageNest &s) const {
        const Stage &stage = nest_.graph().stage(s.stage);
        for (size_t d = 0; d < placed_.storage_bound.size(); d++)
            if (!stays_in_place(nest_.graph(), stage, d)) return false;
        return lanes_of(s) > 0 && std::ranges::all_of(s.loops, [&](const LoopLevel &l) {
                   const auto dim = static_cast<size_t>(l.name.dim);
                   const StageLoop &loop = stage.loops[dim];
                   if (loop.is_reduction) return true;
                   return is_copied(l) &&
                          placed_.storage_bound[static_cast<size_t>(loop.func_dim)] ==
                              s.range[dim].extent();
               });
    }

    // Whether the reader loads whole vectors as they were written, at places that no loop moves.
    bool is_read_in_place(const StageCode &reader, const LoadGroup &load) const {
        const LoopName site = *placed_.compute_at;
        const bool in_site = site.stage == reader.stage->id;
        if (!in_site && nest_.at(reader.stage->func).compute_at != site) return false;
        const InnerLoops &in = reader.inner;
        if (load.gather || in.lanes != lanes_ || in.lane_step > 1 ||
            lanes_may_wrap(nest_, reader.stage->id, load, in.vector_dim, in.lanes))
            return false;
        const int position = in_site ? nest_.position(site) : -1;
        const auto moves = [&](size_t loop) {
            return load.depends_on[loop] || load.clamped[loop] != Clamp::None;
        };
        for (auto l = reader.nest->loops.begin() + position + 1; l != reader.nest->loops.end(); ++l)
            if (!is_copied(*l) && moves(static_cast<size_t>(l->name.dim))) return false;
        return lanes_ == 1 || starts_with_a_vector(reader, load, in.vector_dim, in_site);
    }

    bool starts_with_a_vector(const StageCode &reader, const LoadGroup &load, int vector_dim,
                              bool in_site) const {
        const auto v = static_cast<size_t>(vector_dim), row = static_cast<size_t>(order_[0]);
        for (size_t d = 0; d < load.coefficient.size(); d++)
            if (load.coefficient[d][v] != (d == row ? 1 : 0)) return false;
        for (size_t l = 0; l < load.coefficient[row].size(); l++)
            if (l != v && load.coefficient[row][l] != 0) return false;
        Intervals ranges = reader.nest->range;
        if (in_site) narrow_to_iteration(*reader.nest, nest_.position(*placed_.compute_at), ranges);
        const int64_t from = ranges[v].min - placed_.compute_region[row].min;
        return std::ranges::all_of(load.offsets, [&](const std::vector<Rational> &offset) {
            return offset[row].denominator == 1 && (from + offset[row].numerator) % lanes_ == 0;
        });
    }

    const KernelCode &code_;
    const LoopNest &nest_;
    const FuncNest &placed_;
    const Func &func_;
    const std::vector<int> &order_;
    int lanes_ = 1;
};

}  // namespace

std::set<FuncId> values_in_registers(const KernelCode &code, const Machine &machine) {
    std::map<LoopName, std::set<FuncId>> found;
    std::map<LoopName, double> registers;
    for (const auto &[f, member] : code.members()) {
        if (!member.nest->compute_at) continue;
        Candidate candidate(code, *member.nest);
        if (!candidate.holds()) continue;
        found[*member.nest->compute_at].insert(f);
        registers[*member.nest->compute_at] += candidate.registers(machine);
    }
    std::set<FuncId> all;
    for (auto &[site, funcs] : found)
        if (registers[site] <= machine.core.usable_register_share * machine.vector_registers)
            all.merge(funcs);
    return all;
}

}  // namespace cryolite

// The vector accesses that start at a multiple of the register's size, as far as the estimates tell.
//
// Halide starts its own allocations at such a multiple. The start of a user's buffer is unknown. An access counts as
// aligned if two things hold for the loops inside of the level where the memory is allocated. It is aligned in their
// first iteration, and each of them moves it by whole registers.
#include <algorithm>
#include <cmath>

#include "code/regions/regions.h"
#include "code/stage/split_tails.h"
#include "featurize/rows/cpu_features.h"

namespace cryolite {
namespace {

bool is_multiple(double value, double of) { return value == of * std::floor(value / of); }

class Alignment {
public:
    explicit Alignment(const StageContext &c)
        : c_(c), v_(static_cast<size_t>(c.inner.vector_dim)), nest_(*c.work.code->nest) {}

    double share() {
        const Tail tail = tail_of(c_.graph, nest_, v_, c_.work.code->holds_others);
        if (tail == Tail::ShiftsInwards) unshifted_ = false;  // shifted vectors start anywhere
        for (const LoadGroup &load : c_.work.code->body->loads) add_loads(load);
        add_stores();
        return accesses_ == 0 ? 0 : aligned_ / accesses_;
    }

private:
    struct Storage {
        const Box *box = nullptr;  // null: its start is unknown
        size_t outside = 0;        // the stage's own loops around the allocation
    };

    const std::vector<int> &order_of(const Func &func) const {
        return c_.kernel.nest().storage_order(func.id);
    }

    Storage storage_of(const Func &func) const {
        if (func.is_input() || func.is_output()) return {};
        const auto it = c_.kernel.members().find(func.id);
        if (it == c_.kernel.members().end() || it->second.nest->placement == Placement::Root)
            // It is unknown what the loops of other Funcs add to the indices.
            return {c_.work.code->enclosing == 0 ? &func.root_region : nullptr, 0};
        const Member &m = it->second;
        const Box &box = m.nest->store_region;
        for (size_t p = 0; p < c_.work.code->stack.size(); p++) {
            if (c_.work.code->stack[p].id != m.store_loop) continue;
            if (p + 1 < c_.work.code->enclosing) return {};
            return {&box, p + 1 - c_.work.code->enclosing};
        }
        return {};
    }

    // coefficient(d, l): points by which one step of loop l moves dimension d of the Func.
    template <typename Coefficient>
    bool keeps_alignment(const Func &func, const Storage &s, double bytes,
                         const Coefficient &coefficient) const {
        const double unit = register_bytes(bytes);
        double stride = bytes;
        const std::vector<int> &order = order_of(func);
        for (int d : order) {
            const auto dim = static_cast<size_t>(d);
            const bool in_row = d == order[0];
            if (!in_row && (*s.box)[dim].extent() > 1 && !is_multiple(stride, unit)) return false;
            stride *= static_cast<double>((*s.box)[dim].extent());
            if (!in_row) continue;
            for (size_t i = s.outside; i < nest_.loops.size(); i++) {
                const LoopLevel &l = nest_.loops[i];
                if (l.kind == LoopKind::Vectorized) continue;
                const double step = coefficient(dim, static_cast<size_t>(l.name.dim));
                if (!is_multiple(step * static_cast<double>(l.span) * bytes, unit)) return false;
            }
        }
        return true;
    }

    double register_bytes(double bytes) const {
        return std::min<double>(c_.inner.lanes * bytes, std::max(1, c_.machine.vector_bytes));
    }

    // The index of dimension d in the first iteration, without its constant.
    template <typename Coefficient>
    double first_index(const Storage &s, size_t d, const Coefficient &coefficient) {
        if (ranges_.empty() || s.outside != ranges_outside_) {
            ranges_ = nest_.range;
            ranges_outside_ = s.outside;
            narrow_to_iteration(nest_, static_cast<int>(s.outside) - 1, ranges_);
        }
        double index = 0;
        for (size_t l = 0; l < ranges_.size(); l++)
            index += coefficient(d, l) * static_cast<double>(ranges_[l].min);
        return index;
    }

    void add_loads(const LoadGroup &load) {
        if (load.gather || !load.depends_on[v_]) return;
        const Func &producer = c_.graph.func(load.producer);
        const auto row = static_cast<size_t>(order_of(producer)[0]);
        for (size_t d = 0; d < load.coefficient.size(); d++)
            if (load.coefficient[d][v_] != (d == row ? 1 : 0)) return;
        accesses_ += load.count;
        const Storage s = storage_of(producer);
        const double bytes = element_bytes(producer);
        const auto step = [&](size_t d, size_t l) -> double { return load.coefficient[d][l]; };
        if (!s.box || !unshifted_ || !keeps_alignment(producer, s, bytes, step)) return;
        const double first = first_index(s, row, step);
        for (const std::vector<Rational> &offset : load.offsets)
            if (is_multiple(
                    (first + offset[row].value() - static_cast<double>((*s.box)[row].min)) * bytes,
                    register_bytes(bytes)))
                aligned_++;
    }

    // Adds dense stores. Stores of an update at another point than its own count as not aligned.
    void add_stores() {
        const double dense = c_.at(Feature::stores_dense);
        accesses_ += dense;
        const Storage s = storage_of(c_.func);
        const StageLoop &along = c_.work.code->stage->loops[v_];
        if (dense == 0 || !s.box || !unshifted_ || along.func_dim != order_of(c_.func)[0] ||
            (c_.work.code->stage->index > 0 && c_.at(Feature::stores_pointwise) == 0))
            return;
        const auto step = [&](size_t d, size_t l) -> double {
            return c_.work.code->stage->loops[l].func_dim == static_cast<int>(d);
        };
        const double bytes = element_bytes(c_.func);
        const auto row = static_cast<size_t>(order_of(c_.func)[0]);
        if (keeps_alignment(c_.func, s, bytes, step) &&
            is_multiple(
                (first_index(s, row, step) - static_cast<double>((*s.box)[row].min)) * bytes,
                register_bytes(bytes)))
            aligned_ += dense;
    }

    // Each tuple element has a buffer. The narrowest one is the hardest to keep aligned.
    static double element_bytes(const Func &func) {
        int bytes = func.values.empty() ? 1 : func.values[0].bytes();
        for (const ScalarType &t : func.values) bytes = std::min(bytes, t.bytes());
        return bytes;
    }

    const StageContext &c_;
    const size_t v_;
    const StageNest &nest_;
    Intervals
        ranges_;  // of one iteration of the loops outside of the storage that was asked about last
    size_t ranges_outside_ = 0;
    bool unshifted_ = true;  // no vector is shifted
    double accesses_ = 0, aligned_ = 0;
};

}  // namespace

double aligned_share(const StageContext &c) {
    return c.inner.vector_dim < 0 ? 0 : Alignment(c).share();
}

}  // namespace cryolite

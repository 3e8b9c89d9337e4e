// What the features of a stage should be, taken from what was counted. Where a run does not say, there
// is no number: see each function.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "schedule/func_nest.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/expansion.h"

namespace cryolite::oracle {

class StageView {
public:
    using Count = std::optional<double>;

    StageView(const Subject &subject, StageId s)
        : subject_(subject),
          graph_(subject.graph()),
          stage_(graph_.stage(s)),
          func_(graph_.func(stage_.func)),
          placed_(subject.nest.at(func_.id)),
          nest_(subject.nest.stage_nest(s)),
          exact_(subject.exact.stages[s.index()]),
          emitted_(subject.emitted.stages[s.index()]),
          func_exact_(subject.exact.funcs[func_.id.index()]),
          func_emitted_(subject.emitted.funcs[func_.id.index()]),
          expansion_(expand(subject.nest, s)) {}

    bool ran() const { return !exact_.scopes.empty(); }

    // --- positions in the stack of loops: a scope p is one run of loop p ---
    size_t production() const { return exact_.loops.size() - nest_.loops.size(); }
    size_t innermost() const { return exact_.loops.size(); }
    size_t vector() const { return innermost() - (lanes() > 1); }
    size_t register_block() const {
        size_t p = innermost();
        while (p > production() && is_copied(p - 1)) p--;
        return p;
    }
    size_t innermost_run() const {
        for (size_t p = innermost(); p-- > production();)
            if (!is_copied(p) && own(p).extent > 1) return p;
        return production();
    }
    size_t realisation() const {
        for (size_t p = 0; p < production(); p++)
            if (exact_.loops[p] == placed_.store_at) return p + 1;
        return 0;
    }
    size_t task() const {
        for (size_t p = innermost(); p-- > 0;)
            if (exact_.kinds[p] == LoopKind::Parallel) return p + 1;
        return 0;
    }

    // --- points and runs ---
    Count points_required() const {
        double n = 1;
        for (const StageLoop &l : stage_.loops)
            n *= static_cast<double>(
                (l.is_reduction ? l.range : func_.root_region[static_cast<size_t>(l.func_dim)])
                    .extent());
        return n;
    }
    Count points_computed() const {
        // Regions that change with where they are may be larger elsewhere than in mid-range.
        if (!subject_.tight || !subject_.drawn.steady || !subject_.uniform_around(func_.id))
            return std::nullopt;
        const bool slides = placed_.slide_dim >= 0;
        if (slides ? window_grows() : func_exact_.produced.most != func_exact_.produced.middle)
            return std::nullopt;
        return sum(exact_, innermost());
    }
    Count points_per_production() const {
        if (!as_said()) return std::nullopt;
        return static_cast<double>(emitted_.scopes[production()].points.middle);
    }
    Count productions() const {
        if (!subject_.uniform_around(func_.id)) return std::nullopt;
        return static_cast<double>(func_emitted_.produced.instances);
    }
    Count realisations() const {
        if (!subject_.uniform_around(func_.id)) return std::nullopt;
        return static_cast<double>(func_emitted_.held.instances);
    }
    Count tasks_own() const {
        return tight(product(LoopKind::Parallel, production(), innermost()));
    }
    Count tasks_enclosing() const {
        return whole_around(product(LoopKind::Parallel, 0, production()));
    }
    Count parallel_launches() const {
        const size_t first = first_parallel(nest_);
        if (first == nest_.loops.size()) return 0;
        if (first == 0) return productions();
        if (!as_said() || !whole_own() || !subject_.uniform_around(func_.id)) return std::nullopt;
        return static_cast<double>(emitted_.scopes[production() + first].points.instances);
    }
    Count innermost_extent() const {
        const size_t p = innermost_run();
        if (p == innermost() || is_copied(p)) return std::nullopt;
        if (own(p).name.level > 0 && !whole_own()) return std::nullopt;
        return tight(static_cast<double>(exact_.middle_iterations[p]));
    }
    Count loop_iterations() const {
        if (!as_said() || !whole_own() || !subject_.uniform_around(func_.id)) return std::nullopt;
        // Where indices are divided, boxes of as many points may have other sides.
        if (!subject_.drawn.steady) return std::nullopt;
        // Loops inside an unrolled one are counted once and not for each of its copies.
        for (size_t p = production(); p + 1 < innermost(); p++)
            if (is_copied(p) && !is_copied(p + 1)) return std::nullopt;
        for (const FuncCount *f : {&func_exact_, &func_emitted_})
            if (f->produced.least != f->produced.most) return std::nullopt;
        double n = 0;
        for (size_t p = production(); p < innermost(); p++)
            if (!is_copied(p)) n += static_cast<double>(emitted_.scopes[p + 1].points.instances);
        return n;
    }
    // --- storage ---
    Count allocation_bytes() const {
        if (window_grows()) return std::nullopt;
        return tight(static_cast<double>(func_exact_.held_bytes.middle));
    }
    Count folded_share() const {
        if (window_grows() || func_exact_.held.middle < 0) return std::nullopt;
        return tight(static_cast<double>(func_exact_.held_bytes.middle) /
                     static_cast<double>(func_exact_.held.middle * func_.bytes_per_point()));
    }
    Count window_new_share() const {
        if (placed_.slide_dim < 0) return 1;
        const auto d = static_cast<size_t>(placed_.slide_dim);
        if (func_exact_.middle_needed.empty()) return std::nullopt;
        return tight(static_cast<double>(func_exact_.middle_computed[d].extent()) /
                     static_cast<double>(func_exact_.middle_needed[d].extent()));
    }
    // --- one point ---
    Count inlined_calls() const { return expansion_.inlined_calls; }
    Count expanded_loads() const { return static_cast<double>(expansion_.loads.size()); }
    Count expanded_gathers() const {
        return loads([](const ExpandedLoad &l) { return !l.known; });
    }
    Count expanded_ops(OpKind kind, bool is_float) const {
        double n = 0;
        for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++) {
            const auto type = static_cast<TypeClass>(t);
            const bool floating = type == TypeClass::Float16 || type == TypeClass::Float32 ||
                                  type == TypeClass::Float64;
            if (floating == is_float) n += expansion_.ops.at(kind, type);
        }
        return n;
    }
    // --- what is touched ---
    enum class What { Inputs, Intermediates, Stores };
    Count bytes(What what, size_t p) const {
        if (!subject_.tight || exact_.scopes[p].points.middle < 0) return std::nullopt;
        // Of a window, the new part may lie where more is touched than in its middle.
        if (placed_.slide_dim >= 0 && p >= production()) return std::nullopt;
        const ScopeCount &scope = exact_.scopes[p];
        if (what == What::Stores) return bytes_of(func_, scope.writes);
        double n = 0;
        for (const auto &[f, touched] : scope.reads) {
            const Func &producer = graph_.func(f);
            if (producer.is_input() == (what == What::Inputs)) n += bytes_of(producer, touched);
        }
        return n;
    }
    // --- vectors ---
    double lanes() const {
        const bool has = !nest_.loops.empty() && nest_.loops.back().kind == LoopKind::Vectorized;
        return has ? static_cast<double>(nest_.loops.back().extent) / woven() : 1;
    }
    int32_t woven() const { return nest_.loops.empty() ? 1 : nest_.loops.back().woven; }
    Count vectors_per_production() const {
        if (lanes() == 1) return points_per_production();
        if (!as_said()) return std::nullopt;
        return static_cast<double>(emitted_.whole_innermost_runs) * woven();
    }
    Count scalar_share() const {
        if (lanes() == 1) return 1;
        if (!as_said()) return std::nullopt;
        const double in_vectors = *vectors_per_production() * lanes();
        return 1 - in_vectors / *points_per_production();
    }
    Count wasted_share() const {
        if (!as_said()) return std::nullopt;
        const auto needed = static_cast<double>(exact_.scopes[production()].points.middle);
        return 1 - needed / *points_per_production();
    }
    Count loads_splat() const {
        if (lanes() == 1) return expanded_loads();
        return loads([&](const ExpandedLoad &l) { return !l.moves[vector_loop()]; });
    }
    Count loads_gathered() const {
        if (lanes() == 1) return 0;
        return loads([&](const ExpandedLoad &l) { return l.moves[vector_loop()] && !l.known; });
    }
    Count loads_dense() const {
        if (lanes() == 1) return 0;
        return loads([&](const ExpandedLoad &l) { return moves_known(l) && is_dense(l); });
    }
    Count loads_strided() const {
        if (lanes() == 1) return 0;
        return loads([&](const ExpandedLoad &l) { return moves_known(l) && !is_dense(l); });
    }
    Count unrolled_copies() const { return woven() * product_of_extents(LoopKind::Unrolled); }

private:
    const LoopLevel &own(size_t p) const { return nest_.loops[p - production()]; }
    bool is_copied(size_t p) const {
        return exact_.kinds[p] == LoopKind::Vectorized || exact_.kinds[p] == LoopKind::Unrolled;
    }
    static double sum(const StageCount &count, size_t p) {
        return static_cast<double>(count.scopes[p].points.sum);
    }
    Count tight(double value) const {
        return subject_.tight && value >= 0 ? Count(value) : std::nullopt;
    }
    // Every loop's parts divide what they split, so that inner loops run as often as the nest says.
    bool whole(const StageNest &nest) const {
        for (const LoopLevel &l : nest.loops)
            if (l.name.level == 0 &&
                nest.range[static_cast<size_t>(l.name.dim)].extent() % l.span != 0)
                return false;
        return true;
    }
    bool whole_own() const { return whole(nest_); }
    Count whole_around(double value) const {
        for (FuncId f = func_.id; subject_.nest.at(f).compute_at;) {
            f = graph_.stage(subject_.nest.at(f).compute_at->stage).func;
            for (const StageNest &s : subject_.nest.at(f).stages)
                if (!whole(s)) return std::nullopt;
        }
        return tight(value);
    }
    double product(LoopKind kind, size_t from, size_t to) const {
        double n = 1;
        for (size_t p = from; p < to; p++) {
            if (exact_.kinds[p] != kind) continue;
            if (p >= production() && own(p).name.level > 0 && !whole_own()) return -1;
            n *= static_cast<double>(exact_.middle_iterations[p]);
        }
        return n;
    }
    double product_of_extents(LoopKind kind) const {
        double n = 1;
        for (const LoopLevel &l : nest_.loops)
            if (l.kind == kind) n *= static_cast<double>(l.extent);
        return n;
    }
    bool window_grows() const {
        if (placed_.slide_dim < 0) return false;
        const auto d = static_cast<size_t>(placed_.slide_dim);
        return func_exact_.middle_needed.empty() ||
               func_exact_.most_window > func_exact_.middle_needed[d].extent();
    }
    // What is emitted computes in mid-range for the same readers as the nest says, and no later stage
    // of the Func rounds up and asks for more.
    bool as_said() const {
        if (!subject_.tight || emitted_.scopes.empty()) return false;
        if (func_exact_.middle_needed != func_emitted_.middle_needed) return false;
        if (func_.stages.size() > 1 && func_exact_.middle_computed != func_emitted_.middle_computed)
            return false;
        return exact_.scopes[production()].points.middle >= 0 &&
               emitted_.scopes[production()].points.middle >= 0;
    }
    static double bytes_of(const Func &func, const TouchCount &touched) {
        double n = 0;
        for (const Element &e : touched.middle)
            n += func.values[static_cast<size_t>(e.value)].bytes();
        return n;
    }
    template <typename Predicate>
    double loads(const Predicate &predicate) const {
        return static_cast<double>(
            std::count_if(expansion_.loads.begin(), expansion_.loads.end(), predicate));
    }
    size_t vector_loop() const { return static_cast<size_t>(nest_.loops.back().name.dim); }
    bool moves_known(const ExpandedLoad &l) const { return l.known && l.moves[vector_loop()]; }
    // By at most one element, along the innermost storage dimension.
    bool is_dense(const ExpandedLoad &load) const {
        const std::vector<int> &order = subject_.nest.storage_order(load.func);
        for (size_t d = 0; d < load.steps[vector_loop()].size(); d++) {
            const uint64_t step =
                field::multiply(load.steps[vector_loop()][d], field::from(int64_t{woven()}));
            if (step == 0) continue;
            if (order[0] != static_cast<int>(d) || !is_short(step)) return false;
        }
        return true;
    }
    static bool is_short(uint64_t step) {
        constexpr int64_t most_denominator = 100;  // products of a few twos and threes
        for (int64_t d = 1; d <= most_denominator; d++)
            for (int64_t n = 1; n <= d; n++) {
                const uint64_t scaled = field::multiply(step, field::from(d));
                if (scaled == field::from(n) || scaled == field::from(-n)) return true;
            }
        return false;
    }

    const Subject &subject_;
    const StageGraph &graph_;
    const Stage &stage_;
    const Func &func_;
    const FuncNest &placed_;
    const StageNest &nest_;
    const StageCount &exact_, &emitted_;
    const FuncCount &func_exact_, &func_emitted_;
    const Expansion expansion_;
};

}  // namespace cryolite::oracle

#include "code/stage/expanded_stage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/hash.h"
#include "code/stage/composed_access.h"
#include "code/stage/computations.h"

namespace cryolite {
namespace {

// With more distinct calls of inlined Funcs per point than this, recomputation is hopeless.
constexpr size_t max_inlined_calls = 4096;

// call_site: tells accesses with unknown indices apart. Two of them count as different points. Within one caller this
// is exact, since common subexpressions were eliminated before.
std::vector<int64_t> key_of(FuncId func, int value, const ComposedAccess &access,
                            int64_t call_site) {
    std::vector<int64_t> key{func.value, value};
    for (const ComposedIndex &i : access) {
        const auto k = i.key();
        key.insert(key.end(), k.begin(), k.end());
    }
    if (!is_known(access)) key.push_back(call_site);
    return key;
}

struct GroupBuilder {
    LoadGroup group;
    std::vector<ComposedAccess> members;
};

LoadGroup::Repeating repeating_along(const GroupBuilder &b, size_t loop) {
    LoadGroup::Repeating found;
    for (size_t d = 0; d < b.group.runs.size(); d++)
        if (b.group.runs[d][loop] != 1) return found;
    size_t count = 0;
    for (const ComposedAccess &member : b.members) {
        int64_t run = 1;
        for (const ComposedIndex &i : member)
            if (i.run[loop] != 1) run = run == 1 || run == i.run[loop] ? i.run[loop] : 0;
        if (run == 1) continue;
        found.run = count == 0 || found.run == run ? run : 0;
        count++;
    }
    found.share = static_cast<float>(count) / static_cast<float>(b.members.size());
    return found;
}

void find_repeating(GroupBuilder &b, size_t num_loops) {
    std::vector<LoadGroup::Repeating> all;
    for (size_t l = 0; l < num_loops; l++) all.push_back(repeating_along(b, l));
    if (std::ranges::any_of(all, [](const LoadGroup::Repeating &r) { return r.share > 0; }))
        b.group.repeating = std::move(all);
}

void finish(GroupBuilder &b, size_t num_loops) {
    LoadGroup &g = b.group;
    g.count = static_cast<double>(b.members.size());
    std::vector<double> offsets(b.members.size());
    for (size_t d = 0; d < b.members[0].size(); d++) {
        for (size_t i = 0; i < offsets.size(); i++) offsets[i] = b.members[i][d].offset.value();
        std::ranges::sort(offsets);
        g.offset_span.push_back(static_cast<float>(offsets.back() - offsets.front()));
        std::vector<float> &gaps = g.gaps.emplace_back();
        // Gaps are rounded down: a fraction may round either way.
        for (size_t i = 1; i < offsets.size() && is_known(b.members[0]); i++)
            if (const double gap = std::floor(offsets[i] - offsets[i - 1]); gap > 1)
                gaps.push_back(static_cast<float>(gap));
    }
    find_repeating(b, num_loops);
    g.along = is_known(b.members[0]) ? points_along(b.members, num_loops)
                                     : std::vector<PointsAlong>(num_loops, {g.count, {}});
}

// The realised Funcs that each inlined Func reads, directly or through other inlined Funcs.
std::map<FuncId, std::set<FuncId>> reads_of_inlined(const ExpandedStage &stage) {
    std::map<FuncId, std::set<FuncId>> reads;
    for (FuncId f : stage.inlined) reads[f];
    // Steps of readers come first. In reverse order, each producer is complete before its readers.
    for (auto step = stage.steps.rbegin(); step != stage.steps.rend(); ++step) {
        if (step->from_inlined < 0) continue;
        std::set<FuncId> &of = reads[stage.inlined[static_cast<size_t>(step->from_inlined)]];
        const auto to = static_cast<size_t>(step->to);
        if (step->to_inlined)
            of.insert(reads[stage.inlined[to]].begin(), reads[stage.inlined[to]].end());
        else
            of.insert(stage.reads[to]);
    }
    return reads;
}

// The longest chain through inlined Funcs. It assumes that every Func is read where its reader's longest chain starts.
double longest_chain(const StageGraph &graph, const Stage &root, const ExpandedStage &stage) {
    std::vector<double> before(stage.inlined.size(), 0);
    double before_root = 0;
    // In reverse order, each producer is complete before its readers.
    for (auto step = stage.steps.rbegin(); step != stage.steps.rend(); ++step) {
        if (!step->to_inlined) continue;
        const auto to = static_cast<size_t>(step->to);
        const Func &func = graph.func(stage.inlined[to]);
        const double chain = before[to] + graph.stage(func.stages[0]).longest_chain;
        double &reader =
            step->from_inlined < 0 ? before_root : before[static_cast<size_t>(step->from_inlined)];
        reader = std::max(reader, chain);
    }
    return before_root + root.longest_chain;
}

LoadsOfRead loads_of_read(FuncId read, const std::vector<LoadGroup> &loads) {
    LoadsOfRead of{{}, 0};
    for (uint32_t i = 0; i < loads.size(); i++) {
        const LoadGroup &load = loads[i];
        if (load.producer != read) continue;
        of.groups.push_back(i);
        of.count += load.count;
        of.gather |= load.gather;
        of.move_apart |= load.coefficient != loads[of.groups[0]].coefficient;
    }
    of.count = std::max(1.0, of.count);
    return of;
}

// Adds the periods and parts of an inlined Func's pure stage that is called at `call`.
void add_periods(const Stage &inlined, const ComposedAccess &call, ExpandedStage &out) {
    for (const StageLoop &loop : inlined.loops) {
        const ComposedIndex &index = call[static_cast<size_t>(loop.func_dim)];
        for (size_t l = 0; l < out.period.size() && index.affine && loop.period > 1; l++) {
            const Rational step = index.coefficient[l];
            out.period[l] = common_period(out.period[l], period_of_loop(step, loop.period));
            if (step.denominator == 1 && !step.is_zero())
                out.parts[l] = std::max(out.parts[l], period_of_loop(step, loop.parts));
        }
    }
}

// About how many bytes the value holds on the heap.
int64_t bytes_of(const ExpandedStage &stage) {
    constexpr size_t block = 16;  // bytes that malloc adds to each block
    size_t bytes = (stage.inlined.capacity() + stage.reads.capacity()) * sizeof(FuncId) +
                   stage.steps.capacity() * sizeof(FootprintStep) +
                   stage.loads.capacity() * (sizeof(LoadGroup) + sizeof(uint32_t)) +
                   stage.loads_of_reads.capacity() * (sizeof(LoadsOfRead) + block) +
                   stage.computations.capacity() * sizeof(Computation) +
                   (stage.period.capacity() + stage.parts.capacity()) * sizeof(int64_t);
    const auto add = [&](const Repeated &r) {
        bytes += 2 * block + r.along.capacity() * sizeof(PointsAlong) + sizeof(uint64_t);
        for (const PointsAlong &a : r.along)
            bytes += a.gaps.empty() ? 0 : block + a.gaps.capacity() * sizeof(double);
        for (const std::vector<float> &c : r.coefficient)
            bytes += sizeof(c) + block + c.capacity() * sizeof(float);
    };
    for (const Computation &c : stage.computations) {
        add(c);
        bytes += 3 * block + c.operations.capacity() * sizeof(OperationCount) +
                 c.from.capacity() * sizeof(FuncId) + c.loads.capacity() * sizeof(size_t);
    }
    for (const LoadGroup &l : stage.loads) {
        add(l);
        bytes += 4 * block + l.offset_span.capacity() * sizeof(float) +
                 l.clamped.capacity() * sizeof(Clamp) + sizeof(uint64_t) +
                 l.shared_clamps.capacity() * sizeof(float);
        for (const std::vector<float> &g : l.gaps)
            bytes += sizeof(g) + block + g.capacity() * sizeof(float);
        for (const auto *matrix : {&l.exact_coefficient, &l.offsets})
            for (const std::vector<Rational> &r : *matrix)
                bytes += sizeof(r) + block + r.capacity() * sizeof(Rational);
    }
    return static_cast<int64_t>(bytes);
}

// LoadGroup::shared_clamps along a loop.
double share_of_shared_clamps(const LoadGroup &load, size_t loop) {
    if (load.clamped[loop] != Clamp::ByHand || load.offsets.size() < 2) return 0;
    std::map<std::vector<int64_t>, int> loads_of_index;
    for (const std::vector<Rational> &offset : load.offsets) {
        std::vector<int64_t> index;
        for (size_t d = 0; d < offset.size(); d++)
            if (!load.exact_coefficient[d][loop].is_zero())
                index.insert(index.end(), {offset[d].numerator, offset[d].denominator});
        loads_of_index[index]++;
    }
    double shared = 0;
    for (const auto &[index, loads] : loads_of_index)
        if (loads > 1) shared += loads;
    return shared / static_cast<double>(load.offsets.size());
}

}  // namespace

bool StageExpander::is_inlined(const LoopNest &nest, const Edge &edge, Undecided undecided) const {
    if (edge.is_self || graph_.func(edge.producer).is_input()) return false;
    if (!nest.decided(edge.producer))
        return undecided == Undecided::AsAssumed && graph_.func(edge.producer).assumed_inlined;
    return nest.at(edge.producer).placement == Placement::Inline;
}

StageExpander::InlinedFuncs StageExpander::inlined_into(const LoopNest &nest, StageId stage,
                                                        Undecided undecided) const {
    InlinedFuncs inlined;
    SmallVector<uint64_t, 16> seen((graph_.num_scheduled() + 63) / 64, 0);  // a bit per Func
    const auto add_producers = [&](const Stage &reader) {
        for (EdgeId e : reader.incoming) {
            const Edge &edge = graph_.edge(e);
            if (!is_inlined(nest, edge, undecided)) continue;
            uint64_t &word = seen[edge.producer.index() / 64];
            const uint64_t bit = uint64_t{1} << (edge.producer.index() % 64);
            if (word & bit) continue;
            word |= bit;
            inlined.push_back(edge.producer);
        }
    };
    add_producers(graph_.stage(stage));
    for (size_t i = 0; i < inlined.size(); i++)
        add_producers(graph_.stage(graph_.func(inlined[i]).stages[0]));
    return inlined;
}

const ExpandedStage &StageExpander::expand(const LoopNest &nest, StageId stage) {
    const ExpandedStage &assumed = expand(nest, stage, Undecided::AsAssumed);
    // No decision has multiplied the work yet, so the assumption must not.
    return assumed.too_large ? expand(nest, stage, Undecided::Realised) : assumed;
}

const ExpandedStage &StageExpander::expand(const LoopNest &nest, StageId stage,
                                           Undecided undecided) {
    const InlinedFuncs inlined = inlined_into(nest, stage, undecided);
    Hasher h;
    h.add(static_cast<uint64_t>(stage.value));
    for (FuncId f : inlined) h.add(static_cast<uint64_t>(f.value));
    auto [first, last] = memo_.equal_range(h.value());
    for (auto it = first; it != last; ++it)
        if (it->second->stage == stage && it->second->inlined == inlined) return it->second->value;
    auto entry = std::make_unique<Entry>(Entry{stage, inlined, compute(nest, stage, undecided)});
    memo_bytes_ += static_cast<int64_t>(sizeof(Entry)) + bytes_of(entry->value);
    return memo_.emplace(h.value(), std::move(entry))->second->value;
}

void StageExpander::forget() {
    memo_.clear();
    memo_bytes_ = 0;
}

ExpandedStage StageExpander::compute(const LoopNest &nest, StageId stage_id,
                                     Undecided undecided) const {
    const Stage &root = graph_.stage(stage_id);
    const size_t num_loops = root.loops.size();
    ExpandedStage out;
    out.ops = root.ops;
    for (const StageLoop &loop : root.loops) {
        out.period.push_back(loop.period);
        out.parts.push_back(loop.parts);
    }

    struct Call {
        StageId stage;
        ComposedAccess access;  // of the stage's Func; empty for the root
        std::vector<float> kept_share;
        bool of_predicate;  // the root's predicate calls it
    };
    std::vector<Call> work{{stage_id, {}, {}, false}};
    int64_t call_site = 0;
    std::set<std::vector<int64_t>> seen;
    std::map<std::vector<int64_t>, GroupBuilder> groups;
    ComputationCollector computations(graph_, num_loops);

    while (!work.empty() && !out.too_large) {
        const Call call = std::move(work.back());
        work.pop_back();
        const Stage &s = graph_.stage(call.stage);
        const bool is_root = call.stage == stage_id;
        if (is_root)
            computations.add(s);
        else
            computations.add(s, call.access, call.kept_share, call.of_predicate);
        for (EdgeId e : s.incoming) {
            const Edge &edge = graph_.edge(e);
            const Func &producer = graph_.func(edge.producer);
            const bool inlined = is_inlined(nest, edge, undecided);
            for (const Access &a : edge.accesses) {
                call_site++;
                const bool of_predicate = is_root ? a.of_predicate : call.of_predicate;
                const std::vector<float> kept_share =
                    is_root
                        ? a.kept_share
                        : kept_share_at(call.access, call.kept_share, s, a.kept_share, num_loops);
                ComposedAccess composed = is_root ? composed_access(a, num_loops)
                                                  : composed_access(a, s, call.access, num_loops);
                // All tuple elements of an inlined Func are computed together and share one key.
                if (!seen.insert(key_of(producer.id, inlined ? 0 : a.value, composed, call_site))
                         .second)
                    continue;
                if (inlined) {
                    out.ops.add_scaled(graph_.stage(producer.stages[0]).ops, 1);
                    out.inlined_calls++;
                    add_periods(graph_.stage(producer.stages[0]), composed, out);
                    if (out.inlined_calls > max_inlined_calls) out.too_large = true;
                    work.push_back(
                        {producer.stages[0], std::move(composed), kept_share, of_predicate});
                    continue;
                }
                std::vector<int64_t> group_key{producer.id.value, a.value};
                bool gather = false;
                for (const ComposedIndex &i : composed) {
                    gather |= !i.affine || i.data_dependent;
                    for (const Rational &r : i.coefficient)
                        group_key.insert(group_key.end(), {r.numerator, r.denominator});
                    for (bool d : i.depends_on) group_key.push_back(d);
                    if (i.affine) continue;
                    for (const Rational &r : i.step)
                        group_key.insert(group_key.end(), {r.numerator, r.denominator});
                    group_key.push_back(static_cast<int64_t>(i.base));
                }
                bool wraps = false;
                for (const ComposedIndex &i : composed) {
                    group_key.push_back(static_cast<int64_t>(i.wrapped.size()));
                    for (const WrappedIndex &part : i.wrapped) group_key.push_back(part.modulus);
                    wraps |= !i.wrapped.empty();
                }
                group_key.push_back(gather);
                GroupBuilder &builder = groups[group_key];
                if (builder.members.empty()) {
                    LoadGroup &g = builder.group;
                    g.producer = producer.id;
                    g.value = a.value;
                    g.gather = gather;
                    g.is_self = edge.is_self;
                    g.kept_share = kept_share;
                    g.depends_on.assign(num_loops, false);
                    g.clamped.assign(num_loops, Clamp::None);
                    g.scattered.assign(num_loops, false);
                    for (const ComposedIndex &i : composed) {
                        if (wraps) g.wrapped.push_back(i.wrapped);
                        g.exact_coefficient.push_back(i.coefficient);
                        g.runs.push_back(i.run);
                        std::vector<float> row;
                        for (size_t l = 0; l < num_loops; l++) {
                            row.push_back(static_cast<float>(i.step[l].value()));
                            if (i.irregular[l]) g.scattered[l] = true;
                            if (i.depends_on[l] || !i.coefficient[l].is_zero())
                                g.depends_on[l] = true;
                        }
                        g.coefficient.push_back(std::move(row));
                    }
                }
                keep_more(builder.group.kept_share, kept_share);
                if (of_predicate) builder.group.of_predicate++;
                for (size_t d = 0; d < composed.size(); d++)
                    for (size_t l = 0; l < num_loops; l++) {
                        const ComposedIndex &i = composed[d];
                        builder.group.clamped[l] = std::max(builder.group.clamped[l], i.clamped[l]);
                        int64_t &run = builder.group.runs[d][l];
                        // Loads that the coefficient tells of decide for all: most are such.
                        if (run != i.run[l]) run = run == 1 || i.run[l] == 1 ? 1 : 0;
                    }
                if (!gather) {
                    std::vector<Rational> &offsets = builder.group.offsets.emplace_back();
                    for (const ComposedIndex &i : composed) offsets.push_back(i.offset);
                }
                builder.members.push_back(std::move(composed));
            }
        }
    }
    for (auto &[key, builder] : groups) {
        finish(builder, num_loops);
        if (std::ranges::find(builder.group.clamped, Clamp::ByHand) != builder.group.clamped.end())
            for (size_t l = 0; l < num_loops; l++)
                builder.group.shared_clamps.push_back(
                    static_cast<float>(share_of_shared_clamps(builder.group, l)));
        out.loads.push_back(std::move(builder.group));
    }

    // A box passes once through every inlined Func, not once per call. Readers come first.
    std::map<FuncId, int> inlined_index, read_index;
    auto walk = [&](StageId from, int from_index) {
        for (EdgeId e : graph_.stage(from).incoming) {
            const Edge &edge = graph_.edge(e);
            const bool to_inlined = is_inlined(nest, edge, undecided);
            auto &index = to_inlined ? inlined_index : read_index;
            auto &list = to_inlined ? out.inlined : out.reads;
            auto [it, fresh] = index.try_emplace(edge.producer, static_cast<int>(list.size()));
            if (fresh) list.push_back(edge.producer);
            out.steps.push_back({e, from_index, to_inlined, it->second});
        }
    };
    walk(stage_id, -1);
    // In id order, the producers of an inlined Func come after it.
    for (auto next = inlined_index.begin(); next != inlined_index.end(); ++next)
        walk(graph_.func(next->first).stages[0], next->second);
    out.computations = computations.result(reads_of_inlined(out));
    for (Computation &c : out.computations)
        for (size_t i = 0; i < out.loads.size(); i++)
            if (std::ranges::find(c.from, out.loads[i].producer) != c.from.end())
                c.loads.push_back(i);
    out.longest_chain = longest_chain(graph_, root, out);
    for (const LoadGroup &load : out.loads) out.operations_and_loads += load.count;
    out.operations_and_loads += out.ops.total();
    for (FuncId read : out.reads) out.loads_of_reads.push_back(loads_of_read(read, out.loads));
    return out;
}

double different_indices(const LoadGroup &load, size_t d, double offsets,
                         std::span<const double> iterations) {
    double each_apart = offsets, reach = static_cast<double>(load.offset_span[d]);
    for (size_t l = 0; l < iterations.size(); l++) {
        const double step = std::abs(static_cast<double>(load.coefficient[d][l]));
        if (step == 0) continue;
        each_apart *= iterations[l];
        reach += step * (iterations[l] - 1);
    }
    return std::min(each_apart, std::floor(reach) + 1);
}

bool is_run(const LoadGroup &load, size_t d, size_t loop) {
    return d < load.runs.size() && load.runs[d][loop] != 1;
}

bool is_dense(const ExpandedStage &stage, const LoadGroup &load, size_t loop, int lane_step,
              const std::vector<int> &order) {
    const int64_t together = std::max<int64_t>(lane_step, stage.parts[loop]);
    for (size_t d = 0; d < load.coefficient.size(); d++) {
        const float step = load.coefficient[d][loop] * static_cast<float>(together);
        const bool innermost = !order.empty() && static_cast<size_t>(order[0]) == d;
        if (step != 0 && !(innermost && step == 1 && !is_run(load, d, loop))) return false;
    }
    return true;
}

}  // namespace cryolite

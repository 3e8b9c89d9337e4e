#include "code/stage/computations.h"

namespace cryolite {
namespace {

enum Kind : int64_t { own, of_inlined, function_of_call };

}  // namespace

void ComputationCollector::add(const Stage &stage) {
    for (size_t i = 0; i < stage.operation_groups.size(); i++) {
        const OperationGroup &group = stage.operation_groups[i];
        if (group.follows_call()) {
            const Edge &edge = graph_.edge(stage.incoming[static_cast<size_t>(group.edge)]);
            add_function(
                group, edge,
                composed_access(edge.accesses[static_cast<size_t>(group.access)], num_loops_),
                group.kept_share, group.of_predicate);
            continue;
        }
        Computation &c = points_[{own, static_cast<int64_t>(i)}].computation;
        c.operations = group.operations;
        c.loaded = group.loaded;
        c.of_predicate = group.of_predicate;
        c.kept_share = group.kept_share;
        c.depends_on = group.depends_on;
        c.count = 1;
        c.along.resize(num_loops_);
    }
}

void ComputationCollector::add(const Stage &inlined, const ComposedAccess &call,
                               const std::vector<float> &kept_share, bool of_predicate) {
    for (size_t i = 0; i < inlined.operation_groups.size(); i++) {
        const OperationGroup &group = inlined.operation_groups[i];
        if (group.follows_call()) {
            const Edge &edge = graph_.edge(inlined.incoming[static_cast<size_t>(group.edge)]);
            add_function(group, edge,
                         composed_access(edge.accesses[static_cast<size_t>(group.access)], inlined,
                                         call, num_loops_),
                         kept_share_at(call, kept_share, inlined, group.kept_share, num_loops_),
                         of_predicate);
            continue;
        }
        // Calls count as one if they differ only in dimensions that the group does not depend on.
        ComposedAccess at;
        for (size_t l = 0; l < inlined.loops.size(); l++)
            if (group.depends_on[l])
                at.push_back(call[static_cast<size_t>(inlined.loops[l].func_dim)]);
        add_at({of_inlined, inlined.id.value, static_cast<int64_t>(i)}, group, inlined.func,
               std::move(at),
               kept_share_at(call, kept_share, inlined, group.kept_share, num_loops_),
               of_predicate);
    }
}

void ComputationCollector::add_function(const OperationGroup &group, const Edge &edge,
                                        ComposedAccess of, const std::vector<float> &kept_share,
                                        bool of_predicate) {
    const int value = edge.accesses[static_cast<size_t>(group.access)].value;
    add_at({function_of_call, edge.producer.value, value, static_cast<int64_t>(group.function)},
           group, edge.producer, std::move(of), kept_share, of_predicate);
}

void ComputationCollector::add_at(Key key, const OperationGroup &group, FuncId of,
                                  ComposedAccess at, const std::vector<float> &kept_share,
                                  bool of_predicate) {
    Key place;
    for (const ComposedIndex &i : at) {
        for (const Rational &r : i.step) key.insert(key.end(), {r.numerator, r.denominator});
        key.push_back(static_cast<int64_t>(i.base));
        for (bool d : i.depends_on) key.push_back(d);
        place.insert(place.end(), {i.offset.numerator, i.offset.denominator});
    }
    // Points that are not known count as different from all others, and as nobody's neighbours.
    if (!is_known(at)) key.push_back(++unknown_);
    Points &p = points_[key];
    if (p.seen.empty()) {
        p.computation.operations = group.operations;
        p.of = of;
        p.computation.kept_share = kept_share;
        p.computation.loaded = group.loaded;
        p.computation.depends_on.assign(num_loops_, false);
        for (const ComposedIndex &i : at) {
            std::vector<float> &row = p.computation.coefficient.emplace_back();
            for (size_t l = 0; l < num_loops_; l++) {
                if (i.depends_on[l]) p.computation.depends_on[l] = true;
                row.push_back(static_cast<float>(i.step[l].value()));
            }
        }
    }
    p.computation.of_predicate |= of_predicate;
    keep_more(p.computation.kept_share, kept_share);
    if (p.seen.insert(std::move(place)).second) p.at.push_back(std::move(at));
}

std::vector<Computation> ComputationCollector::result(
    const std::map<FuncId, std::set<FuncId>> &reads) const {
    std::vector<Computation> out;
    for (const auto &[key, points] : points_) {
        Computation &c = out.emplace_back(points.computation);
        if (points.at.empty()) continue;
        c.count = static_cast<double>(points.at.size());
        c.along = points_along(points.at, num_loops_);
        const auto through = reads.find(points.of);
        if (through == reads.end())
            c.from = {points.of};
        else
            c.from.assign(through->second.begin(), through->second.end());
    }
    return out;
}

}  // namespace cryolite

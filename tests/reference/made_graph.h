// Small graphs made by hand (tests/schedule/graph_fixtures.h), with what those leave out: call
// sites and operations. And a recount of what a segment needs, point by point.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/reuse/segment.h"
#include "tests/schedule/graph_fixtures.h"

namespace cryolite::testing {

// Every stage gets `operations` additions per point, or what `by_name` says of its Func. Every edge
// gets as many call sites as one point of the reader needs points, one where that is all of the
// producer.
inline StageGraph with_work(const StageGraph &g, double operations,
                            const std::map<std::string, double> &by_name = {}) {
    std::vector<Func> funcs(g.funcs().begin(), g.funcs().end());
    std::vector<Stage> stages(g.stages().begin(), g.stages().end());
    std::vector<Edge> edges(g.edges().begin(), g.edges().end());
    for (Stage &s : stages) {
        const auto named = by_name.find(g.func(s.func).name);
        s.ops.at(OpKind::Add, TypeClass::Float32) =
            named == by_name.end() ? operations : named->second;
    }
    for (Edge &e : edges) {
        const Stage &reader = g.stage(e.consumer);
        Intervals loops(reader.loops.size());
        g.loop_ranges(reader, g.func(reader.func).root_region, loops);
        for (Interval &l : loops) l = Interval::point(l.min + (l.extent() - 1) / 2);
        Box box(e.region.dims.size());
        e.region.evaluate(loops, box);
        double n = 1;
        for (const Interval &side : box) {
            n *= RegionExpression::is_unbounded(side.max) ? 1 : static_cast<double>(side.extent());
        }
        Access access;
        access.index.resize(box.size());
        access.count = n;
        e.accesses = {access};
    }
    return StageGraph(std::move(funcs), std::move(stages), std::move(edges), g.algorithm_hash());
}

inline FuncId find(const StageGraph &g, const std::string &name) {
    const FuncId id = g.find(name);
    if (!id.valid()) throw std::runtime_error("no Func " + name);
    return id;
}

// Everything between the one output and the inputs in one segment.
inline reuse::Segment whole(const StageGraph &g) {
    const std::vector<reuse::Segment> all = reuse::segments_between(g, {});
    if (all.size() != 1) throw std::runtime_error("not one segment");
    return all[0];
}

using Point = std::vector<int64_t>;

// Which points of every Func are needed, one by one, for some points of a stage's loops. Pure Funcs
// only.
inline std::map<FuncId, std::set<Point>> points_needed(const StageGraph &g, StageId stage,
                                                       const Intervals &loops) {
    std::map<FuncId, std::set<Point>> needed;
    const auto each = [](const Intervals &box, const auto &visit) {
        for (const Interval &i : box) {
            if (i.empty()) return;
        }
        Point at;
        for (const Interval &i : box) at.push_back(i.min);
        for (;;) {
            visit(at);
            size_t d = 0;
            while (d < at.size() && ++at[d] > box[d].max) {
                at[d] = box[d].min;
                d++;
            }
            if (d == at.size()) return;
        }
    };
    const auto read = [&](StageId s, const Point &at) {
        Intervals one;
        for (int64_t v : at) one.push_back(Interval::point(v));
        for (EdgeId id : g.stage(s).incoming) {
            const Edge &e = g.edge(id);
            Box box(e.region.dims.size());
            e.region.evaluate(one, box);
            each(box, [&](const Point &p) { needed[e.producer].insert(p); });
        }
    };
    each(loops, [&](const Point &p) { read(stage, p); });
    for (const Func &f : g.funcs()) {
        if (f.is_input() || f.id == g.stage(stage).func) continue;
        const std::set<Point> mine = needed[f.id];
        for (const Point &p : mine) read(f.stages[0], p);
    }
    return needed;
}

}  // namespace cryolite::testing

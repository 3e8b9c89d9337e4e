#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "code/stage/expanded_stage.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/expansion.h"
#include "tests/oracle/findings.h"

namespace cryolite::oracle {

namespace {

// So many iterations of a loop in a row: a few, and more than most loads are apart.
constexpr int rows_of_iterations[] = {2, 3, 8};

// LoadGroup::along, summed over the groups of a Func: how many different loads some iterations in a row make together.
void check_sharing(const ExpandedStage &said, const Expansion &counted, const Stage &stage,
                   const std::string &where, Findings &findings) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        for (int iterations : rows_of_iterations) {
            std::map<FuncId, double> said_along, counted_along;
            for (const LoadGroup &g : said.loads)
                if (g.depends_on[l])
                    said_along[g.producer] += g.along[l].reached(g.count, iterations);
            std::set<std::tuple<FuncId, int, Place>> reached;
            for (const ExpandedLoad &load : counted.loads)
                for (int i = 0; load.moves[l] && i < iterations; i++)
                    if (reached.insert(load.after(l, i)).second) counted_along[load.func]++;
            for (FuncId f : said.reads)
                findings.expect(said_along[f] == counted_along[f],
                                where + " distinct in " + std::to_string(iterations) +
                                    " iterations of " + stage.loops[l].name,
                                said_along[f], counted_along[f]);
        }
}

// Computation::count and along, summed over all computations: additions per point, and different ones of some
// iterations in a row.
void check_computations(const ExpandedStage &said, const Expansion &counted, const Stage &stage,
                        const std::string &where, Findings &findings) {
    const auto additions = [](const OpHistogram &ops) {
        return ops.at(OpKind::Add, TypeClass::Float32) + ops.at(OpKind::Multiply, TypeClass::Int16);
    };
    const auto said_sum = [&](const auto &times) {
        double sum = 0;
        for (const Computation &c : said.computations)
            for (const OperationCount &o : c.operations) sum += times(c) * o.count;
        return sum;
    };
    double all = 0;
    for (const ExpandedComputation &c : counted.computations) all += additions(c.ops);
    const double said_all = said_sum([](const Computation &c) { return c.count; });
    findings.expect(said_all == all, where + " distinct operations", said_all, all);
    for (size_t l = 0; l < stage.loops.size(); l++) {
        double moving = 0;
        for (const ExpandedComputation &c : counted.computations)
            if (c.of.moves[l]) moving += additions(c.ops);
        const double said_moving =
            said_sum([&](const Computation &c) { return c.depends_on[l] ? c.count : 0; });
        findings.expect(said_moving == moving,
                        where + " operations that move along " + stage.loops[l].name, said_moving,
                        moving);
        for (int iterations : rows_of_iterations) {
            double along = 0;
            std::set<std::tuple<FuncId, int, Place>> reached;
            for (const ExpandedComputation &c : counted.computations)
                for (int i = 0; c.of.moves[l] && i < iterations; i++)
                    if (reached.insert(c.of.after(l, i)).second) along += additions(c.ops);
            const double said_along = said_sum([&](const Computation &c) {
                return c.depends_on[l] ? c.along[l].reached(c.count, iterations) : 0;
            });
            findings.expect(said_along == along,
                            where + " distinct operations in " + std::to_string(iterations) +
                                " iterations of " + stage.loops[l].name,
                            said_along, along);
        }
    }
}

}  // namespace

std::string check_expansion(const Subject &subject) {
    Findings findings;
    const StageGraph &graph = subject.graph();
    StageExpander expander(graph);
    for (const Stage &s : graph.stages()) {
        if (subject.nest.at(s.func).placement == Placement::Inline) continue;
        const ExpandedStage &said = expander.expand(subject.nest, s.id);
        if (said.too_large) continue;
        const Expansion counted = expand(subject.nest, s.id);
        const std::string where = describe(graph, s.id);
        findings.expect(said.ops.count == counted.ops.count, where + " operations",
                        said.ops.total(), counted.ops.total());
        findings.expect(said.inlined_calls == counted.inlined_calls, where + " inlined calls",
                        said.inlined_calls, counted.inlined_calls);
        std::map<FuncId, double> loads_said, loads_counted;
        for (const LoadGroup &g : said.loads) loads_said[g.producer] += g.count;
        for (const ExpandedLoad &l : counted.loads) loads_counted[l.func]++;
        for (FuncId f : said.reads)
            findings.expect(loads_said[f] == loads_counted[f],
                            where + " loads of " + graph.func(f).name, loads_said[f],
                            loads_counted[f]);
        check_sharing(said, counted, s, where, findings);
        check_computations(said, counted, s, where, findings);
        // An expression is evaluated at every point: as many loads are executed, but for those that
        // happen to meet where rounding or a small region makes them.
        const StageCount &run = subject.exact.stages[s.id.index()];
        if (run.scopes.empty()) continue;
        const auto points = static_cast<double>(run.scopes.back().points.sum);
        for (const auto &[f, executed] : run.loads)
            findings.expect(static_cast<double>(executed) <= points * loads_said[f],
                            where + " executed loads of " + graph.func(f).name,
                            points * loads_said[f], executed);
    }
    return findings.text();
}

}  // namespace cryolite::oracle

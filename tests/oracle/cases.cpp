#include "tests/oracle/cases.h"

#include <algorithm>
#include <sstream>

#include "code/legality/validate.h"
#include "code/regions/regions.h"
#include "schedule/trace_text.h"
#include "tests/oracle/checks.h"
#include "tests/oracle/findings.h"
#include "tests/semantics/random_trace.h"

namespace cryolite::oracle {

namespace {

std::string check(const RandomGraph &drawn, const LoopNest &nest) {
    if (const std::string broken = validate(nest); !broken.empty()) return broken + "\n";
    const Subject subject(drawn, nest);
    std::string findings = check_run(subject);
    if (!findings.empty()) return findings;
    findings += check_regions(subject);
    findings += check_expansion(subject);
    findings += check_work(subject);
    findings += check_features(subject);
    return findings;
}

void print_index(std::ostream &out, const IndexMap &map, const Stage &s) {
    if (!map.affine) {
        out << "?";
        return;
    }
    for (size_t l = 0; l < map.coefficient.size(); l++) {
        const Rational &c = map.coefficient[l];
        if (!c.is_zero())
            out << c.numerator << "/" << c.denominator << " " << s.loops[l].name << " + ";
    }
    out << map.offset.numerator << "/" << map.offset.denominator;
}

void print(std::ostream &out, const RandomGraph &drawn) {
    const StageGraph &graph = drawn.graph;
    for (const Func &f : graph.funcs()) {
        out << f.name << " " << f.root_region << " " << f.bytes_per_point() << " bytes"
            << (f.is_output() ? " output" : "") << "\n";
        for (StageId id : f.stages) {
            const Stage &s = graph.stage(id);
            out << "  " << describe(graph, id);
            for (const StageLoop &l : s.loops)
                if (l.is_reduction) out << " " << l.name << Box{l.range};
            out << "\n";
            for (EdgeId e : s.incoming) {
                for (const Access &a : graph.edge(e).accesses) {
                    out << "    " << graph.func(graph.edge(e).producer).name << "." << a.value
                        << "(";
                    for (size_t d = 0; d < a.index.size(); d++) {
                        if (d > 0) out << ", ";
                        print_index(out, a.index[d], s);
                    }
                    out << ")\n";
                }
            }
        }
    }
}

// Whether some Func's region is larger than needed because it is aligned for woven vectors. What is counted here knows
// nothing of that.
bool is_aligned(const LoopNest &nest) {
    return std::ranges::any_of(nest.graph().funcs(), [&](const Func &f) {
        if (f.is_input() || nest.at(f.id).placement == Placement::Inline) return false;
        const FuncNest &placed = nest.at(f.id);
        return placed.compute_region != required_region(nest, f.id, placed.compute_at) ||
               placed.store_region != required_region(nest, f.id, placed.store_at);
    });
}

using Check = std::string (*)(const RandomGraph &, const LoopNest &);

std::string run(uint64_t seed, const char *kind, const RandomTraceLimits &limits, Check check) {
    const Random random(seed);
    const RandomGraph drawn = draw_graph(random);
    RandomTrace trace = draw_random_trace(drawn.graph, random.fork(kind), limits);
    if (is_aligned(trace.nest)) {
        RandomTraceLimits plain = limits;
        plain.woven = false;
        trace = draw_random_trace(drawn.graph, random.fork(kind), plain);
    }
    if (check(drawn, trace.nest).empty()) return "";
    for (size_t i = trace.trace.size(); i-- > 0;) {
        std::vector<bool> keep(trace.trace.size(), true);
        keep[i] = false;
        RandomTrace fewer = keep_actions(drawn.graph, trace.trace, keep);
        if (fewer.trace.size() >= trace.trace.size()) continue;
        if (fewer.nest.complete() && !check(drawn, fewer.nest).empty()) trace = std::move(fewer);
    }
    std::ostringstream text;
    text << "seed " << seed << ", " << kind << "\n" << check(drawn, trace.nest);
    print(text, drawn);
    text << to_text(drawn.graph, trace.trace) << "\n";
    return text.str();
}

std::string check_kernels(const RandomGraph &drawn, const LoopNest &nest) {
    if (const std::string broken = validate(nest); !broken.empty()) return broken + "\n";
    return check_mapping(drawn, nest);
}

RandomTraceLimits small() {
    RandomTraceLimits limits;
    limits.most_points = 12000;
    limits.most_inlined_copies = 20;
    return limits;
}

}  // namespace

std::string run_case(uint64_t seed) { return run(seed, "trace", small(), check); }

std::string run_kernel_case(uint64_t seed) {
    RandomTraceLimits limits = small();
    limits.gpu = LaunchLimits{};
    return run(seed, "kernels", limits, check_kernels);
}

}  // namespace cryolite::oracle

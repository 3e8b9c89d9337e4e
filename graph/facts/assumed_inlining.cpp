#include "graph/facts/assumed_inlining.h"

#include <algorithm>
#include <cmath>

namespace cryolite {
namespace {

// Whether a row of the copy has every second point of its source's, or fewer. A vector of them is gathered.
bool skips_points(const IndexMap &index, size_t loop) {
    return index.affine && std::abs(index.coefficient[loop].value()) > 1;
}

// Whether rows of the Func are rows of what it reads. Inlining it then keeps dense loads dense.
bool keeps_rows(const StageGraph &graph, const Func &func, const Stage &stage) {
    if (func.storage_order.empty()) return true;
    const size_t row = static_cast<size_t>(row_dim(func));
    for (EdgeId e : stage.incoming) {
        const Func &producer = graph.func(graph.edge(e).producer);
        if (producer.storage_order.empty()) continue;
        for (const Access &a : graph.edge(e).accesses)
            for (size_t d = 0; d < a.index.size(); d++)
                for (size_t l = 0; l < stage.loops.size(); l++)
                    if (stage.loops[l].func_dim == static_cast<int>(row) &&
                        a.index[d].depends_on[l] &&
                        (static_cast<int>(d) != row_dim(producer) || skips_points(a.index[d], l)))
                        return false;
    }
    return true;
}

// Beyond so many operations a body may keep more values than there are registers.
constexpr double most_joined_operations = 200;

// Whether the access is at the reader's own point.
bool is_at_own_point(const Access &a, const Stage &reader) {
    if (a.index.size() != reader.loops.size()) return false;
    for (const StageLoop &loop : reader.loops) {
        const auto l = static_cast<size_t>(&loop - reader.loops.data());
        if (loop.func_dim < 0 || !is_loop(a.index[static_cast<size_t>(loop.func_dim)], l))
            return false;
    }
    return true;
}

int bytes_per_value(const Func &func) {
    int most = 0;
    for (const ScalarType &v : func.values) most = std::max(most, v.bytes());
    return most;
}

// The Func that reads this one as is_pointwise_link says, whatever the operations. Null if there is none.
const Func *only_reader(const StageGraph &graph, const Func &func) {
    if (!func.can_inline || func.root_only || func.outgoing.size() != 1) return nullptr;
    const Edge &edge = graph.edge(func.outgoing[0]);
    const Stage &stage = graph.stage(edge.consumer);
    const Func &reader = graph.func(stage.func);
    if (reader.is_output() || reader.is_extern || reader.stages.size() != 1 ||
        edge.accesses.empty() || bytes_per_value(reader) > bytes_per_value(func))
        return nullptr;
    for (const Access &a : edge.accesses)
        if (!is_at_own_point(a, stage)) return nullptr;
    return &reader;
}

// How often the stage's body runs, if `points` of its Func are computed.
double runs(const Func &func, const Stage &stage, double points_of_func) {
    double in_all = 1, pure = 1;
    for (const StageLoop &l : stage.loops) {
        const Interval &range =
            l.is_reduction ? l.range : func.root_region[static_cast<size_t>(l.func_dim)];
        in_all *= static_cast<double>(std::max<int64_t>(1, range.extent()));
        if (!l.is_reduction) pure *= static_cast<double>(std::max<int64_t>(1, range.extent()));
    }
    // A stage that does not walk all dimensions runs less often than there are points: at most `pure` times.
    return in_all / pure * std::min(pure, points_of_func);
}

}  // namespace

bool is_free_to_inline(const StageGraph &graph, const Func &func) {
    if (!func.can_inline || !func.is_trivial) return false;
    const Stage &stage = graph.stage(func.stages[0]);
    if (!keeps_rows(graph, func, stage)) return false;
    if (stage.ops.total() == 0 && stage.incoming.size() == 1 &&
        graph.func(graph.edge(stage.incoming[0]).producer).is_input()) {
        return true;
    }
    double calls = 0;
    for (EdgeId e : func.outgoing)
        for (const Access &a : graph.edge(e).accesses) calls += a.count;
    return calls <= 1;
}

bool is_pointwise_link(const StageGraph &graph, const Func &func) {
    double operations = 0;
    const Func *reader = only_reader(graph, func);
    if (!reader) return false;
    operations += graph.stage(func.stages[0]).ops.total();
    for (const Func *f = reader; f; f = only_reader(graph, *f)) {
        operations += graph.stage(f->stages[0]).ops.total();
        if (operations > most_joined_operations) return false;
    }
    return true;
}

std::vector<double> points_asked_for(const StageGraph &graph) {
    std::vector<double> asked(graph.funcs().size(), 0);
    // Funcs are ordered readers first.
    for (const Func &func : graph.funcs()) {
        const double all = points(func.root_region);
        double &of_func = asked[func.id.index()];
        of_func = func.is_output() ? all : std::min(all, of_func);
        for (StageId s : func.stages) {
            const Stage &stage = graph.stage(s);
            const double times = runs(func, stage, of_func);
            for (EdgeId e : stage.incoming) {
                const Edge &edge = graph.edge(e);
                if (edge.is_self) continue;
                // Extern stages and bounds of reductions read without calls.
                double calls = edge.accesses.empty() ? HUGE_VAL : 0;
                for (const Access &a : edge.accesses) calls += a.count;
                asked[edge.producer.index()] += times * calls;
            }
        }
    }
    return asked;
}

std::vector<bool> assumed_inlined(const StageGraph &graph) {
    const std::vector<double> asked = points_asked_for(graph);
    std::vector<bool> inlined(graph.funcs().size(), false);
    for (const Func &func : graph.funcs())
        inlined[func.id.index()] =
            func.can_inline && !func.root_only && !func.is_input() &&
            (func.inline_only || is_free_to_inline(graph, func) || is_pointwise_link(graph, func) ||
             asked[func.id.index()] < points(func.root_region));
    return inlined;
}

}  // namespace cryolite

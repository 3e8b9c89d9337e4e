#include "search/reads/transposed_reads.h"

#include <map>
#include <set>
#include <utility>

#include "search/reads/index_walks.h"

namespace cryolite {
namespace {

// The dimension along which `loop` moves an access point by point, if no other dimension moves and that one is
// not the innermost in memory.
std::optional<int> dim_walked_across_rows(const Func &producer, const Access &access, size_t loop) {
    std::optional<int> across;
    for (size_t d = 0; d < access.index.size(); d++) {
        if (!moves(access.index[d], loop)) continue;
        if (across || !moves_by_one(access.index[d], loop)) return std::nullopt;
        across = static_cast<int>(d);
    }
    return across && *across != row_dim(producer) ? across : std::nullopt;
}

// The loop of a stage that its vectors walk along: the vector loop if one is decided, else along its rows.
std::optional<size_t> vector_loop(const LoopNest &nest, const Stage &stage) {
    const StageNest &loops = nest.stage_nest(stage.id);
    if (!loops.loops.empty() && loops.loops.back().kind == LoopKind::Vectorized)
        return static_cast<size_t>(loops.loops.back().name.dim);
    const std::vector<int> &order = nest.storage_order(stage.func);
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (!order.empty() && stage.loops[l].func_dim == order[0]) return l;
    return std::nullopt;
}

// The readers of a Func, looking through inlined ones.
class Readers {
public:
    explicit Readers(const LoopNest &nest) : nest_(nest), graph_(nest.graph()) {}

    // The dimensions of `func` along which the vectors of its readers walk across its rows.
    std::set<int> dims_across_rows(const Func &func) {
        std::set<int> dims;
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph_.edge(e);
            const Stage &stage = graph_.stage(edge.consumer);
            have_predicates_ |= stage.has_predicate;
            for (size_t loop : vector_loops(stage))
                for (const Access &a : edge.accesses)
                    if (const auto dim = dim_walked_across_rows(func, a, loop)) dims.insert(*dim);
        }
        return dims;
    }

    // Whether a reader has a predicate, which may narrow what it reads.
    bool have_predicates() const { return have_predicates_; }

private:
    std::set<size_t> vector_loops(const Stage &stage) {
        const Func &func = graph_.func(stage.func);
        if (nest_.at(func.id).placement != Placement::Inline) {
            const std::optional<size_t> loop = vector_loop(nest_, stage);
            return loop ? std::set<size_t>{*loop} : std::set<size_t>{};
        }
        if (const auto known = of_inlined_.find(func.id); known != of_inlined_.end())
            return known->second;
        std::set<size_t> loops;
        for (EdgeId e : func.outgoing) {
            const Edge &edge = graph_.edge(e);
            const Stage &reader = graph_.stage(edge.consumer);
            have_predicates_ |= reader.has_predicate;
            for (size_t loop : vector_loops(reader))
                for (const Access &a : edge.accesses)
                    for (size_t d = 0; d < a.index.size(); d++)
                        if (const auto own = loop_over(stage, static_cast<int>(d));
                            own && moves_by_one(a.index[d], loop))
                            loops.insert(*own);
        }
        of_inlined_[func.id] = loops;
        return loops;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    std::map<FuncId, std::set<size_t>> of_inlined_;
    bool have_predicates_ = false;
};

// The dimension of the stage's Func whose loop moves the index by one per iteration; -1 for a reduction loop.
std::optional<int> dim_moving(const Stage &stage, const IndexMap &index) {
    for (size_t l = 0; l < stage.loops.size(); l++)
        if (moves_by_one(index, l)) return stage.loops[l].func_dim;
    return std::nullopt;
}

std::optional<TransposedRead> transposed_read(const StageGraph &graph, const Stage &stage,
                                              size_t loop,
                                              std::set<std::pair<StageId, size_t>> &visited) {
    if (stage.has_predicate || !visited.insert({stage.id, loop}).second) return std::nullopt;
    for (EdgeId e : stage.incoming) {
        const Edge &edge = graph.edge(e);
        const Func &producer = graph.func(edge.producer);
        if (edge.is_self || producer.is_input() || !producer.can_inline || !producer.is_trivial)
            continue;
        const Stage &pure = graph.stage(producer.stages[0]);
        const bool is_copy = source_row_dim(graph, producer).has_value();
        for (const Access &a : edge.accesses) {
            if (is_copy && dim_walked_across_rows(producer, a, loop)) {
                const auto rows = static_cast<size_t>(row_dim(producer));
                return TransposedRead{dim_moving(stage, a.index[rows]).value_or(-1)};
            }
            for (size_t d = 0; d < a.index.size(); d++) {
                const auto own = loop_over(pure, static_cast<int>(d));
                if (!own || !moves_by_one(a.index[d], loop)) continue;
                const std::optional<TransposedRead> found =
                    transposed_read(graph, pure, *own, visited);
                if (!found) continue;
                if (found->row_dim < 0) return found;
                const IndexMap &index = a.index[static_cast<size_t>(found->row_dim)];
                return TransposedRead{dim_moving(stage, index).value_or(-1)};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<int> source_row_dim(const StageGraph &graph, const Func &func) {
    if (!func.is_trivial || func.is_input() || func.is_extern || func.stages.size() != 1 ||
        func.storage_order.empty())
        return std::nullopt;
    const Stage &stage = graph.stage(func.stages[0]);
    if (stage.ops.total() > 0 || stage.incoming.size() != 1) return std::nullopt;
    const Edge &edge = graph.edge(stage.incoming[0]);
    if (edge.accesses.size() != 1) return std::nullopt;
    const std::vector<IndexMap> &index = edge.accesses[0].index;
    const Func &source = graph.func(edge.producer);
    std::set<int> walked;
    std::optional<int> rows;
    for (size_t d = 0; d < index.size(); d++)
        for (size_t l = 0; l < stage.loops.size(); l++) {
            if (!moves(index[d], l)) continue;
            const int dim = stage.loops[l].func_dim;
            if (!moves_by_one(index[d], l) || !walked.insert(dim).second) return std::nullopt;
            if (static_cast<int>(d) == row_dim(source)) rows = dim;
        }
    return rows;
}

std::optional<int> dim_read_across_rows(const LoopNest &nest, const Func &func) {
    Readers readers(nest);
    const std::set<int> dims = readers.dims_across_rows(func);
    return dims.size() != 1 || readers.have_predicates() ? std::nullopt
                                                         : std::optional(*dims.begin());
}

std::optional<int> transposed_dim(const LoopNest &nest, FuncId func) {
    const Func &copy = nest.graph().func(func);
    if (!copy.can_inline || copy.root_only || !source_row_dim(nest.graph(), copy))
        return std::nullopt;
    return dim_read_across_rows(nest, copy);
}

std::optional<TransposedRead> transposed_read(const StageGraph &graph, const Func &func) {
    if (func.storage_order.empty() || func.is_extern) return std::nullopt;
    std::set<std::pair<StageId, size_t>> visited;
    for (StageId s : func.stages) {
        const Stage &stage = graph.stage(s);
        const std::optional<size_t> loop = loop_over(stage, row_dim(func));
        if (!loop) continue;
        if (const auto found = transposed_read(graph, stage, *loop, visited)) return found;
    }
    return std::nullopt;
}

}  // namespace cryolite

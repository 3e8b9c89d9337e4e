#include "graph/builder/specialization.h"

namespace cryolite {
namespace {

// 64 combinations of two cases are lowered in a fifth of a second.
constexpr int most_readers = 6;

// Marks all that the Func reads, directly or through others.
void mark_read(FuncId f, const std::vector<Func> &funcs, const std::vector<Stage> &stages,
               const std::vector<Edge> &edges, std::vector<bool> &read) {
    std::vector<FuncId> open{f};
    while (!open.empty()) {
        const FuncId next = open.back();
        open.pop_back();
        for (StageId s : funcs[next.index()].stages)
            for (EdgeId e : stages[s.index()].incoming) {
                const FuncId producer = edges[e.index()].producer;
                if (producer == f || read[producer.index()]) continue;
                read[producer.index()] = true;
                open.push_back(producer);
            }
    }
}

}  // namespace

void limit_specialization(std::vector<Func> &funcs, const std::vector<Stage> &stages,
                          const std::vector<Edge> &edges) {
    std::vector<std::vector<bool>> read_by;  // [output]
    std::vector<size_t> outputs;
    std::vector<int> readers(funcs.size(), 0);
    for (size_t i = 0; i < funcs.size(); i++) {
        // Others have no case of their own anyway: code/stage/split_tails.h.
        const Func &func = funcs[i];
        if (!func.is_output() || func.stages.size() != 1 || !func.outgoing.empty()) continue;
        outputs.push_back(i);
        read_by.emplace_back(funcs.size(), false);
        mark_read(func.id, funcs, stages, edges, read_by.back());
        for (size_t f = 0; f < funcs.size(); f++) readers[f] += read_by.back()[f] ? 1 : 0;
    }
    for (size_t o = 0; o < outputs.size(); o++)
        for (size_t f = 0; f < funcs.size(); f++)
            if (read_by[o][f] && readers[f] > most_readers)
                funcs[outputs[o]].may_specialize = false;
}

}  // namespace cryolite

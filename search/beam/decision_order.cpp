#include "search/beam/decision_order.h"

#include <algorithm>

namespace cryolite {

std::vector<FuncId> decision_order(const StageGraph &graph) {
    std::vector<FuncId> order;
    // ready: how many Funcs were decided when the last reader was; -1 while a reader is undecided.
    std::vector<int> ready(graph.num_scheduled(), -1), readers_left(graph.num_scheduled(), 0);
    std::vector<bool> done(graph.num_scheduled(), false);
    for (size_t i = 0; i < graph.num_scheduled(); i++) {
        std::vector<FuncId> readers;
        for (EdgeId e : graph.func(FuncId(i)).outgoing)
            readers.push_back(graph.func_of(graph.edge(e).consumer).id);
        std::ranges::sort(readers);
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
        readers_left[i] = static_cast<int>(readers.size());
        if (readers.empty()) ready[i] = 0;
    }
    while (order.size() < graph.num_scheduled()) {
        size_t next = graph.num_scheduled();
        for (size_t i = 0; i < graph.num_scheduled(); i++)
            if (!done[i] && ready[i] >= 0 &&
                (next == graph.num_scheduled() || ready[i] > ready[next]))
                next = i;
        done[next] = true;
        order.push_back(FuncId(next));
        std::vector<FuncId> producers;
        for (StageId s : graph.func(FuncId(next)).stages)
            for (EdgeId e : graph.stage(s).incoming)
                if (!graph.edge(e).is_self && !graph.func(graph.edge(e).producer).is_input())
                    producers.push_back(graph.edge(e).producer);
        std::ranges::sort(producers);
        producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
        for (FuncId p : producers)
            if (--readers_left[p.index()] == 0) ready[p.index()] = static_cast<int>(order.size());
    }
    return order;
}

}  // namespace cryolite

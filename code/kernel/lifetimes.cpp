#include "code/kernel/lifetimes.h"

#include <algorithm>

namespace cryolite {
namespace {

// Whether two stages run in the same loop directly below the `depth` outermost ones of the first.
bool run_in_one_loop(const StageCode &a, const StageCode &b, size_t depth) {
    const LoopStack &x = a.stack, &y = b.stack;
    return depth < x.size() && depth < y.size() && x[depth].id == y[depth].id;
}

}  // namespace

std::vector<size_t> order_of(const std::vector<StageCode> &stages) {
    std::vector<size_t> order(stages.size());
    size_t next = 0;
    for (size_t end = stages.size(), begin; end > 0; end = begin) {
        const FuncId f = stages[end - 1].stage->func;
        for (begin = end; begin > 0 && stages[begin - 1].stage->func == f;) begin--;
        for (size_t i = begin; i < end; i++) order[i] = next++;
    }
    return order;
}

FlatMap<FuncId, Lifetime> lifetimes(const KernelCode &code) {
    const std::vector<StageCode> &stages = code.stages();
    const std::vector<size_t> order = order_of(stages);
    // The position of the stage that runs last of those that read the Func.
    FlatMap<FuncId, size_t> last_reader;
    for (size_t i = 0; i < stages.size(); i++)
        for (FuncId f : stages[i].body->reads) {
            if (!code.members().contains(f) || code.members().at(f).store_loop < 0) continue;
            const bool is_new = !last_reader.contains(f);
            size_t &last = last_reader[f];
            if (is_new || order[i] >= order[last]) last = i;
        }
    FlatMap<FuncId, Lifetime> out;
    out.reserve(last_reader.size());
    for (const auto &[f, reader] : last_reader) {
        const Member &m = code.members().at(f);
        const auto own = static_cast<size_t>(
            std::ranges::find(stages, f, [](const StageCode &c) { return c.stage->func; }) -
            stages.begin());
        if (own == stages.size()) continue;
        size_t first = order[own], last = order[reader];
        for (size_t i = 0; i < stages.size(); i++) {
            if (run_in_one_loop(stages[own], stages[i], m.storage_depth))
                first = std::min(first, order[i]);
            if (run_in_one_loop(stages[reader], stages[i], m.storage_depth))
                last = std::max(last, order[i]);
        }
        out[f] = {first, last + 1};
    }
    return out;
}

}  // namespace cryolite

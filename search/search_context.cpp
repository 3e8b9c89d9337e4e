#include "search/search_context.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "base/memory_use.h"
#include "search/beam/decision_order.h"

namespace cryolite {
namespace {

size_t threads_of(const SearchOptions &options) {
    if (options.model) return 1;
    return options.threads > 0 ? static_cast<size_t>(options.threads)
                               : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

SearchContext::SearchContext(const StageGraph &graph_, Hardware hardware_,
                             const SearchOptions &options_, const Effort &effort_, const Log &log_,
                             const CompileBudget &budget)
    : graph(graph_),
      hardware(hardware_),
      options(options_),
      effort(effort_),
      log(log_),
      time(options),
      memory(options.memory_limit_bytes, resident_bytes()),
      workers(threads_of(options),
              [this, budget] {
                  return std::make_unique<Expander>(graph, hardware, options,
                                                    memory.memo_bytes(threads_of(options)), budget);
              }),
      order(decision_order(graph)),
      twins(graph) {}

bool SearchContext::passed(const Deadline &deadline) {
    if (!deadline.passed()) return false;
    statistics.hit_time_limit = true;
    return true;
}

void SearchContext::forget_memos_near_limit() {
    if (!memory.is_near_limit(resident_bytes())) return;
    workers.forget_memos();
    return_free_memory();
    memory.note_memos_forgotten(resident_bytes());
    statistics.hit_memory_limit = true;
}

}  // namespace cryolite

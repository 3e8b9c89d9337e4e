#include "analytical/terms.h"

#include <numeric>

namespace cryolite {
namespace {

constexpr auto none = std::nullopt;
using R = Resource;

// A load or store is named after the level that serves it: L2's loads miss L1 and hit L2.
constexpr std::array<TermInfo, num_terms> table{{
    {"compute", "compute_cost", R::Arithmetic, R::Arithmetic,
     "arithmetic: each operation at its throughput, or fetching the code where it is longer than "
     "the cache of decoded instructions, or a predicate's tests where these take longer; in a tile "
     "kernel that of the tensor cores, or of the copies to them where these take longer"},
    {"dependence", "compute_cost", R::Latency, none,
     "waiting for the result before, in a sum or a scan"},
    {"loop_overhead", "compute_cost", R::Control, none,
     "iterations and entries of loops, and what precedes them"},
    {"l1_loads", "load_cost", R::L1, R::L1,
     "loads that L1 serves, with shuffles, strides and gathers; on a GPU the lines and sectors "
     "that it looks up, of a tile kernel's operands only where they are gathered"},
    {"l1_stores", "store_cost", R::L1, none, "stores to L1"},
    {"shared_loads", "load_cost", none, R::L1,
     "transactions of shared memory, bank conflicts included"},
    {"shared_stores", "store_cost", none, R::L1,
     "transactions that store to shared memory, bank conflicts included"},
    {"register_spills", "cost_of_working_set", R::L1, R::L1,
     "values that do not fit in the registers: sums of vectors, or what a thread keeps; on a GPU "
     "also "
     "what a thread keeps at indices that are known at run time only"},
    {"l2_loads", "load_cost", R::L2, R::L2, "reads that miss L1"},
    {"l2_stores", "store_cost", R::L2, R::L2,
     "writes that leave L1, and on a CPU lines that are read to be written"},
    {"last_level_loads", "load_cost", R::LastLevel, none, "reads that miss L2"},
    {"last_level_stores", "store_cost", R::LastLevel, none,
     "writes that leave L2, and lines that are read to be written"},
    {"memory_loads", "load_cost", R::Memory, R::Memory, "reads that miss all caches"},
    {"memory_stores", "store_cost", R::Memory, R::Memory,
     "writes that leave all caches, and on a CPU lines that are read to be written"},
    {"load_latency", "load_cost", none, R::Latency,
     "waiting for loads, where too few warps are resident to hide it; in a tile kernel for the "
     "chunks that are on their way"},
    {"allocations", "cost_of_malloc", R::Added, none,
     "heap allocations and their release; fresh pages of blocks that only the ends of loops need"},
    {"page_faults", "cost_of_malloc", R::Added, none,
     "first touches of an allocation's fresh pages"},
    {"launches", "cost_of_parallel_launches", R::Added, R::Added,
     "starting and joining parallel loops, or starting kernels"},
    {"tasks", "cost_of_parallel_tasks", R::Added, R::Dispatch,
     "handing out the tasks of parallel loops, or starting blocks"},
    {"host_stages", "compute_cost", none, R::Added,
     "a stage that stays on the host, with all its terms"},
    {"copies", "load_cost", none, R::Added,
     "between host and device, of what one computes and the other reads"},
}};

}  // namespace

const std::array<TermInfo, num_terms> &term_table() { return table; }

double sum(const Terms &terms) { return std::accumulate(terms.begin(), terms.end(), 0.0); }

const char *name(Resource resource) {
    switch (resource) {
        case R::Arithmetic: return "arithmetic";
        case R::L1: return "l1";
        case R::Latency: return "latency";
        case R::Control: return "control";
        case R::L2: return "l2";
        case R::LastLevel: return "last_level";
        case R::Dispatch: return "dispatch";
        case R::Memory: return "memory";
        case R::Added:
        case R::Count: break;
    }
    return "added";
}

}  // namespace cryolite

// Bandwidth of every cache level and of memory, to one core and to all: reading, again and again, a
// buffer that the level holds and the level before does not.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/calibrate/experiment.h"
#include "tools/calibrate/thread_team.h"
#include "tools/calibrate/walk_sizes.h"
#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {
namespace {

constexpr int64_t most_at_a_time = 1 << 20;

// A buffer that is read round and round, a part at a time: a sample of the slowest memory is then no
// longer than it has to be.
class RoundWalk {
public:
    explicit RoundWalk(int64_t bytes)
        : memory_(bytes), part_(std::min(bytes, most_at_a_time)), parts_(bytes / part_) {}

    static int64_t part_bytes(int64_t bytes) { return std::min(bytes, most_at_a_time); }
    void read_part() {
        vector_kernels().read_rows(memory_.begin() + next_ * part_, 1, 0, part_);
        next_ = (next_ + 1) % parts_;
    }
    void read_all() { vector_kernels().read_rows(memory_.begin(), 1, 0, memory_.bytes()); }

private:
    WalkedMemory memory_;
    int64_t part_, parts_, next_ = 0;
};

// Of all threads.
using RoundWalks = std::vector<std::unique_ptr<RoundWalk>>;

Probe one_core(const std::string &name, int64_t bytes, bool in_cache) {
    auto walk = std::make_shared<RoundWalk>(bytes);
    Probe probe{name, static_cast<double>(RoundWalk::part_bytes(bytes)), [walk](int64_t n) {
                    for (int64_t i = 0; i < n; i++) walk->read_part();
                }};
    if (in_cache) probe.prepare = [walk] { walk->read_all(); };
    return probe;
}

Probe all_cores(const std::string &name, int64_t bytes, bool in_cache,
                std::shared_ptr<ThreadTeam> team) {
    auto walks = std::make_shared<RoundWalks>(static_cast<size_t>(team->size()));
    const auto walk_of = [walks](int thread) -> std::unique_ptr<RoundWalk> & {
        return (*walks)[static_cast<size_t>(thread)];
    };
    // Each thread touches its own first, which puts it near to the thread's core.
    team->run([&](int thread) { walk_of(thread) = std::make_unique<RoundWalk>(bytes); });
    Probe probe{name, static_cast<double>(RoundWalk::part_bytes(bytes)) * team->size(),
                [=](int64_t n) {
                    team->run([&](int thread) {
                        for (int64_t i = 0; i < n; i++) walk_of(thread)->read_part();
                    });
                }};
    if (in_cache)
        probe.prepare = [=] { team->run([&](int thread) { walk_of(thread)->read_all(); }); };
    probe.sample_seconds = 3e-3;  // long against the time in which the threads start
    return probe;
}

}  // namespace

Experiment bandwidth_experiment(const Machine &machine) {
    Experiment e;
    auto team = std::make_shared<ThreadTeam>(machine.cores);
    std::vector<std::pair<std::string, std::string>> keys;
    auto add = [&](const std::string &core_key, const std::string &total_key, WalkSizes sizes,
                   bool in_cache) {
        e.probes.push_back(one_core(core_key, sizes.one_core_bytes, in_cache));
        e.probes.push_back(all_cores(total_key, sizes.each_of_all_bytes, in_cache, team));
        keys.emplace_back(core_key, total_key);
    };
    for (size_t i = 0; i < machine.caches.size(); i++) {
        const std::string level = "caches[" + std::to_string(i) + "].";
        add(level + "core_bytes_per_cycle", level + "total_bytes_per_cycle",
            cache_walk_sizes(machine, i), true);
    }
    add("memory_core_bytes_per_cycle", "memory_total_bytes_per_cycle", memory_walk_sizes(machine),
        false);
    e.conclude = [keys](const Findings &found, Conclusions &out) {
        for (const auto &[core, total] : keys) {
            out[core] = found.bytes_per_cycle(core);
            out[total] = found.bytes_per_cycle(total);
            // Together never less than one alone, whatever disturbed them.
            if (out[total].value < out[core].value) out[total].value = out[core].value;
        }
    };
    return e;
}

}  // namespace cryolite::calibrate

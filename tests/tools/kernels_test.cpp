// The kernels that this processor runs: all that the table of fields promises is measured, and they
// end without touching what is not theirs. Their times are nobody's promise.
#include "tools/calibrate/kernels.h"

#include <csignal>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine/host_traits.h"
#include "machine/machine_fields.h"
#include "machine/presets.h"
#include "tools/calibrate/experiment.h"
#include "tools/calibrate/walk_sizes.h"
#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {
namespace {

TEST(Kernels, of_a_set_have_names_of_their_own_and_end) {
    WalkedMemory scratch(scratch_bytes);
    for (const KernelSet *set : {&scalar_kernels(), &vector_kernels()}) {
        std::set<std::string> names;
        for (int i = 0; i < set->kernel_count; i++) {
            const Kernel &k = set->kernels[i];
            EXPECT_TRUE(names.insert(k.name).second) << k.name;
            EXPECT_GT(k.operations, 0) << k.name;
            k.run(3, scratch.begin());
        }
    }
}

TEST(Kernels, are_as_wide_as_the_target_host) {
    EXPECT_EQ(vector_kernels().vector_bytes, host_traits().natural_vector_bytes);
}

// Pages that are forbidden until they are touched. The handler of the fault notes the page and allows it.
class WatchedPages {
public:
    explicit WatchedPages(size_t count) : touched_(count, false) {
        const size_t bytes = count * page_bytes();
        void *mapped = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<char *>(mapped);
        watched = this;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, &segv_before_);
        sigaction(SIGBUS, &action, &bus_before_);
    }
    ~WatchedPages() {
        sigaction(SIGSEGV, &segv_before_, nullptr);
        sigaction(SIGBUS, &bus_before_, nullptr);
        watched = nullptr;
        munmap(begin_, touched_.size() * page_bytes());
    }
    WatchedPages(const WatchedPages &) = delete;
    WatchedPages &operator=(const WatchedPages &) = delete;

    static size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
    const char *begin() const { return begin_; }
    const std::vector<char> &touched() const { return touched_; }

private:
    static void on_fault(int, siginfo_t *info, void *) {
        const char *at = static_cast<const char *>(info->si_addr);
        const size_t page = static_cast<size_t>(at - watched->begin_) / page_bytes();
        if (at < watched->begin_ || page >= watched->touched_.size()) _exit(1);
        watched->touched_[page] = true;
        mprotect(watched->begin_ + page * page_bytes(), page_bytes(), PROT_READ);
    }

    inline static WatchedPages *watched = nullptr;
    std::vector<char> touched_;
    char *begin_;
    struct sigaction segv_before_, bus_before_;
};

// Rows begin or end at a page's edge, or one line beyond it: a line too few or too many is another page.
TEST(Kernels, read_rows_from_the_first_line_to_the_last_and_no_further) {
    constexpr size_t line = 64, rows = 3, pages_per_row = 4;
    const size_t page = WatchedPages::page_bytes();
    for (const auto read : {vector_kernels().read_rows, vector_kernels().read_streams})
        for (size_t lines : {1, 2, 3, 4, 5, 7, 96}) {
            const size_t bytes = lines * line, edge = (bytes / page + 1) * page;
            ASSERT_LE(edge + line, (pages_per_row - 1) * page);
            for (size_t offset : {size_t{0}, page - line, edge - bytes, edge - bytes + line}) {
                WatchedPages memory(1 + rows * pages_per_row);
                std::vector<char> expected(1 + rows * pages_per_row, false);
                const size_t first = page + offset, distance = pages_per_row * page;
                for (size_t r = 0; r < rows; r++)
                    for (size_t b = first + r * distance; b < first + r * distance + bytes;
                         b += line)
                        expected[b / page] = true;
                read(memory.begin() + first, rows, distance, bytes);
                EXPECT_EQ(memory.touched(), expected) << lines << " lines at " << offset;
            }
        }
}

// What the table of fields says is measured, some experiment concludes, and nothing else.
TEST(Experiments, conclude_every_field_that_is_said_to_be_measured) {
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 2;
    std::set<std::string> expected;
    for (const FieldValue &v : values_of(machine))
        if (!v.text->measured.empty() && !v.text->measured.starts_with("asked of"))
            expected.insert(v.key);
    expected.erase("scalar.shuffle");  // there is no such thing

    std::set<std::string> concluded;
    for (const Experiment &e : {clock_experiment(), arithmetic_experiment(), loop_experiment(),
                                bandwidth_experiment(machine), stream_experiment(machine),
                                parallel_experiment(machine), allocation_experiment(machine)}) {
        // Later probes slower than earlier ones, so that every difference is positive.
        std::map<std::string, Estimate> seconds{{clock_probe, {1e-9, 1e-12}}};
        double t = 1e-6;
        for (const Probe &p : e.probes)
            seconds.insert({p.name, {t *= p.name == "loop unrolled" ? 0.1 : 1.2, 1e-12}});
        Conclusions out;
        e.conclude(Findings(seconds), out);
        for (const auto &[key, estimate] : out) {
            EXPECT_TRUE(concluded.insert(key).second) << key << " is concluded twice";
            EXPECT_GE(estimate.value, 0) << key;
        }
    }
    EXPECT_EQ(concluded, expected);
}

TEST(Experiments, turn_seconds_into_the_units_of_the_fields) {
    const auto conclude = [](const Experiment &e, std::map<std::string, double> seconds) {
        std::map<std::string, Estimate> found{{clock_probe, {0.25e-9, 0}}};
        for (const Probe &p : e.probes) found.insert({p.name, {1e-9, 0}});
        for (const auto &[name, s] : seconds) found[name] = {s, 0};
        Conclusions out;
        e.conclude(Findings(found), out);
        return out;
    };
    EXPECT_DOUBLE_EQ(conclude(clock_experiment(), {}).at("hertz").value, 4e9);
    EXPECT_DOUBLE_EQ(
        conclude(arithmetic_experiment(), {{"vector.cast", 0.5e-9}}).at("vector.cast").value, 2);
    // Rolled 0.8 and unrolled 0.1 cycles: 0.8 = body + overhead, 0.1 = body + overhead / 8.
    EXPECT_DOUBLE_EQ(
        conclude(loop_experiment(), {{"loop rolled", 0.2e-9}, {"loop unrolled", 0.025e-9}})
            .at("loop_iteration_cycles")
            .value,
        0.8);
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 4;
    // 0.05 ns a byte at 0.25 ns a cycle.
    EXPECT_DOUBLE_EQ(
        conclude(bandwidth_experiment(machine), {{"memory_core_bytes_per_cycle", 0.05e-9}})
            .at("memory_core_bytes_per_cycle")
            .value,
        5);
    // part 50 us, loop 3 us, task 0.5 us.
    const Conclusions parallel =
        conclude(parallel_experiment(machine), {{"parallel part", 50e-6},
                                                {"parallel few", 53.5e-6},
                                                {"parallel many", 50e-6 + 3e-6 + 64 * 0.5e-6}});
    EXPECT_NEAR(parallel.at("parallel_task_seconds").value, 0.5e-6, 1e-12);
    EXPECT_NEAR(parallel.at("parallel_loop_seconds").value, 3e-6, 1e-12);
    // A line of a long row takes 2 ns; a run of one line 10 ns, of two 14 ns, and of 48 200 ns.
    const Conclusions streams =
        conclude(stream_experiment(machine), {{"memory run 96", 96 * 2e-9},
                                              {"memory run 1", 10e-9},
                                              {"memory run 2", 14e-9},
                                              {"memory run 8", 16e-9},
                                              {"memory run 16", 32e-9},
                                              {"memory run 32", 64e-9},
                                              {"memory run 48", 200e-9},
                                              {"memory streams 1", 2e-9},
                                              {"memory streams 12", 0.5e-9},
                                              {"memory streams 16", 0.6e-9},
                                              {"memory streams 20", 0.9e-9}});
    EXPECT_DOUBLE_EQ(streams.at("memory_stream_start_lines").value, (4 + 5) / 2.0);
    EXPECT_DOUBLE_EQ(streams.at("memory_stream_start_lines_max").value, 100 - 48);
    EXPECT_EQ(streams.at("followed_streams").value, 16);
}

TEST(Experiments, leave_out_what_a_disturbance_has_turned_around) {
    Machine machine = *machine_preset("x86-avx512");
    machine.cores = 2;
    Conclusions out;
    parallel_experiment(machine).conclude(Findings({{clock_probe, {1e-9, 0}},
                                                    {"parallel part", {60e-6, 0}},
                                                    {"parallel few", {55e-6, 0}},
                                                    {"parallel many", {50e-6, 0}}}),
                                          out);
    EXPECT_TRUE(out.empty());
    // One core did the work of both.
    parallel_experiment(machine).conclude(Findings({{clock_probe, {1e-9, 0}},
                                                    {"parallel part", {50e-6, 0}},
                                                    {"parallel few", {101e-6, 0}},
                                                    {"parallel many", {110e-6, 0}}}),
                                          out);
    EXPECT_TRUE(out.empty());
}

TEST(WalkSizes, leave_the_level_before_and_stay_in_theirs) {
    for (const MachinePreset &p : machine_presets()) {
        const Machine &m = p.machine;
        for (size_t level = 0; level < m.caches.size(); level++) {
            const WalkSizes s = cache_walk_sizes(m, level);
            EXPECT_LT(s.one_core_bytes, m.caches[level].size_bytes) << p.name << level;
            EXPECT_GE(s.one_core_bytes, s.each_of_all_bytes);
            EXPECT_EQ(s.one_core_bytes % 4096, 0);
            if (level == 0) continue;
            EXPECT_GT(s.one_core_bytes, m.caches[level - 1].size_bytes) << p.name << level;
            EXPECT_GT(s.each_of_all_bytes,
                      m.caches[level - 1].size_bytes / m.caches[level - 1].cores_sharing);
        }
    }
}

}  // namespace
}  // namespace cryolite::calibrate

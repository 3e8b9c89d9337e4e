#include "featurize/rows/gpu_features.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "featurize/gpu/counts.h"
#include "featurize/thesis/equations.h"

namespace cryolite {
namespace {

// The table lists the features of each memory in the same order.
constexpr size_t features_per_memory = index(Feature::shared_bytes_read_per_realisation) -
                                       index(Feature::global_bytes_read_per_realisation);
static_assert(index(Feature::register_innermost_bytes_at_task) ==
              index(Feature::global_innermost_bytes_at_task) + 2 * features_per_memory);

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

class Filler {
public:
    Filler(const GpuMapping &mapping, const GpuOccupancy &occupancy, std::span<double> row)
        : mapping_(mapping), occupancy_(occupancy), row_(row), counts_(gpu_counts(mapping)) {}

    void run() {
        add_shape();
        add_occupancy();
        add_footprints();
        add_transactions();
        add_group();
    }

private:
    double &at(Feature f) { return row_[index(f)]; }
    // global: a feature of global memory. Returns the same feature of `memory`.
    double &at(Feature global, GpuMemory memory) {
        return row_[index(global) + static_cast<size_t>(memory) * features_per_memory];
    }

    double launches() const {
        double n = 1;
        for (int64_t extent : mapping_.host_loops) n *= static_cast<double>(extent);
        return n;
    }

    // Blocks run in waves. The last wave has the rest of the blocks.
    double idle_in_last_wave(double blocks) const {
        const double all = std::max(1.0, occupancy_.multiprocessors);
        const double wave = all * std::max(1.0, occupancy_.active_blocks);
        const double last = blocks - wave * (std::ceil(blocks / wave) - 1);
        return 1 - std::min(last, all) / all;
    }

    void add_shape() {
        const double blocks = counts_.blocks, per_thread = counts_.points_per_thread;
        const double threads = counts_.threads, lanes = warp_lanes * counts_.active_warps;
        at(Feature::num_scalars) = launches() * blocks * threads * per_thread;
        at(Feature::points_computed_per_thread) = per_thread;
        at(Feature::num_blocks) = blocks;
        at(Feature::idle_multiprocessor_share) = idle_in_last_wave(blocks);
        at(Feature::num_warps_per_block) = counts_.warps;
        at(Feature::num_active_warps_per_block) = counts_.active_warps;
        at(Feature::num_threads_per_block) = threads;
        at(Feature::warp_lane_utilization) = ratio(threads, lanes);
        at(Feature::idle_lane_wastage) = ratio(lanes - threads, occupancy_.thread_limit);
        at(Feature::block_occupancy) = ratio(threads, occupancy_.thread_limit);
        at(Feature::working_set_at_thread) = mapping_.thread_bytes;
    }

    void add_occupancy() {
        const GpuOccupancy &o = occupancy_;
        at(Feature::shared_mem_occupancy) =
            ratio(mapping_.block_shared_bytes, o.shared_limit_bytes);
        at(Feature::shared_mem_block_limit_factor) =
            std::min(1.0, ratio(o.active_blocks_by_shared, o.block_limit));
        at(Feature::max_warp_occupancy) = ratio(o.active_warps, o.warp_limit);
        at(Feature::max_block_occupancy) = ratio(o.active_blocks, o.block_limit);
    }

    // Flags of the loops whose role belongs to a level. The loops on the host come first and never do.
    template <typename Inside>
    std::vector<bool> loops_where(Inside inside) const {
        std::vector<bool> set(mapping_.host_loops.size(), false);
        for (const GpuLoop &l : mapping_.loops) set.push_back(inside(l.role));
        return set;
    }

    std::vector<bool> loops_of_realisation() const {
        std::vector<bool> set(mapping_.host_loops.size() + mapping_.loops.size(), true);
        for (size_t l = 0; l < mapping_.realisation_depth; l++) set[l] = false;
        return set;
    }

    void add_footprints() {
        using Role = GpuLoopRole;
        const std::vector<bool> levels[] = {
            loops_of_realisation(), loops_where([](Role r) { return r != Role::Block; }),
            loops_where([](Role r) { return r == Role::Serial || r == Role::Unrolled; }),
            loops_where([](Role r) { return r == Role::Unrolled; })};
        for (size_t m = 0; m < num_gpu_memories; m++) {
            const auto memory = static_cast<GpuMemory>(m);
            // In the table, bytes and lines of a level follow each other, and level follows level.
            double *out = &at(Feature::global_bytes_read_per_realisation, memory);
            for (const std::vector<bool> &level : levels) {
                const bool is_counted = memory == GpuMemory::Global && &level == &levels[1];
                const GpuFootprint f =
                    is_counted ? counts_.read_by_block : union_of_loads(mapping_, memory, level);
                *out++ = f.bytes;
                *out++ = f.lines;
            }
        }
        std::vector<bool> block;
        for (const GpuLoop &l : mapping_.loops) block.push_back(l.role != Role::Block);
        for (size_t i = 0; i < mapping_.accesses.size(); i++) {
            const GpuAccess &a = mapping_.accesses[i];
            if (a.is_store) {
                at(Feature::global_bytes_at_task, a.memory) += footprint(mapping_, a, block).bytes;
                double &run = at(Feature::global_innermost_bytes_at_task, a.memory);
                run = std::max(run, contiguous_bytes(mapping_, a, block));
            } else if (is_first_read(i)) {
                at(Feature::global_allocation_bytes_read, a.memory) += a.allocation_bytes;
            }
        }
    }

    bool is_first_read(size_t i) const {
        for (size_t j = 0; j < i; j++)
            if (!mapping_.accesses[j].is_store &&
                mapping_.accesses[j].buffer == mapping_.accesses[i].buffer)
                return false;
        return true;
    }

    void add_transactions() {
        const auto put_global = [&](const WarpTraffic &t, Feature sectors, Feature lines,
                                    Feature efficiency) {
            at(sectors) = t.sectors;
            at(lines) = t.lines;
            at(efficiency) = t.sectors > 0 ? t.useful_bytes / (t.sectors * sector_bytes) : 1;
        };
        const auto put_shared = [&](const WarpTraffic &t, Feature transactions,
                                    Feature efficiency) {
            const double moved = t.bank_transactions * (shared_banks * bank_bytes);
            at(transactions) = t.bank_transactions;
            at(efficiency) = moved > 0 ? t.useful_bytes / moved : 1;
        };
        constexpr auto global = static_cast<size_t>(GpuMemory::Global);
        constexpr auto shared = static_cast<size_t>(GpuMemory::Shared);
        put_global(counts_.loads[global], Feature::num_global_mem_loads_per_block,
                   Feature::num_global_mem_load_lines_per_block,
                   Feature::global_mem_load_efficiency);
        put_global(counts_.stores[global], Feature::num_global_mem_stores_per_block,
                   Feature::num_global_mem_store_lines_per_block,
                   Feature::global_mem_store_efficiency);
        put_shared(counts_.loads[shared], Feature::num_shared_mem_loads_per_block,
                   Feature::shared_mem_load_efficiency);
        put_shared(counts_.stores[shared], Feature::num_shared_mem_stores_per_block,
                   Feature::shared_mem_store_efficiency);
    }

    double operations_per_point() const {
        double sum = 0;
        for (size_t f = index(Feature::expanded_add_integer);
             f <= index(Feature::expanded_bit_count_float); f++)
            sum += row_[f];
        return sum;
    }

    void add_group() {
        const GpuOccupancy &o = occupancy_;
        const double blocks = launches() * at(Feature::num_blocks);
        const double threads = counts_.threads;
        const double occupancy = ratio(o.active_blocks * counts_.active_warps, o.warp_limit);
        const thesis::TransactionCosts costs;
        const double arithmetic = thesis::arithmetic_cost(
            operations_per_point() * at(Feature::num_scalars), occupancy, threads);
        const double memory =
            blocks * (costs.global * at(Feature::num_global_mem_load_lines_per_block) +
                      costs.shared * at(Feature::num_shared_mem_loads_per_block));
        const double all = std::max(1.0, o.multiprocessors);
        at(Feature::stage_occupancy) = occupancy;
        at(Feature::active_multiprocessor_share) = std::min(at(Feature::num_blocks), all) / all;
        at(Feature::group_arithmetic) = arithmetic;
        at(Feature::group_memory) = memory;
        at(Feature::group_cost) = thesis::group_cost(arithmetic, memory, occupancy, threads);
    }

    const GpuMapping &mapping_;
    const GpuOccupancy &occupancy_;
    const std::span<double> row_;
    const GpuCounts counts_;
};

}  // namespace

void gpu_features(const GpuMapping &mapping, const GpuOccupancy &occupancy, std::span<double> row) {
    assert(validate(mapping).empty());
    assert(row.size() == num_features);
    Filler(mapping, occupancy, row).run();
}

}  // namespace cryolite

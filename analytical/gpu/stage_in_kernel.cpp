#include "analytical/gpu/stage_in_kernel.h"

#include <algorithm>
#include <map>

#include "code/stage/inner_loops.h"
#include "code/stage/unrolled_code.h"
#include "featurize/gpu/access.h"
#include "featurize/rows/gpu_features.h"

namespace cryolite::gpu {
namespace {

// By ptxas, without a limit: 40 to 48 for a product in tiles of 4 x 4 with 8 loads, 168 to 255 for convolutions of 32
// sums with 130 loads.
constexpr int base_registers = 24;
constexpr double loads_at_once =
    0.5;  // of a body's loads, those whose values wait in registers together

// Instructions of PTX, counted in the kernels of bench/results/gpu.md. An address moves on once for loads that differ
// in constants. A load whose index is clamped multiplies and adds for itself, and takes a minimum and a maximum for
// each clamped dimension, about half of which its neighbours share.
constexpr double address_instructions = 1.5, clamped_load_instructions = 3,
                 clamp_instructions = 1.5;

// Of a Func at the block level: a few, where its region is affine. Each boundary condition on the way to it takes the
// minimum and the maximum of all bounds so far, and every thread computes them: 300 instructions and more for a chain
// of four stencils with boundary conditions (jacobi); longer ones took no more (heat2d).
constexpr double bounds_instructions = 30, clamped_bounds_instructions = 100;
constexpr int64_t most_boundaries = 3;

// What the loads of a body take beside their transactions.
struct LoadsOfBody {
    double from_memory = 0;         // of all copies, and not from registers
    double index_instructions = 0;  // per point
    bool are_clamped = false;       // some of them
};

LoadsOfBody loads_of_body(const Stage &stage, const ExpandedStage &body, const InnerLoops &in,
                          const LoopNest &nest) {
    const auto in_registers = [&](FuncId f) {
        return !nest.graph().func(f).is_input() && nest.decided(f) &&
               level_of(nest, nest.at(f).compute_at) == KernelLevel::Thread;
    };
    LoadsOfBody out;
    for (const LoadGroup &load : body.loads) {
        if (load.is_self) continue;  // at the place that is stored
        const double loads = repeats_per_body(load, in) * kept_of_copies(stage, load, in);
        const auto clamped =
            std::ssize(load.clamped) - std::ranges::count(load.clamped, Clamp::None);
        out.are_clamped |= clamped > 0;
        out.index_instructions += clamped > 0
                                      ? loads * (clamped_load_instructions +
                                                 static_cast<double>(clamped) * clamp_instructions)
                                      : address_instructions;
        if (!in_registers(load.producer)) out.from_memory += loads;
    }
    out.index_instructions /= in.unroll_product;
    return out;
}

OpHistogram operations_per_point(const Stage &stage, const ExpandedStage &body,
                                 const InnerLoops &in) {
    OpHistogram operations;
    for (const Computation &c : body.computations) {
        const double times =
            repeats_per_body(c, in) * kept_of_copies(stage, c, in) / in.unroll_product;
        for (const OperationCount &o : c.operations)
            operations.at(o.kind, o.type) += o.count * times;
    }
    return operations;
}

class Counter {
public:
    Counter(const LoopNest &nest, const GpuDevice &device, const MappedStage &mapped,
            std::span<const double> row)
        : nest_(nest), device_(device), mapped_(mapped), mapping_(mapped.mapping) {
        out_.kernel = mapped.kernel;
        out_.launches = mapped.launches;
        out_.counts = gpu_counts(mapping_);
        if (!row.empty()) std::ranges::copy(row, out_.row.emplace().begin());
    }

    StageInKernel run(StageId id, const ExpandedStage &body) {
        const Stage &stage = nest_.graph().stage(id);
        const InnerLoops in = inner_loops(stage, nest_.stage_nest(id));
        out_.stage = id;
        out_.operations = operations_per_point(stage, body, in);
        out_.code_operations = code_operations(stage, body, in);
        const LoadsOfBody loads = loads_of_body(stage, body, in, nest_);
        out_.index_instructions = loads.index_instructions;
        if (level_of(nest_, nest_.at(stage.func).compute_at) == KernelLevel::Block) {
            out_.productions = mapping_.productions;
            out_.bounds_instructions = bounds_instructions;
            if (loads.are_clamped)
                out_.bounds_instructions +=
                    clamped_bounds_instructions *
                    static_cast<double>(std::min(mapped_.kernel.funcs_in_blocks, most_boundaries));
        }
        add_occupancy(loads.from_memory);
        out_.copies = iterations(mapping_, GpuLoopRole::Unrolled);
        add_memory();
        return std::move(out_);
    }

private:
    void add_occupancy(double loads_of_body) {
        const auto &threads = mapped_.kernel.threads;
        KernelResources resources;
        resources.threads_per_block = static_cast<int>(threads[0] * threads[1] * threads[2]);
        resources.shared_bytes_per_block = mapped_.kernel.shared_bytes;
        out_.registers = base_registers + static_cast<int>(mapping_.register_bytes / 4 +
                                                           loads_at_once * loads_of_body);
        resources.registers_per_thread =
            std::min({out_.registers, device_.register_cap,
                      estimate_registers(device_.limits, resources.threads_per_block,
                                         device_.register_cap)});
        out_.occupancy = occupancy(device_.limits, resources);
        if (out_.row) fill_row(resources);
    }

    void fill_row(const KernelResources &resources) {
        // Features of a CPU mean nothing here.
        for (size_t f = 0; f < num_features; f++)
            if (feature_table()[f].target == FeatureTarget::Cpu) (*out_.row)[f] = 0;
        KernelResources shared_alone;
        shared_alone.shared_bytes_per_block = resources.shared_bytes_per_block;
        GpuOccupancy o;
        o.multiprocessors = device_.sm_count;
        o.thread_limit = device_.limits.threads_per_block;
        o.active_blocks = out_.occupancy.blocks_per_sm;
        o.active_blocks_by_shared = occupancy(device_.limits, shared_alone).blocks_per_sm;
        o.block_limit = device_.limits.blocks_per_multiprocessor;
        o.active_warps = out_.occupancy.warps_per_sm;
        o.warp_limit = device_.limits.warps_per_multiprocessor;
        o.shared_limit_bytes = static_cast<double>(device_.shared_bytes_per_block);
        gpu_features(mapping_, o, *out_.row);
    }

    // Each line has at least one sector that is needed.
    static double in_sectors(const GpuFootprint &f) {
        return std::max(f.bytes, f.lines * sector_bytes);
    }

    bool is_left_in_l2(int buffer, double bytes) const {
        const FuncId f(static_cast<size_t>(buffer / buffers_per_func));
        return !nest_.graph().func(f).is_input() &&
               bytes <= device_.speeds.kept_l2_share * static_cast<double>(device_.speeds.l2_bytes);
    }

    void add_memory() {
        const std::vector<bool> all(mapping_.loops.size(), true);
        std::map<int, double> allocated;  // by buffer
        for (const GpuAccess &a : mapping_.accesses) {
            if (a.memory != GpuMemory::Global) continue;
            if (a.is_store)
                out_.memory_bytes_written += std::min(in_sectors(footprint(mapping_, a, all)),
                                                      a.allocation_bytes + sector_bytes);
            else
                allocated[a.buffer] = a.allocation_bytes;
        }
        // A launch is inside the loops on the host.
        std::vector<bool> launch(mapping_.host_loops.size(), false);
        launch.insert(launch.end(), all.begin(), all.end());
        for (const auto &[buffer, f] : unions_of_loads(mapping_, GpuMemory::Global, launch))
            if (!is_left_in_l2(buffer, allocated[buffer]))
                out_.memory_bytes_read += std::min(in_sectors(f), allocated[buffer] + sector_bytes);
        const WarpTraffic &loads = out_.counts.loads[static_cast<size_t>(GpuMemory::Global)];
        out_.l2_bytes_per_block =
            std::min(in_sectors(out_.counts.read_by_block), loads.sectors * sector_bytes);
        const double blocks = out_.counts.blocks;
        const double at_once = std::min(blocks, static_cast<double>(device_.sm_count) *
                                                    std::max(1, out_.occupancy.blocks_per_sm));
        // Blocks share what they read: together they read no more than the launch does.
        const double read_at_once =
            std::min(at_once * out_.l2_bytes_per_block, out_.memory_bytes_read);
        if (read_at_once > static_cast<double>(device_.speeds.l2_bytes))
            out_.memory_bytes_read =
                std::max(out_.memory_bytes_read, blocks * out_.l2_bytes_per_block);
    }

    const LoopNest &nest_;
    const GpuDevice &device_;
    const MappedStage &mapped_;
    const GpuMapping &mapping_;
    StageInKernel out_;
};

}  // namespace

std::optional<StageInKernel> stage_in_kernel(const LoopNest &nest, const GpuDevice &device,
                                             StageExpander &expander, StageId stage,
                                             std::span<const GpuKernel> kernels,
                                             std::span<const double> row) {
    const auto mapped = map_stage_to_gpu(nest, expander, stage, kernels);
    if (!mapped) return std::nullopt;
    return Counter(nest, device, *mapped, row).run(stage, expander.expand(nest, stage));
}

}  // namespace cryolite::gpu

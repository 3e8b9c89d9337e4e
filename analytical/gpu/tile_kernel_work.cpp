#include "analytical/gpu/tile_kernel_work.h"

#include <algorithm>
#include <cmath>

#include "code/legality/gpu_kernels.h"
#include "featurize/gpu/access.h"

namespace cryolite::gpu {
namespace {

using tensorcore::KernelShape;
using tensorcore::Tile;

OpHistogram operations_of(const ExpandedStage &body) {
    OpHistogram operations;
    for (const Computation &c : body.computations)
        for (const OperationCount &o : c.operations)
            operations.at(o.kind, o.type) += o.count * c.count;
    return operations;
}

class Counter {
public:
    Counter(const LoopNest &nest, StageId lead, const GpuDevice &device, StageExpander &expander)
        : nest_(nest),
          graph_(nest.graph()),
          device_(device),
          expander_(expander),
          lead_(lead),
          product_(*graph_.product_at(nest.stage_nest(lead).tile_kernel->product)),
          of_lead_(*std::ranges::find(product_.leads, lead, &ProductLead::stage)),
          tile_(nest.stage_nest(lead).tile_kernel->tile) {
        rows_points_ = of_lead_.columns_are_left ? product_.right_points : product_.left_points;
        columns_points_ = of_lead_.columns_are_left ? product_.left_points : product_.right_points;
        tiles_down_ = std::ceil(rows_points_ / tile_.block_rows);
        tiles_across_ = std::ceil(columns_points_ / tile_.block_columns);
    }

    TileKernelWork run() {
        add_shape();
        out_.blocks = product_.batch_points * tiles_down_ * tiles_across_;
        out_.chunks = std::ceil(product_.depth_points / out_.shape.chunk_depth());
        add_occupancy();
        const double depth_bytes = out_.chunks * tile_.chunk_bytes;
        const double sides = tile_.block_rows + tile_.block_columns;
        const int warps = tile_.threads() / warp_lanes;
        out_.multiply_adds = static_cast<double>(tile_.block_rows) * tile_.block_columns *
                             out_.chunks * out_.shape.chunk_depth();
        out_.shared_bytes_written = sides * depth_bytes;
        out_.shared_bytes_read = warps * (tile_.warp_rows() + tile_.warp_columns()) * depth_bytes;
        // Each warp rounds what it reads.
        if (tensorcore::precision_of(product_.types) == tensorcore::Precision::Tf32)
            out_.roundings = out_.shared_bytes_read / out_.shape.element_bytes();
        add_operand(rows_operand(), rows_points_, tile_.block_rows, tiles_across_, out_.rows);
        add_operand(columns_operand(), columns_points_, tile_.block_columns, tiles_down_,
                    out_.columns);
        add_memory();
        add_finishing();
        return std::move(out_);
    }

private:
    const ProductOperand &rows_operand() const {
        return of_lead_.columns_are_left ? product_.right : product_.left;
    }
    const ProductOperand &columns_operand() const {
        return of_lead_.columns_are_left ? product_.left : product_.right;
    }

    void add_shape() {
        tensorcore::ProductTypes types = product_.types;
        if (of_lead_.columns_are_left) std::swap(types.rows, types.columns);
        const GpuLimits &l = device_.limits;
        out_.shape = KernelShape{types, tile_, rows_operand().along_depth,
                                 columns_operand().along_depth, 10 * l.major + l.minor};
    }

    void add_occupancy() {
        KernelResources r;
        r.threads_per_block = tile_.threads();
        // Its launch bounds stand above any cap of the runtime's.
        r.registers_per_thread =
            std::min(out_.shape.fragment_registers() +
                         static_cast<int>(device_.speeds.tile_address_registers),
                     estimate_registers(device_.limits, tile_.threads(),
                                        device_.limits.registers_per_thread));
        r.shared_bytes_per_block = out_.shape.shared_bytes();
        if (out_.shape.capability >= tensorcore::least_capability(product_.types) &&
            r.shared_bytes_per_block <= device_.shared_bytes_per_block)
            out_.occupancy = occupancy(device_.limits, r);
    }

    bool is_inlined(FuncId f) const {
        return nest_.decided(f) ? nest_.at(f).placement == Placement::Inline
                                : graph_.func(f).assumed_inlined;
    }

    bool is_left_in_l2(FuncId f) const {
        const Func &func = graph_.func(f);
        return !func.is_input() &&
               points(func.root_region) * func.bytes_per_point() <=
                   device_.speeds.kept_l2_share * static_cast<double>(device_.speeds.l2_bytes);
    }

    // Per element of the operand: what Funcs that are inlined into it compute, and the bytes that they load.
    double add_inlined(FuncId f, double times, OpHistogram &operations) const {
        const Func &func = graph_.func(f);
        if (func.is_input() || !is_inlined(f) || func.stages.empty())
            return times * func.bytes_per_point();
        const Stage &stage = graph_.stage(func.stages[0]);
        operations.add_scaled(stage.ops, times);
        double bytes = 0;
        for (EdgeId e : stage.incoming)
            for (const Access &a : graph_.edge(e).accesses)
                bytes += add_inlined(graph_.edge(e).producer, times * a.count, operations);
        return bytes;
    }

    void add_operand(const ProductOperand &operand, double side_points, int side, double readers,
                     OperandWork &work) const {
        const double element = out_.shape.element_bytes();
        work.elements = side * out_.chunks * out_.shape.chunk_depth();
        const bool is_loaded = operand.loaded.valid() && !is_inlined(operand.loaded);
        work.is_copied = is_loaded && operand.has_units;
        double bytes = element;  // that the factor loads per element
        if (operand.loaded.valid() && !is_loaded)
            bytes = add_inlined(operand.loaded, 1, work.operations);
        const double all = product_.batch_points * side_points * product_.depth_points * bytes;
        work.l2_bytes = all * readers / out_.blocks;
        const tensorcore::OperandLayout layout =
            &work == &out_.rows ? out_.shape.rows_layout() : out_.shape.columns_layout();
        // Threads that are neighbours gather neighbouring units.
        const double units_per_row = static_cast<double>(layout.row_bytes) / tensorcore::kUnitBytes;
        work.lines_per_gather = std::max(1.0, warp_lanes / units_per_row);
        const bool fits = is_loaded && is_left_in_l2(operand.loaded);
        work.memory_bytes = fits ? 0 : all;
        if (is_loaded) {
            // Windows of a convolution share what they read.
            const Func &func = graph_.func(operand.loaded);
            const double stored = points(func.root_region) * func.bytes_per_point();
            work.memory_bytes = std::min(work.memory_bytes, stored);
        }
    }

    // Operands that L2 cannot hold together are read again by every round of blocks.
    void add_memory() {
        const double once = out_.rows.memory_bytes + out_.columns.memory_bytes;
        if (once <= static_cast<double>(device_.speeds.l2_bytes)) return;
        const double at_once = std::min(out_.blocks, static_cast<double>(device_.sm_count) *
                                                         std::max(1, out_.occupancy.blocks_per_sm));
        const double across = std::min(at_once, tiles_across_);
        const double down = std::min(tiles_down_, std::ceil(at_once / tiles_across_));
        const double rounds = std::ceil(out_.blocks / at_once);
        const auto again = [&](OperandWork &work, double tiles) {
            // Blocks that read the same part share it.
            const double of_round = work.l2_bytes * tiles;
            if (work.memory_bytes > 0)
                work.memory_bytes = std::max(work.memory_bytes, rounds * of_round);
        };
        again(out_.rows, down);
        again(out_.columns, across);
    }

    void add_load(FuncId f, double results) {
        const Func &func = graph_.func(f);
        const double bytes = std::min(results, static_cast<double>(points(func.root_region))) *
                             func.bytes_per_point();
        out_.finishing_loads = true;
        out_.l2_bytes_finishing += bytes / out_.blocks;
        if (!is_left_in_l2(f)) out_.memory_bytes_finishing += bytes;
    }

    void add_finishing() {
        const Func &of_lead = graph_.func_of(lead_);
        const FuncId of_product = graph_.stage(product_.stage).func;
        const double results = product_.batch_points * rows_points_ * columns_points_;
        out_.results = static_cast<double>(tile_.block_rows) * tile_.block_columns;
        if (lead_ == product_.stage) {
            add_load(of_product, results);
        } else {
            const ExpandedStage &body = expander_.expand(nest_, lead_);
            out_.finishing_operations = operations_of(body);
            for (FuncId f : body.reads)
                if (f != of_product) add_load(f, results);
            const ExpandedStage &initial =
                expander_.expand(nest_, graph_.func(of_product).stages[0]);
            for (FuncId f : initial.reads)
                if (f != of_product) add_load(f, results);
        }
        const double bytes = of_lead.bytes_per_point();
        // A row of eight columns is written at once, or each column on its own.
        const double in_row = tensorcore::kInstructionColumns * bytes;
        const double written = of_lead_.stores_rows
                                   ? std::max<double>(in_row, sector_bytes) / in_row * bytes
                                   : std::max<double>(bytes, sector_bytes);
        out_.l2_bytes_stored = results * written / out_.blocks;
        out_.memory_bytes_stored = results * bytes;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const GpuDevice &device_;
    StageExpander &expander_;
    const StageId lead_;
    const TensorProduct &product_;
    const ProductLead &of_lead_;
    const Tile tile_;
    double rows_points_ = 1, columns_points_ = 1, tiles_down_ = 1, tiles_across_ = 1;
    TileKernelWork out_;
};

}  // namespace

TileKernelWork tile_kernel_work(const LoopNest &nest, StageId lead, const GpuDevice &device,
                                StageExpander &expander) {
    return Counter(nest, lead, device, expander).run();
}

}  // namespace cryolite::gpu

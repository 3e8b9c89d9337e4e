#include "analytical/gpu/tile_kernel_terms.h"

#include <algorithm>
#include <cmath>

#include "analytical/gpu/stage_terms.h"
#include "featurize/gpu/access.h"

namespace cryolite::gpu {
namespace {

using tensorcore::Element;
using tensorcore::Sum;

double multiply_adds_per_cycle(const tensorcore::ProductTypes &types, const GpuSpeeds &s) {
    double rate = s.tensor_int8_per_cycle;
    if (types.sum == Sum::F16) rate = s.tensor_float16_per_cycle;
    if (types.sum == Sum::F32) rate = s.tensor_wide_per_cycle;
    if (types.rows == Element::TF32) rate = s.tensor_tf32_per_cycle;
    return rate * s.mma_share;
}

class Timer {
public:
    Timer(const TileKernelWork &work, const GpuDevice &device)
        : w_(work), s_(device.speeds), shape_(work.shape) {
        busiest_ = std::ceil(w_.blocks / device.sm_count);
        resident_ = std::min<double>(std::max(1, w_.occupancy.blocks_per_sm), busiest_);
        used_sms_ = std::min<double>(w_.blocks, device.sm_count);
        warps_ = shape_.tile.threads() / warp_lanes;
    }

    StageTerms run(StageId lead) {
        using C = Term;
        out_.stage = lead;
        out_.target = TermTarget::Gpu;
        // Tensor cores work beside the units that copy, gather and round. Sums are finished afterwards.
        const double multiplying = w_.multiply_adds / multiply_adds_per_cycle(shape_.types, s_) /
                                   hidden(shape_.row_fragments() * shape_.column_fragments());
        const double rounding = w_.roundings * s_.rounding_instructions / s_.integer_per_cycle;
        const double bringing = (cycles_of(w_.rows) + cycles_of(w_.columns) + rounding) /
                                hidden(s_.warp_instructions_in_parallel);
        const double finishing = w_.results / warp_lanes *
                                 warp_cycles(w_.finishing_operations, s_) /
                                 hidden(s_.warp_instructions_in_parallel);
        part(C::Compute) = cycles(busiest_ * (std::max(multiplying, bringing) + finishing));
        part(C::L1Loads) = cycles(busiest_ * (l1_cycles(w_.rows) + l1_cycles(w_.columns)));
        part(C::SharedLoads) = cycles(busiest_ * w_.shared_bytes_read / s_.l1_bytes_per_cycle);
        part(C::SharedStores) = cycles(busiest_ * w_.shared_bytes_written / s_.l1_bytes_per_cycle);
        part(C::L2Loads) = l2_bytes(w_.rows.l2_bytes + w_.columns.l2_bytes + w_.l2_bytes_finishing);
        part(C::L2Stores) = l2_bytes(w_.l2_bytes_stored);
        part(C::MemoryLoads) = memory_bytes(w_.rows.memory_bytes + w_.columns.memory_bytes +
                                            w_.memory_bytes_finishing);
        part(C::MemoryStores) = memory_bytes(w_.memory_bytes_stored);
        part(C::LoadLatency) =
            cycles(std::ceil(busiest_ / resident_) * waits() * s_.memory_latency_cycles);
        part(C::Launches) = s_.launch_seconds;
        part(C::Tasks) = cycles(w_.blocks / s_.blocks_per_cycle);
        out_.too_large = w_.occupancy.blocks_per_sm < 1;
        return out_;
    }

private:
    double &part(Term t) { return out_.raw[index(t)]; }
    double cycles(double n) const { return n / s_.hertz; }

    // Share of the full rate at which the resident warps issue, with so many independent instructions each.
    double hidden(double independent) const {
        return std::min(1.0, resident_ * warps_ *
                                 std::min(independent, s_.warp_instructions_in_parallel) /
                                 s_.busy_warps);
    }

    // Cycles of a multiprocessor for a block's copy of an operand.
    double cycles_of(const OperandWork &o) const {
        if (o.is_copied) {
            const double units = o.elements / shape_.unit_elements();
            return units * s_.unit_copy_instructions / s_.integer_per_cycle;
        }
        return o.elements * (s_.gather_instructions / s_.integer_per_cycle +
                             warp_cycles(o.operations, s_) / warp_lanes);
    }

    // Units that go on in the background pass L1 by.
    double l1_cycles(const OperandWork &o) const {
        if (o.is_copied && shape_.copies_asynchronously()) return 0;
        if (o.is_copied) return o.elements * shape_.element_bytes() / s_.l1_bytes_per_cycle;
        return o.elements / warp_lanes * o.lines_per_gather;
    }

    // How often a block waits for memory: once to fill its pipeline, then once for the chunks that are on their way
    // together, and once where the sums are finished.
    double waits() const {
        const double together = w_.is_pipelined() ? shape_.tile.stages - 1 : 1;
        return 1 + (w_.chunks - 1) / together + (w_.finishing_loads ? 1 : 0);
    }

    double l2_bytes(double per_block) const {
        return cycles(w_.blocks * per_block / (used_sms_ * s_.l2_bytes_per_cycle));
    }
    // See stage_terms.cpp.
    double memory_bytes(double bytes) const {
        return bytes / std::min(s_.memory_bytes_per_second * s_.memory_share,
                                used_sms_ * s_.l2_bytes_per_cycle * s_.hertz);
    }

    const TileKernelWork &w_;
    const GpuSpeeds &s_;
    const tensorcore::KernelShape &shape_;
    double busiest_ = 1, resident_ = 1, used_sms_ = 1, warps_ = 1;
    StageTerms out_;
};

}  // namespace

StageTerms tile_kernel_terms(StageId lead, const TileKernelWork &work, const GpuDevice &device) {
    return Timer(work, device).run(lead);
}

}  // namespace cryolite::gpu

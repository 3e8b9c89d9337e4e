#include "analytical/gpu/stage_terms.h"

#include <algorithm>
#include <cmath>

#include "analytical/cycles/arithmetic_cycles.h"
#include "featurize/gpu/access.h"

namespace cryolite::gpu {
namespace {

double rate_of(TypeClass type, const GpuSpeeds &s) {
    switch (type) {
        case TypeClass::Float16: return s.float16_per_cycle;
        case TypeClass::Float32: return s.float32_per_cycle;
        case TypeClass::Float64: return s.float64_per_cycle;
        case TypeClass::Int64: return s.integer_per_cycle / 2;  // computed in two halves
        default: return s.integer_per_cycle;
    }
}

// Cycles of a multiprocessor for the operations of one type, for one point of one lane.
double point_cycles(const OpHistogram &ops, TypeClass type, const GpuSpeeds &s) {
    const double rate = rate_of(type, s);
    const auto count = [&](OpKind kind) { return ops.at(kind, type); };
    double simple = count(OpKind::Add) + count(OpKind::Multiply);
    // One instruction multiplies and adds.
    if (is_float(type)) simple = std::max(count(OpKind::Add), count(OpKind::Multiply));
    simple += count(OpKind::MinMax) + count(OpKind::Compare) + count(OpKind::Bitwise) +
              count(OpKind::BitCount);
    simple += count(OpKind::Divide) * s.division_instructions +
              (count(OpKind::Modulo) + count(OpKind::DivideByValue)) * s.modulo_instructions;
    simple += count(OpKind::SquareRoot) * s.square_root_instructions;
    simple += count(OpKind::Transcendental) * s.transcendental_instructions;
    simple += count(OpKind::ExternCall) * s.extern_call_instructions;
    const double special = count(OpKind::SquareRoot) + count(OpKind::Transcendental) +
                           (is_float(type) ? count(OpKind::Divide) : 0);
    return simple / rate + count(OpKind::Select) / s.integer_per_cycle +
           special / s.special_per_cycle + count(OpKind::Cast) / s.conversion_per_cycle;
}

class Timer {
public:
    Timer(const StageInKernel &work, const GpuDevice &device)
        : w_(work), device_(device), s_(device.speeds) {
        out_.stage = work.stage;
        out_.target = TermTarget::Gpu;
        out_.realisations = work.launches;
        blocks_ = work.counts.blocks;
        warps_ = work.counts.active_warps;
        points_ = work.counts.points_per_thread;
        busiest_ = std::ceil(blocks_ / device.sm_count);
        resident_ = std::min<double>(std::max(1, work.occupancy.blocks_per_sm), busiest_);
        used_sms_ = std::min<double>(blocks_, device.sm_count);
    }

    StageTerms run() {
        using C = Term;
        const double hidden = std::min(
            1.0, resident_ * warps_ * std::min(w_.copies, s_.warp_instructions_in_parallel) /
                     s_.busy_warps);
        part(C::Compute) =
            cycles(busiest_ *
                   (warps_ * points_ *
                        (warp_cycles(w_.operations, s_) + integer_cycles(w_.index_instructions)) +
                    w_.counts.warps * w_.productions * integer_cycles(w_.bounds_instructions)) /
                   hidden);
        part(C::RegisterSpills) =
            cycles(busiest_ * (spilled_bytes() / spill_bytes_per_cycle() +
                               w_.counts.local_bytes / s_.l1_bytes_per_cycle));
        part(C::L1Loads) = cycles(busiest_ * std::max(loads(GpuMemory::Global).lines,
                                                      loads(GpuMemory::Global).sectors *
                                                          sector_bytes / s_.l1_bytes_per_cycle));
        constexpr double transaction = shared_banks * bank_bytes;
        part(C::SharedLoads) = l1_bytes(loads(GpuMemory::Shared).bank_transactions * transaction);
        part(C::SharedStores) = l1_bytes(stores(GpuMemory::Shared).bank_transactions * transaction);
        part(C::L2Loads) = l2_bytes(w_.l2_bytes_per_block);
        part(C::L2Stores) = l2_bytes(stores(GpuMemory::Global).sectors * sector_bytes);
        part(C::MemoryLoads) = memory_bytes(w_.memory_bytes_read);
        part(C::MemoryStores) = memory_bytes(w_.memory_bytes_written);
        part(C::LoadLatency) = latency();
        if (w_.kernel.stage == w_.stage) {
            part(C::Launches) = s_.launch_seconds;
            part(C::Tasks) = cycles(blocks_ / s_.blocks_per_cycle);
        }
        for (double &p : out_.raw) p *= w_.launches;
        return out_;
    }

private:
    const WarpTraffic &loads(GpuMemory m) const { return w_.counts.loads[static_cast<size_t>(m)]; }
    const WarpTraffic &stores(GpuMemory m) const {
        return w_.counts.stores[static_cast<size_t>(m)];
    }
    double &part(Term t) { return out_.raw[index(t)]; }
    double cycles(double n) const { return n / s_.hertz; }
    double l1_bytes(double per_block) const {
        return cycles(busiest_ * per_block / s_.l1_bytes_per_cycle);
    }
    double l2_bytes(double per_block) const {
        return cycles(blocks_ * per_block / (used_sms_ * s_.l2_bytes_per_cycle));
    }
    // A few multiprocessors cannot use the whole bandwidth of the memory.
    double memory_bytes(double bytes) const {
        return bytes / std::min(s_.memory_bytes_per_second * s_.memory_share,
                                used_sms_ * s_.l2_bytes_per_cycle * s_.hertz);
    }

    // Cycles of a warp for integer instructions of each lane.
    double integer_cycles(double instructions) const {
        return instructions * warp_lanes / s_.integer_per_cycle;
    }

    double excess_registers() const { return std::max(0, w_.registers - device_.register_cap); }
    // Bytes that a block spills: each excess register is stored and loaded once in every run of the body.
    double spilled_bytes() const {
        return w_.counts.threads * points_ / w_.copies * excess_registers() * 4 * 2;
    }
    // Where L1 cannot hold what the resident threads spill, L2 does.
    double spill_bytes_per_cycle() const {
        const double spilled = resident_ * w_.counts.threads * excess_registers() * 4;
        return spilled > static_cast<double>(device_.limits.shared_bytes_per_multiprocessor) / 2
                   ? s_.l2_bytes_per_cycle
                   : s_.l1_bytes_per_cycle;
    }

    // Seconds that loads wait. A warp's groups of loads follow each other. Blocks that are not resident at first follow
    // those that are.
    double latency() const {
        const double waits = rounds(w_.counts.global_loads) * global_wait() +
                             rounds(w_.counts.shared_loads) * s_.shared_latency_cycles + barriers();
        return cycles(std::ceil(busiest_ / resident_) * waits);
    }

    // What a production leaves in shared memory is stored, waited for and loaded.
    double barriers() const {
        return w_.bounds_instructions > 0 ? w_.productions * 2 * s_.shared_latency_cycles : 0;
    }

    // Groups of so many loads of a thread: those of the copies are on their way together.
    double rounds(double loads) const {
        if (loads == 0) return 0;
        const double at_once =
            std::clamp(loads / points_ * w_.copies, 1.0, s_.warp_loads_in_flight);
        return std::max(1.0, loads / at_once);
    }

    // Cycles of a load on average: of what a block asks for, all but the first look at a sector is in L1.
    double global_wait() const {
        const double asked = loads(GpuMemory::Global).sectors * sector_bytes;
        const double missed = asked > 0 ? std::min(1.0, w_.l2_bytes_per_block / asked) : 1;
        return missed * s_.memory_latency_cycles + (1 - missed) * s_.l1_latency_cycles;
    }

    const StageInKernel &w_;
    const GpuDevice &device_;
    const GpuSpeeds &s_;
    double blocks_ = 1, warps_ = 1, points_ = 1, busiest_ = 1, resident_ = 1, used_sms_ = 1;
    StageTerms out_;
};

}  // namespace

double warp_cycles(const OpHistogram &operations, const GpuSpeeds &speeds) {
    double sum = 0;
    for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++)
        sum += point_cycles(operations, static_cast<TypeClass>(t), speeds);
    return warp_lanes * sum;
}

StageTerms stage_terms(const StageInKernel &work, const GpuDevice &device) {
    return Timer(work, device).run();
}

}  // namespace cryolite::gpu

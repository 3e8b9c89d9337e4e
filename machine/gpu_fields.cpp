#include <array>

#include "machine/field_tables.h"

namespace cryolite {
namespace {

constexpr auto gpu_table = std::to_array<Field<Gpu>>({
    {{"multiprocessors", "SMs", "streaming multiprocessors", ""}, &Gpu::multiprocessors},
});

constexpr const char *results = "results per cycle";
constexpr const char *products = "multiply-adds per cycle";
constexpr auto gpu_speed_table = std::to_array<Field<GpuSpeeds>>({
    {{"hertz", "cycles/s", "boost clock of a multiprocessor", ""}, &GpuSpeeds::hertz},
    {{"memory_bytes_per_second", "bytes/s", "peak bandwidth of device memory", ""},
     &GpuSpeeds::memory_bytes_per_second},
    {{"l2_bytes", bytes, "level 2 cache", ""}, &GpuSpeeds::l2_bytes},
    {{"float16_per_cycle", results, "arithmetic of half precision, of a multiprocessor", ""},
     &GpuSpeeds::float16_per_cycle},
    {{"float32_per_cycle", results, "of single precision", ""}, &GpuSpeeds::float32_per_cycle},
    {{"float64_per_cycle", results, "of double precision", ""}, &GpuSpeeds::float64_per_cycle},
    {{"integer_per_cycle", results, "of 32-bit integers", ""}, &GpuSpeeds::integer_per_cycle},
    {{"special_per_cycle", results, "reciprocals, square roots, exponentials, sines", ""},
     &GpuSpeeds::special_per_cycle},
    {{"conversion_per_cycle", results, "between integers and floating point", ""},
     &GpuSpeeds::conversion_per_cycle},
    {{"tensor_float16_per_cycle", products,
      "16-bit floats by tensor cores, to sums of 16 bits; 0: there are none", "", true},
     &GpuSpeeds::tensor_float16_per_cycle},
    {{"tensor_wide_per_cycle", products, "16-bit floats by tensor cores, to sums of 32 bits", "",
      true},
     &GpuSpeeds::tensor_wide_per_cycle},
    {{"tensor_int8_per_cycle", products, "bytes by tensor cores", "", true},
     &GpuSpeeds::tensor_int8_per_cycle},
    {{"tensor_tf32_per_cycle", products,
      "32-bit floats, rounded to tf32, by tensor cores, to sums of 32 bits", "", true},
     &GpuSpeeds::tensor_tf32_per_cycle},
    {{"mma_share", "share", "of the tensor cores' rate, what mma.sync reaches", ""},
     &GpuSpeeds::mma_share},
    {{"unit_copy_instructions", "instructions", "of a tile kernel, to copy 16 bytes", ""},
     &GpuSpeeds::unit_copy_instructions},
    {{"gather_instructions", "instructions", "of a tile kernel, to gather an element", ""},
     &GpuSpeeds::gather_instructions},
    {{"tile_address_registers", "registers", "of a tile kernel's thread, beside sums and fragments",
      ""},
     &GpuSpeeds::tile_address_registers},
    {{"rounding_instructions", "instructions", "of a tile kernel, to round a float to tf32", ""},
     &GpuSpeeds::rounding_instructions},
    {{"l1_bytes_per_cycle", "bytes/cycle", "of L1 and of shared memory, of a multiprocessor", ""},
     &GpuSpeeds::l1_bytes_per_cycle},
    {{"l2_bytes_per_cycle", "bytes/cycle", "of L2, a multiprocessor's share", ""},
     &GpuSpeeds::l2_bytes_per_cycle},
    {{"memory_share", "", "of the peak bandwidth, what long copies reach", ""},
     &GpuSpeeds::memory_share},
    {{"memory_latency_cycles", cycles, "from a load of device memory to its value", ""},
     &GpuSpeeds::memory_latency_cycles},
    {{"l1_latency_cycles", cycles, "the same of a load that L1 serves", ""},
     &GpuSpeeds::l1_latency_cycles},
    {{"shared_latency_cycles", cycles, "the same of shared memory", ""},
     &GpuSpeeds::shared_latency_cycles},
    {{"exposed_share", "share", "of what works beside the slowest resource, what stays exposed", "",
      true},
     &GpuSpeeds::exposed_share},
    {{"overlap_sharpness", "exponent", "of the norm that stands for the slowest", ""},
     &GpuSpeeds::overlap_sharpness},
    {{"launch_seconds", "s", "from one kernel of a queue to the next", ""},
     &GpuSpeeds::launch_seconds},
    {{"blocks_per_cycle", "blocks/cycle", "that the whole GPU starts", ""},
     &GpuSpeeds::blocks_per_cycle},
    {{"host_bytes_per_second", "bytes/s", "between host and device", ""},
     &GpuSpeeds::host_bytes_per_second},
    {{"busy_warps", "warps", "that keep a multiprocessor busy with dependent instructions", ""},
     &GpuSpeeds::busy_warps},
    {{"warp_instructions_in_parallel", "instructions", "of a warp that do not wait for each other",
      ""},
     &GpuSpeeds::warp_instructions_in_parallel},
    {{"warp_loads_in_flight", "loads", "of a warp at once", ""}, &GpuSpeeds::warp_loads_in_flight},
    {{"division_instructions", "instructions", "of a division", ""},
     &GpuSpeeds::division_instructions},
    {{"modulo_instructions", "instructions", "of a remainder", ""},
     &GpuSpeeds::modulo_instructions},
    {{"square_root_instructions", "instructions", "of a square root", ""},
     &GpuSpeeds::square_root_instructions},
    {{"transcendental_instructions", "instructions", "of an exponential, a logarithm, a sine", ""},
     &GpuSpeeds::transcendental_instructions},
    {{"extern_call_instructions", "instructions", "of a call whose code is not known", ""},
     &GpuSpeeds::extern_call_instructions},
    {{"kept_l2_share", "share", "of L2, that a result may fill and stay for the next kernel", ""},
     &GpuSpeeds::kept_l2_share},
});

constexpr auto gpu_limit_table = std::to_array<Field<GpuLimits>>({
    {{"major", "", "compute capability", ""}, &GpuLimits::major},
    {{"minor", "", "compute capability, after the point", "", true}, &GpuLimits::minor},
    {{"threads_per_multiprocessor", "threads", "resident at once", ""},
     &GpuLimits::threads_per_multiprocessor},
    {{"warps_per_multiprocessor", "warps", "resident at once", ""},
     &GpuLimits::warps_per_multiprocessor},
    {{"blocks_per_multiprocessor", "blocks", "resident at once", ""},
     &GpuLimits::blocks_per_multiprocessor},
    {{"threads_per_block", "threads", "most in a block", ""}, &GpuLimits::threads_per_block},
    {{"threads_per_warp", "threads", "a warp", ""}, &GpuLimits::threads_per_warp},
    {{"registers_per_multiprocessor", "registers", "of 32 bits", ""},
     &GpuLimits::registers_per_multiprocessor},
    {{"registers_per_thread", "registers", "most for a thread", ""},
     &GpuLimits::registers_per_thread},
    {{"register_allocation_unit", "registers", "a warp's registers are a multiple of this", ""},
     &GpuLimits::register_allocation_unit},
    {{"sub_partitions", "", "parts of a multiprocessor, each with its share of registers", ""},
     &GpuLimits::sub_partitions},
    {{"shared_bytes_per_multiprocessor", bytes, "shared memory", ""},
     &GpuLimits::shared_bytes_per_multiprocessor},
    {{"shared_bytes_per_block", bytes, "most for a block, without asking", ""},
     &GpuLimits::shared_bytes_per_block},
    {{"shared_bytes_per_block_opt_in", bytes, "most for a block that asks the driver", ""},
     &GpuLimits::shared_bytes_per_block_opt_in},
    {{"shared_bytes_reserved_per_block", bytes, "taken by the system from every block", "", true},
     &GpuLimits::shared_bytes_reserved_per_block},
    {{"shared_allocation_unit", bytes, "a block's shared memory is a multiple of this", ""},
     &GpuLimits::shared_allocation_unit},
});

// Beside the table's fields: Gpu's name, limits and speeds.
static_assert(member_count<Gpu>() == gpu_table.size() + 3, "a line of the table is missing");
static_assert(member_count<GpuSpeeds>() == gpu_speed_table.size(),
              "a line of the table is missing");
static_assert(member_count<GpuLimits>() == gpu_limit_table.size(),
              "a line of the table is missing");

}  // namespace

std::span<const Field<Gpu>> gpu_fields() { return gpu_table; }

std::vector<FieldValue> values_of(GpuSpeeds &speeds) {
    std::vector<FieldValue> values;
    append(values, "", std::span<const Field<GpuSpeeds>>(gpu_speed_table), speeds);
    return values;
}

std::vector<FieldValue> values_of(Gpu &gpu) {
    std::vector<FieldValue> values;
    append(values, "", gpu_fields(), gpu);
    for (FieldValue &v : values_of(gpu.speeds)) values.push_back(std::move(v));
    append(values, "limits.", std::span<const Field<GpuLimits>>(gpu_limit_table), gpu.limits);
    return values;
}

}  // namespace cryolite

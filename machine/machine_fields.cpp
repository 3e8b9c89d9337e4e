#include "machine/machine_fields.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "machine/field_tables.h"

namespace cryolite {
namespace {

constexpr auto machine_table = std::to_array<Field<Machine>>({
    {{"cores", "cores", "cores to schedule for", "asked of the system"}, &Machine::cores},
    {{"hertz", "cycles/s", "clock of one core under load",
      "a chain of dependent integer additions"},
     &Machine::hertz},
    {{"vector_bytes", bytes, "a natural vector; the plugin takes it from the target instead",
      "asked of the processor"},
     &Machine::vector_bytes},
    {{"vector_registers", "registers", "vector registers of the instruction set",
      "asked of the processor"},
     &Machine::vector_registers},
    {{"address_registers", "registers",
      "general registers for the addresses of a body's loads; the others are loaded from the stack",
      ""},
     &Machine::address_registers},
    {{"word_products", "0 or 1",
      "an instruction multiplies pairs of words and adds to sums of 32 bits; the plugin takes it "
      "from the target instead",
      "", true},
     &Machine::word_products},
    {{"mixed_byte_products", "0 or 1", "the same of four unsigned by signed bytes", "", true},
     &Machine::mixed_byte_products},
    {{"equal_byte_products", "0 or 1", "the same of four bytes of one sign", "", true},
     &Machine::equal_byte_products},
    {{"load_bytes", bytes,
      "what one load moves: a wider vector is several, each of which may straddle two lines", ""},
     &Machine::load_bytes},
    {{"memory_core_bytes_per_cycle", rate, "main memory's bandwidth to one core",
      "one core reads a buffer four times the last cache's size"},
     &Machine::memory_core_bytes_per_cycle},
    {{"memory_total_bytes_per_cycle", rate, "main memory's bandwidth to all cores together",
      "all cores do, each its own buffer"},
     &Machine::memory_total_bytes_per_cycle},
    {{"followed_streams", "streams", "streams of consecutive lines that a core follows at once",
      "the most rows read in turn at no less than 4/5 of the best bandwidth from memory"},
     &Machine::followed_streams},
    {{"l1_stream_start_lines", lines, "what the start of a stream from L2 into L1 costs", ""},
     &Machine::l1_stream_start_lines},
    {{"cache_stream_start_lines", lines,
      "what the start of a stream from a cache costs, as the time of that many lines",
      "runs of 1 to 8 lines from the last of three levels, against long ones", true},
     &Machine::cache_stream_start_lines},
    {{"memory_stream_start_lines", lines, "the same from main memory, for the shortest streams",
      "runs of 1 and 2 lines, against long ones", true},
     &Machine::memory_stream_start_lines},
    {{"memory_stream_start_lines_max", lines,
      "the most that the start of a stream from main memory costs",
      "the worst of runs of 1 to 48 lines, against long ones", true},
     &Machine::memory_stream_start_lines_max},
    {{"core_exposed_share", "share",
      "of the lesser of arithmetic and L1 accesses, what stays exposed", "", true},
     &Machine::core_exposed_share},
    {{"memory_exposed_share", "share",
      "of a core's work and the levels of memory beside the slowest of them, what stays exposed",
      "", true},
     &Machine::memory_exposed_share},
    {{"overlap_sharpness", "exponent", "of the norm that stands for the slowest", ""},
     &Machine::overlap_sharpness},
    {{"loop_iteration_cycles", cycles, "one iteration of a serial loop, beside its body",
      "a loop of scalar loads, rolled against unrolled eight times", true},
     &Machine::loop_iteration_cycles},
    {{"parallel_loop_seconds", seconds, "starting and joining a parallel loop",
      "a loop of one task per core in Halide's thread pool, against its work on one core"},
     &Machine::parallel_loop_seconds},
    {{"parallel_task_seconds", seconds, "one task of a parallel loop, on the core that runs it",
      "the same work in 64 tasks per core"},
     &Machine::parallel_task_seconds},
    {{"task_jitter_share", "share", "of a task, by which the last core finishes late", "", true},
     &Machine::task_jitter_share},
    {{"allocation_seconds", seconds, "a heap allocation and its release",
      "halide_malloc and halide_free of 32 KB and of 1 MB, the mean"},
     &Machine::allocation_seconds},
    {{"page_fault_seconds", seconds, "the first touch of a fresh page, and giving it back",
      "a fresh mapping of 1 MB, touched page by page"},
     &Machine::page_fault_seconds},
    {{"page_bytes", bytes, "a page of memory", "asked of the system"}, &Machine::page_bytes},
    {{"pages_remembered", "pages", "whose places a core's first-level table holds", ""},
     &Machine::pages_remembered},
    {{"page_lookup_cycles", cycles, "a page that only the second-level table holds", ""},
     &Machine::page_lookup_cycles},
    {{"mapped_allocation_bytes", bytes,
      "a block beyond this is of fresh pages on every run (glibc's largest threshold for mapping)",
      ""},
     &Machine::mapped_allocation_bytes},
    {{"arena_kept_bytes", bytes,
      "free memory that the C library keeps at the end of an arena when it gives back the rest",
      ""},
     &Machine::arena_kept_bytes},
    {{"l1_prefetch_lines", lines, "lines that the first level's prefetcher asks for per access",
      ""},
     &Machine::l1_prefetch_lines},
    {{"l2_prefetch_lines", lines, "the same of the second level's", ""},
     &Machine::l2_prefetch_lines},
    {{"l2_prefetch_distance_lines", lines, "how far ahead of an access that one may run", ""},
     &Machine::l2_prefetch_distance_lines},
});

constexpr auto core_table = std::to_array<Field<CoreCosts>>({
    {{"accumulate_latency_cycles", cycles, "from one addition to a sum in a register to the next",
      ""},
     &CoreCosts::accumulate_latency_cycles},
    {{"store_forward_cycles", cycles, "from a store to a load of its value", ""},
     &CoreCosts::store_forward_cycles},
    {{"masked_store_forward_cycles", cycles, "from a masked store to a load of its value", ""},
     &CoreCosts::masked_store_forward_cycles},
    {{"loop_entry_cycles", cycles, "one run of a serial loop, beside its iterations", ""},
     &CoreCosts::loop_entry_cycles},
    {{"misprediction_cycles", cycles, "a branch whose outcome was foretold wrongly", ""},
     &CoreCosts::misprediction_cycles},
    {{"branches_learned", "branches",
      "with random outcomes, whose order a core learns when it comes again and again", ""},
     &CoreCosts::branches_learned},
    {{"realisation_cycles_per_loop", cycles,
      "bounds and strides that a realisation computes anew, a loop", ""},
     &CoreCosts::realisation_cycles_per_loop},
    {{"shared_line_cycles", cycles,
      "a store to a line that another core stores to as well, again and again", ""},
     &CoreCosts::shared_line_cycles},
    {{"guarded_vector_cycles", cycles, "a vector under a condition of its own", ""},
     &CoreCosts::guarded_vector_cycles},
    {{"spill_cycles", cycles, "a vector that does not fit in the registers: stored and loaded", ""},
     &CoreCosts::spill_cycles},
    {{"scattered_store_factor", "factor", "a vector's elements stored apart, over scalar stores",
      ""},
     &CoreCosts::scattered_store_factor},
    {{"fused_share", "share", "of float additions that fuse with multiplications", "", true},
     &CoreCosts::fused_share},
    {{"float_units_apart", "share",
      "of the lesser of float additions and float multiplications, what runs beside the others", "",
      true},
     &CoreCosts::float_units_apart},
    {{"usable_register_share", "share",
      "of the vector registers, for sums and values that are kept", ""},
     &CoreCosts::usable_register_share},
    {{"instructions_ahead", "instructions", "that a core looks ahead (its reorder buffer)", ""},
     &CoreCosts::instructions_ahead},
    {{"decoded_instructions", "instructions", "that the cache of decoded instructions holds", ""},
     &CoreCosts::decoded_instructions},
    {{"fetched_bytes_per_cycle", "bytes / cycle", "of code that is not in that cache", ""},
     &CoreCosts::fetched_bytes_per_cycle},
    {{"exposed_sums_share", "share",
      "of the lesser of loads and stores of sums in memory, what does not overlap", "", true},
     &CoreCosts::exposed_sums_share},
    {{"same_place_share", "share",
      "of updates at places that data chooses, those that wait for the one before", "", true},
     &CoreCosts::same_place_share},
    {{"max_unrolled_operations", "operations", "of the largest unrolled body", ""},
     &CoreCosts::max_unrolled_operations},
});

constexpr auto cache_table = std::to_array<Field<CacheLevel>>({
    {{"size_bytes", bytes, "size of one cache of this level", "asked of the system (hwloc)"},
     &CacheLevel::size_bytes},
    {{"ways", "ways", "associativity", "asked of the system (hwloc)"}, &CacheLevel::ways},
    {{"line_bytes", bytes, "size of a line", "asked of the system (hwloc)"},
     &CacheLevel::line_bytes},
    {{"cores_sharing", "cores", "cores that share one cache", "asked of the system (hwloc)"},
     &CacheLevel::cores_sharing},
    {{"core_bytes_per_cycle", rate, "bandwidth to one core",
      "one core reads what only this level holds, again and again"},
     &CacheLevel::core_bytes_per_cycle},
    {{"total_bytes_per_cycle", rate, "bandwidth to all cores together",
      "all cores do, each its own buffer"},
     &CacheLevel::total_bytes_per_cycle},
});

constexpr auto arithmetic_table = std::to_array<Field<ArithmeticCosts>>({
    {{"float_add", cycles, "add, subtract, compare, minimum of floats", "32-bit floats"},
     &ArithmeticCosts::float_add},
    {{"float_multiply", cycles, "multiply floats", "32-bit floats"},
     &ArithmeticCosts::float_multiply},
    {{"float_divide", cycles, "divide floats", "32-bit floats"}, &ArithmeticCosts::float_divide},
    {{"float_square_root", cycles, "square root", "32-bit floats"},
     &ArithmeticCosts::float_square_root},
    {{"integer_simple", cycles, "add, minimum, maximum, compare, select, bitwise on integers",
      "addition, maximum, and, compare with select, in equal parts"},
     &ArithmeticCosts::integer_simple},
    {{"integer_multiply_8", cycles, "multiply 8-bit integers", "8-bit integers"},
     &ArithmeticCosts::integer_multiply_8},
    {{"integer_multiply_16", cycles, "multiply 16-bit integers", "16-bit integers"},
     &ArithmeticCosts::integer_multiply_16},
    {{"integer_multiply_32", cycles, "multiply 32-bit integers", "32-bit integers"},
     &ArithmeticCosts::integer_multiply_32},
    {{"integer_multiply_64", cycles, "multiply 64-bit integers", "64-bit integers"},
     &ArithmeticCosts::integer_multiply_64},
    {{"integer_divide", cycles, "divide by a constant, as a multiplication",
      "16-bit and 32-bit integers by 7"},
     &ArithmeticCosts::integer_divide},
    {{"integer_divide_by_value", cycles, "divide by a value that is no constant, per element",
      "32-bit integers; vectors as scalars"},
     &ArithmeticCosts::integer_divide_by_value},
    {{"bit_count", cycles, "count the bits that are set, or leading or trailing zeros", ""},
     &ArithmeticCosts::bit_count},
    {{"cast", cycles, "convert to another type, per vector of the new one",
      "widening, narrowing, integer to float and back, in equal parts"},
     &ArithmeticCosts::cast},
    {{"transcendental", cycles, "exponential, logarithm, sine as polynomials",
      "an exponential: range reduction, a polynomial of degree 6, scaling"},
     &ArithmeticCosts::transcendental},
    {{"extern_call_scalar", cycles, "a call of a foreign function, per element",
      "tanhf and atan2f of the C library, the mean"},
     &ArithmeticCosts::extern_call_scalar},
    {{"load", cycles, "an aligned load from L1", "loads of one page, again and again"},
     &ArithmeticCosts::load},
    {{"store", cycles, "an aligned store to L1", "stores to one page, again and again"},
     &ArithmeticCosts::store},
    {{"shuffle", cycles, "one shuffle; taking every second element of two vectors is two",
      "a reversal, and every second element of two vectors; of scalars nothing", true},
     &ArithmeticCosts::shuffle},
    {{"strided_element", cycles, "one element at a stride: scalar load and insert",
      "32-bit elements at a stride of 5"},
     &ArithmeticCosts::strided_element},
    {{"gather_element", cycles, "one element of a gather: index, scalar load, insert",
      "32-bit elements in L1 by a vector of indices"},
     &ArithmeticCosts::gather_element},
});

// Beside the table's fields: Machine's name, vector, scalar, core and caches.
static_assert(member_count<Machine>() == machine_table.size() + 5,
              "a line of the table is missing");
static_assert(member_count<CoreCosts>() == core_table.size(), "a line of the table is missing");
static_assert(member_count<CacheLevel>() == cache_table.size(), "a line of the table is missing");
static_assert(member_count<ArithmeticCosts>() == arithmetic_table.size(),
              "a line of the table is missing");

template <typename Owner>
void append_markdown(std::string &text, const std::string &prefix,
                     std::span<const Field<Owner>> fields) {
    for (const Field<Owner> &f : fields)
        text += "| `" + prefix + std::string(f.text.name) + "` | " + std::string(f.text.unit) +
                " | " + std::string(f.text.doc) + " | " +
                (f.text.measured.empty() ? "not measured" : std::string(f.text.measured)) + " |\n";
}

}  // namespace

std::span<const Field<Machine>> machine_fields() { return machine_table; }
std::span<const Field<CacheLevel>> cache_fields() { return cache_table; }
std::span<const Field<ArithmeticCosts>> arithmetic_fields() { return arithmetic_table; }
std::span<const Field<CoreCosts>> core_fields() { return core_table; }

double FieldValue::as_double() const {
    return std::visit([](const auto *at) { return static_cast<double>(*at); }, number);
}

std::string FieldValue::digits() const {
    char text[32];
    const auto end = std::visit(
        [&](const auto *at) { return std::to_chars(text, text + sizeof text, *at).ptr; }, number);
    return {text, end};
}

std::string FieldValue::complaint() const {
    const double v = as_double();
    if (std::isfinite(v) && (v > 0 || (v == 0 && text->may_be_zero))) return {};
    return "is " + digits() + "; it must be " + (text->may_be_zero ? "0 or more" : "more than 0");
}

std::vector<FieldValue> values_of(Machine &machine) {
    std::vector<FieldValue> values;
    append(values, "", machine_fields(), machine);
    append(values, "vector.", arithmetic_fields(), machine.vector);
    append(values, "scalar.", arithmetic_fields(), machine.scalar);
    append(values, "core.", core_fields(), machine.core);
    for (size_t i = 0; i < machine.caches.size(); i++)
        append(values, "caches[" + std::to_string(i) + "].", cache_fields(), machine.caches[i]);
    return values;
}

std::string what_is_wrong(const Machine &machine) {
    Machine copy = machine;
    for (const FieldValue &v : values_of(copy))
        if (const std::string complaint = v.complaint(); !complaint.empty())
            return "'" + v.key + "' " + complaint;
    if (machine.caches.empty())
        return "'caches' is empty; it must have one level or more, L1 first";
    for (size_t i = 1; i < machine.caches.size(); i++)
        if (machine.caches[i].size_bytes <= machine.caches[i - 1].size_bytes)
            return "'caches[" + std::to_string(i) + "].size_bytes' is " +
                   std::to_string(machine.caches[i].size_bytes) +
                   "; it must be more than that of the level before, which is " +
                   std::to_string(machine.caches[i - 1].size_bytes);
    for (const FieldValue &v : values_of(copy)) {
        if (v.key == "overlap_sharpness" && v.as_double() < 1)
            return "'" + v.key + "' is " + v.digits() + "; it must be 1 or more";
        if (v.text->unit == "share" && v.as_double() > 1)
            return "'" + v.key + "' is " + v.digits() + "; it must be 1 or less";
    }
    if (machine.memory_stream_start_lines_max < machine.memory_stream_start_lines)
        return "'memory_stream_start_lines_max' must not be less than 'memory_stream_start_lines'";
    return {};
}

std::string machine_fields_markdown() {
    std::string text = "| key | unit | what it is | how it is measured |\n|---|---|---|---|\n";
    append_markdown(text, "", machine_fields());
    append_markdown(text, "caches[].", cache_fields());
    append_markdown(text, "vector.", arithmetic_fields());
    append_markdown(text, "core.", core_fields());
    return text;
}

}  // namespace cryolite

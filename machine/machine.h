// What the cost model believes about a CPU. Pure data: a Machine is a value, made from a preset and
// corrected by what detection finds; nothing in the search asks the running machine anything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cryolite {

struct CacheLevel {
    int64_t size_bytes = 0;
    int ways = 8;
    int line_bytes = 64;
    int cores_sharing = 1;
    // Sustained read bandwidth of one core from this level, and of all cores together.
    double core_bytes_per_cycle = 0;
    double total_bytes_per_cycle = 0;
};

// Reciprocal throughput of one core in cycles per instruction on a full natural vector
// (vector_bytes wide), and the same for a scalar where SIMD does not apply.
struct ArithmeticCosts {
    double float_add = 0.5, float_multiply = 0.5;
    double float_divide = 8, float_square_root = 10;
    double integer_simple = 0.5;  // add, min, max, compare, select, bitwise
    double integer_multiply_8 = 3, integer_multiply_16 = 1, integer_multiply_32 = 1.5,
           integer_multiply_64 = 3;
    double integer_divide = 3;           // by a constant, as a multiplication: nearly all there are
    double integer_divide_by_value = 6;  // per element: no processor divides vectors of integers
    // Set bits, or zeros before or after them: without an instruction for it, by tables of half bytes.
    double bit_count = 1;
    double cast = 1;
    double transcendental = 20;      // Halide's polynomial approximations
    double extern_call_scalar = 40;  // per element: never vectorised
    double load = 0.5, store = 1;    // one vector from or to L1
    double shuffle = 1;
    double strided_element = 1.2;  // scalar load and insert
    double gather_element = 1.5;   // the index taken out of a vector, scalar load and insert
};

// What one core does beside operations on full vectors. The defaults are of x86 server cores since 2020.
struct CoreCosts {
    // From one addition to a sum in a register to the next, with what a core loses in waking up the second.
    double accumulate_latency_cycles = 5;
    // From a store to a load of the value (store forwarding). A masked store is not forwarded: it reaches the cache
    // first (39 cycles a step on Zen 5 of a sum in memory under a mask). Nor is a store to a load that begins
    // within it.
    double store_forward_cycles = 5, masked_store_forward_cycles = 34;
    // A store to a line that another core stores to as well, again and again: 11 to 50 on a Zen 5 (eight sums, four by
    // each of two cores).
    double shared_line_cycles = 20;
    double loop_entry_cycles = 5;  // what precedes a serial loop, and its mispredicted exit
    // A branch whose outcome was foretold wrongly: the length of today's pipelines, 11 to 20 stages. A loop of random
    // branches on a busy Zen 3 gave about as much.
    double misprediction_cycles = 17;
    // So many branches with random outcomes are foretold when they come again and again in the same order: some
    // thousand on today's cores. That loop on a Zen 3 learned 8192.
    double branches_learned = 4096;
    double realisation_cycles_per_loop = 10;  // bounds and strides that a realisation computes anew
    // A vector under a condition of its own: a branch, and addresses computed anew.
    double guarded_vector_cycles = 2;
    double spill_cycles = 1.5;  // a vector that does not fit in the registers: stored and loaded
    // A vector's elements stored apart, over scalar stores: they are taken out of it first.
    double scattered_store_factor = 1.5;
    // Share of the lesser of float additions and multiplications that become one instruction with the others.
    double fused_share = 0.9;
    // Share of the lesser of two kinds of float operations that runs beside the greater one: additions, minima,
    // comparisons and conversions are one, multiplications and selections the other. 1 on AMD's cores since Zen, which
    // have two units for each: a Zen 3 was measured to do four a cycle of both kinds, and two of one. 0 where all units
    // do both.
    double float_units_apart = 0;
    double usable_register_share = 0.8;  // of the vector registers, for values that are kept
    // The reorder buffer: 128 on Neoverse N1, 224 on Skylake and Zen 2, 256 on Zen 3, 320 on Zen 4, 448 on Zen 5, 512
    // on Golden Cove.
    double instructions_ahead = 384;
    // What the cache of decoded instructions holds of vector code. It has 4096 places on Zen 3 and Golden Cove and 6144
    // on Zen 5, of which instructions with long addresses take two: a Zen 5 runs 1762 out of it, and not 3281.
    double decoded_instructions = 2500;
    // Beyond it: 16 where the code is in the first cache, 13 out of the second one (measured on a Zen 5).
    double fetched_bytes_per_cycle = 14;
    // Of a sum in memory, the share of the lesser of its loads and stores that does not overlap.
    double exposed_sums_share = 0.5;
    // How often an update at a place that its data chooses, as of a histogram, waits for the one before: an
    // assumption about data.
    double same_place_share = 0.3;
    // Operations of unrolled code that the cache of decoded instructions holds; no schedule has larger bodies.
    double max_unrolled_operations = 2048;
};

struct Machine {
    std::string name;
    int cores = 1;
    double hertz = 3e9;
    int vector_bytes = 32;
    int vector_registers = 16;
    // General registers for the addresses of a body's loads: what loops, bounds and the stack leave of x86-64's 16.
    int address_registers = 10;
    // Whether it has instructions that multiply neighbours and add the products to sums of 32 bits: two words, four
    // unsigned by signed bytes, four bytes of one sign. 1 or 0; the plugin takes them from the target instead.
    int word_products = 0, mixed_byte_products = 0, equal_byte_products = 0;
    int load_bytes = 32;  // of one load: a wider vector is several, each may straddle two lines
    ArithmeticCosts vector;
    ArithmeticCosts scalar;
    CoreCosts core;
    std::vector<CacheLevel> caches;  // L1 data first; the last is the last level
    // Bandwidth of main memory, as CacheLevel's.
    double memory_core_bytes_per_cycle = 4;
    double memory_total_bytes_per_cycle = 8;

    // Prefetching. A core follows this many streams of consecutive lines at once; where a new one
    // starts it waits, in units of one line's time at the bandwidth of the level that serves it.
    // Main memory's streams run at a third of their speed until the prefetchers have caught up:
    // twice the run's own lines, between these two bounds.
    double followed_streams = 16;
    double l1_stream_start_lines = 0.5;  // from L2
    double cache_stream_start_lines = 1.2;
    double memory_stream_start_lines = 4;
    double memory_stream_start_lines_max = 60;

    // How resources that work side by side hide each other (analytical/overlap.h): the share of all but the slowest
    // that stays exposed, between arithmetic and L1 in a core, and among a core and the levels of memory; and the
    // exponent of the norm that stands for the slowest.
    double core_exposed_share = 0.12, memory_exposed_share = 0.5;
    double overlap_sharpness = 32;

    // Of a serial loop that is not unrolled: a counter, and a comparison with its branch, of the six instructions that
    // a core does in a cycle. A rolled loop of scalar loads took 0.58 more than an unrolled one on a Zen 3.
    double loop_iteration_cycles = 0.4;
    double parallel_loop_seconds = 4e-6;  // starting and joining a parallel loop
    double parallel_task_seconds = 4e-7;  // one task of it
    // Cores do not finish together: other programs, clocks and caches delay one by this share of a task.
    double task_jitter_share = 0.25;
    double allocation_seconds = 8e-8;    // a heap allocation and its release
    double page_fault_seconds = 1.5e-6;  // first touch of a fresh page: 0.5 us on bare metal, 2 us
                                         // measured on virtual machines
    int64_t page_bytes = 4096;
    // Pages in a core's first-level table, and what a page costs that only the second-level table knows. On a Sapphire
    // Rapids a load of a chain takes 5 cycles over 96 pages and 11.5 over 128. 64 entries are an assumption.
    int pages_remembered = 64;
    double page_lookup_cycles = 7;
    // Of the C library's allocator; analytical/memory/allocations.h says what they mean.
    int64_t mapped_allocation_bytes = 32 << 20;
    int64_t arena_kept_bytes = 128 << 10;

    // Lines that the prefetchers of L1 and L2 ask for per access to a stream (0: none), and how far
    // ahead of the access that of L2 may run. L1's next-line prefetcher, and L2's streamer with two
    // lines and twenty ahead, are those of Intel's cores since Sandy Bridge (Intel 64 and IA-32
    // Architectures Optimization Reference Manual, "Data Prefetching").
    int l1_prefetch_lines = 1;
    int l2_prefetch_lines = 2;
    int l2_prefetch_distance_lines = 20;

    double cycles_to_seconds(double cycles) const { return cycles / hertz; }
    int line_bytes() const { return caches.empty() ? 64 : caches[0].line_bytes; }
};

}  // namespace cryolite

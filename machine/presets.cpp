#include "machine/presets.h"

namespace cryolite {
namespace {

// Zen 4 server core (512-bit operations issue as two 256-bit halves). Near what `cryolite machine calibrate`
// finds on a virtual EPYC with two cores: the costs of vectors, the clock, one core's bandwidth from memory
// and the starts of streams. Not measured: scalar costs (AMD's software optimisation guide for family 19h),
// the caches' sizes (EPYC 9004) and bandwidths, and that of memory to all cores, which is twice one core's.
Machine x86_avx512() {
    Machine m;
    m.name = "x86-avx512";
    m.cores = 8;
    m.hertz = 3.7e9;
    m.core.instructions_ahead = 320;
    m.vector_bytes = 64;
    m.vector_registers = 32;
    m.word_products = m.mixed_byte_products = 1;
    m.load_bytes = 32;
    m.core.float_units_apart = 1;
    m.vector = {.float_add = 1.0,
                .float_multiply = 1.0,
                .float_divide = 6,
                .float_square_root = 10,
                .integer_simple = 0.6,
                .integer_multiply_8 = 4.5,
                .integer_multiply_16 = 1,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 1,
                .integer_divide = 3.4,
                .bit_count = 1.2,
                .cast = 1.25,
                .transcendental = 13,
                .extern_call_scalar = 32,
                .load = 1.0,
                .store = 2.0,
                .shuffle = 0.7,
                .strided_element = 0.6,
                .gather_element = 1.8};
    m.scalar = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 5,
                .float_square_root = 6,
                .integer_simple = 0.3,
                .integer_multiply_8 = 1,
                .integer_multiply_16 = 1,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 1,
                .integer_divide = 3,
                .cast = 0.5,
                .transcendental = 22,
                .extern_call_scalar = 40,
                .load = 0.5,
                .store = 1.0,
                .shuffle = 0,
                .strided_element = 0.5,
                .gather_element = 0.5};
    m.caches = {
        {32 << 10, 8, 64, 1, 64, 64}, {1 << 20, 8, 64, 1, 36, 36}, {16 << 20, 16, 64, 8, 16, 100}};
    m.memory_core_bytes_per_cycle = 9;
    m.memory_total_bytes_per_cycle = 18;
    m.cache_stream_start_lines = 4;
    m.memory_stream_start_lines = 10;
    return m;
}

// Zen 5 server core: 512-bit operations issue whole. As above near what calibrate finds, on a virtual EPYC
// with two such cores; not measured are the caches' sizes (EPYC 9005) and what more than two cores get
// together of a cache or of memory.
Machine x86_avx512_zen5() {
    Machine m = x86_avx512();
    m.name = "x86-avx512-zen5";
    m.hertz = 4.1e9;
    m.core.instructions_ahead = 448;
    m.load_bytes = 64;
    m.vector = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 2.5,
                .float_square_root = 4.4,
                .integer_simple = 0.3,
                .integer_multiply_8 = 2.6,
                .integer_multiply_16 = 0.5,
                .integer_multiply_32 = 0.5,
                .integer_multiply_64 = 0.5,
                .integer_divide = 1.8,
                .bit_count = 0.5,
                .cast = 0.62,
                .transcendental = 6.7,
                .extern_call_scalar = 27,
                .load = 0.5,
                .store = 1.0,
                .shuffle = 0.34,
                .strided_element = 0.5,
                .gather_element = 0.9};
    m.scalar = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 2.5,
                .float_square_root = 4.5,
                .integer_simple = 0.3,
                .integer_multiply_8 = 0.4,
                .integer_multiply_16 = 0.5,
                .integer_multiply_32 = 0.35,
                .integer_multiply_64 = 0.35,
                .integer_divide = 1.7,
                .cast = 0.6,
                .transcendental = 11,
                .extern_call_scalar = 27,
                .load = 0.5,
                .store = 0.5,
                .shuffle = 0,
                .strided_element = 0.5,
                .gather_element = 0.6};
    m.caches = {{48 << 10, 12, 64, 1, 115, 115},
                {1 << 20, 16, 64, 1, 62, 62},
                {32 << 20, 16, 64, 8, 22, 140}};
    m.memory_core_bytes_per_cycle = 10;
    m.memory_total_bytes_per_cycle = 18;
    m.cache_stream_start_lines = 2.3;
    m.memory_stream_start_lines_max = 16;
    return m;
}

// Sapphire Rapids server core: two pipes of 512 bits for floating point, two loads and one store a cycle.
// Near what calibrate finds on a virtual Xeon with two such cores (the median of four runs), whose last
// level and memory are shared with many others: memory's bandwidth is that of such a guest. Not measured
// are the caches' sizes (Xeon Platinum 8400: 1.875 MB of last level a core) and what more than two cores get
// together of a cache or of memory.
Machine x86_avx512_sapphire_rapids() {
    Machine m = x86_avx512();
    m.name = "x86-avx512-sapphirerapids";
    m.hertz = 3.7e9;
    m.core.instructions_ahead = 512;
    m.load_bytes = 64;
    m.core.float_units_apart = 0;
    m.pages_remembered = 96;
    m.page_lookup_cycles = 6.5;
    m.vector = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 10,
                .float_square_root = 12,
                .integer_simple = 0.6,
                .integer_multiply_8 = 8,
                .integer_multiply_16 = 0.5,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 1.6,
                .integer_divide = 3.3,
                .bit_count = 1,
                .cast = 1.2,
                .transcendental = 9.2,
                .extern_call_scalar = 25,
                .load = 0.5,
                .store = 1.0,
                .shuffle = 0.64,
                .strided_element = 0.9,
                .gather_element = 2};
    m.scalar = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 2.8,
                .float_square_root = 2.8,
                .integer_simple = 0.3,
                .integer_multiply_8 = 1,
                .integer_multiply_16 = 1,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 1,
                .integer_divide = 1.5,
                .cast = 0.7,
                .transcendental = 9.5,
                .extern_call_scalar = 25,
                .load = 0.33,
                .store = 0.5,
                .shuffle = 0,
                .strided_element = 0.33,
                .gather_element = 0.7};
    m.caches = {{48 << 10, 12, 64, 1, 112, 112},
                {2 << 20, 16, 64, 1, 49, 49},
                {60 << 20, 15, 64, 32, 11, 340}};
    m.memory_core_bytes_per_cycle = 4.2;
    m.memory_total_bytes_per_cycle = 8;
    m.followed_streams = 32;
    m.cache_stream_start_lines = 6.5;
    m.memory_stream_start_lines = 4.5;
    m.memory_stream_start_lines_max = 6;
    return m;
}

// Cores without AVX-512, such as Intel's since Haswell: two 256-bit floating-point pipes, three integer ones, one for
// shuffles. No such core was measured but the Zen 3 below. Throughputs are what is commonly published of Intel's cores
// since Skylake; that of an exponential and the caches' bandwidths are near the Zen 3's.
Machine x86_avx2() {
    Machine m;
    m.name = "x86-avx2";
    m.cores = 8;
    m.hertz = 3.0e9;
    m.core.instructions_ahead = 224;
    m.vector_bytes = 32;
    m.vector_registers = 16;
    m.word_products = 1;
    m.load_bytes = 32;
    m.scalar = x86_avx512().scalar;
    m.vector = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 5,
                .float_square_root = 6,
                .integer_simple = 0.35,
                .integer_multiply_8 = 2,
                .integer_multiply_16 = 0.5,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 3,
                .integer_divide = 2.5,
                .bit_count = 2.5,
                .cast = 1,
                .transcendental = 10,
                .extern_call_scalar = 40,
                .load = 0.5,
                .store = 1.0,
                .shuffle = 1.0,
                .strided_element = 1,
                .gather_element = 1.5};
    m.caches = {
        {32 << 10, 8, 64, 1, 60, 60}, {512 << 10, 8, 64, 1, 30, 30}, {16 << 20, 16, 64, 8, 12, 80}};
    m.memory_core_bytes_per_cycle = 10;
    m.memory_total_bytes_per_cycle = 20;
    return m;
}

// Zen 3 server core. Near what calibrate finds on a virtual EPYC with two such cores (the median of four runs), but for
// elements at a stride. Calibrate finds 0.5 for floats; bytes and 16-bit integers take 0.9 to 1, and floats as long
// where each is in a line of its own and its address is computed. Not measured are the caches' sizes (EPYC 7003) and
// what more than two cores get together of a cache or of memory.
Machine x86_avx2_zen3() {
    Machine m = x86_avx2();
    m.name = "x86-avx2-zen3";
    m.hertz = 3.2e9;
    m.core.instructions_ahead = 256;
    m.core.float_units_apart = 1;
    m.vector = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 3,
                .float_square_root = 5,
                .integer_simple = 0.26,
                .integer_multiply_8 = 2.1,
                .integer_multiply_16 = 0.5,
                .integer_multiply_32 = 0.5,
                .integer_multiply_64 = 1.9,
                .integer_divide = 1.9,
                .bit_count = 2.3,
                .cast = 0.83,
                .transcendental = 7.9,
                .extern_call_scalar = 40,
                .load = 0.52,
                .store = 1.0,
                .shuffle = 0.7,
                .strided_element = 0.95,
                .gather_element = 1.5};
    m.scalar = {.float_add = 0.5,
                .float_multiply = 0.5,
                .float_divide = 3,
                .float_square_root = 5,
                .integer_simple = 0.37,
                .integer_multiply_8 = 1,
                .integer_multiply_16 = 1,
                .integer_multiply_32 = 1,
                .integer_multiply_64 = 1,
                .integer_divide = 2.1,
                .cast = 0.95,
                .transcendental = 13,
                .extern_call_scalar = 40,
                .load = 0.52,
                .store = 1.0,
                .shuffle = 0,
                .strided_element = 0.51,
                .gather_element = 0.9};
    m.caches = {{32 << 10, 8, 64, 1, 60, 60},
                {512 << 10, 8, 64, 1, 31.7, 31.7},
                {32 << 20, 16, 64, 8, 17, 100}};
    m.memory_core_bytes_per_cycle = 6.5;
    m.memory_total_bytes_per_cycle = 11.3;
    m.followed_streams = 18;
    m.cache_stream_start_lines = 7;
    m.memory_stream_start_lines = 11;
    m.memory_stream_start_lines_max = 30;
    return m;
}

// SSE4.1 only: half of AVX2's width.
Machine x86_sse() {
    Machine m = x86_avx2();
    m.name = "x86-sse4";
    m.vector_bytes = m.load_bytes = 16;
    return m;
}

// Neoverse N1 class: two 128-bit pipes (Arm's software optimisation guide for Neoverse N1).
Machine arm_neon() {
    Machine m = x86_avx2();
    m.name = "arm-neon";
    m.hertz = 2.6e9;
    m.core.instructions_ahead = 128;
    m.vector_bytes = m.load_bytes = 16;
    m.vector_registers = 32;
    m.word_products = 0;
    m.address_registers = 24;  // of 31
    m.vector.integer_simple = 0.5;
    m.vector.integer_multiply_8 = 1;
    m.vector.integer_multiply_16 = 1;
    m.vector.bit_count = 1.5;  // of bytes, and sums of neighbours
    m.vector.shuffle = 0.5;
    m.caches = {
        {64 << 10, 4, 64, 1, 32, 32}, {1 << 20, 8, 64, 1, 16, 16}, {32 << 20, 16, 64, 16, 8, 80}};
    return m;
}

}  // namespace

const std::vector<MachinePreset> &machine_presets() {
    static const std::string avx2 = "x86-64-linux-avx-avx2-f16c-fma-sse41",
                             avx512 = avx2 + "-avx512-avx512_skylake-avx512_cannonlake";
    static const std::vector<MachinePreset> presets = {
        {"x86-avx512", "x86-64 with AVX-512, after Zen 4: 32 KB L1, 1 MB L2, 16 MB L3",
         avx512 + "-avx512_zen4", x86_avx512()},
        {"x86-avx512-zen5",
         "x86-64 with AVX-512 in whole vectors, after Zen 5: 48 KB L1, 1 MB L2, 32 MB L3",
         avx512 + "-avx512_zen4-avx512_zen5", x86_avx512_zen5()},
        {"x86-avx512-sapphirerapids",
         "x86-64 with AVX-512 in whole vectors, after Sapphire Rapids, for all of Intel's: 48 KB "
         "L1, 2 MB L2, 60 MB L3",
         avx512 + "-avx512_sapphirerapids", x86_avx512_sapphire_rapids()},
        {"x86-avx2",
         "x86-64 with AVX2, after Intel's cores since Haswell: 32 KB L1, 512 KB L2, 16 MB L3", avx2,
         x86_avx2()},
        {"x86-avx2-zen3",
         "x86-64 with AVX2, after Zen 3, for Zen 2 too: 32 KB L1, 512 KB L2, 32 MB L3",
         avx2 + "-tune_znver3", x86_avx2_zen3()},
        {"x86-sse4", "x86-64 with SSE4.1 only", "x86-64-linux-sse41", x86_sse()},
        {"arm-neon", "64-bit Arm with NEON, after Neoverse N1: 64 KB L1, 1 MB L2, 32 MB L3",
         "arm-64-linux", arm_neon()},
    };
    return presets;
}

Result<Machine> machine_preset(std::string_view name) {
    std::string known;
    for (const MachinePreset &p : machine_presets()) {
        if (p.name == name) return p.machine;
        known += "\n  " + p.name + "  (" + p.doc + ")";
    }
    return Error{"unknown machine '" + std::string(name) + "'; the machines are:" + known};
}

Result<Machine> machine_for_target(const TargetTraits &target) {
    using Architecture = TargetTraits::Architecture;
    using Core = TargetTraits::Core;
    auto named = [&](const char *name) {
        Machine m = *machine_preset(name);
        m.vector_bytes = target.natural_vector_bytes;
        return m;
    };
    // Cores with AVX-512 that are not AMD's are Intel's, all of which compute whole vectors at once.
    if (target.architecture == Architecture::X86 && target.avx512)
        return named(target.core == Core::Zen5   ? "x86-avx512-zen5"
                     : target.core == Core::Zen4 ? "x86-avx512"
                                                 : "x86-avx512-sapphirerapids");
    if (target.architecture == Architecture::X86)
        return named(target.avx2 && target.core != Core::Any ? "x86-avx2-zen3"
                     : target.avx || target.avx2             ? "x86-avx2"
                                                             : "x86-sse4");
    if (target.architecture == Architecture::Arm) return named("arm-neon");
    return Error{
        "no machine model for target '" + target.text +
        "'; name the nearest one with autoscheduler.machine=NAME, where NAME is one of: " + [] {
            std::string names;
            for (const MachinePreset &p : machine_presets())
                names += (names.empty() ? "" : ", ") + p.name;
            return names;
        }()};
}

}  // namespace cryolite

#include "machine/host_traits.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace cryolite {

#if defined(__x86_64__) || defined(__i386__)
namespace {

// The compilers that we support do not all know the processor by name. Family: AMD64 Architecture
// Programmer's Manual, volume 3, CPUID function 1.
bool is_zen5_or_newer() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != signature_AMD_ebx) return false;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
    const unsigned base = eax >> 8 & 0xf, extended = eax >> 20 & 0xff;
    return base + extended >= 0x1a;
}

// Half floats in vectors, function 7 (Intel's Software Developer's Manual, volume 2A).
bool has_avx512_fp16() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx >> 23 & 1) != 0;
}

}  // namespace
#endif

TargetTraits host_traits() {
    TargetTraits t;
    t.text = "host";
    t.bits = static_cast<int>(8 * sizeof(void *));
#if defined(__x86_64__) || defined(__i386__)
    t.architecture = TargetTraits::Architecture::X86;
    __builtin_cpu_init();
    t.avx = __builtin_cpu_supports("avx");
    t.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    t.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    t.avx512_zen5 = t.avx512 && is_zen5_or_newer();
    t.avx512_fp16 = t.avx512 && has_avx512_fp16();
    t.natural_vector_bytes = t.avx512 ? 64 : t.avx2 ? 32 : 16;
#elif defined(__aarch64__)
    t.architecture = TargetTraits::Architecture::Arm;
#else
    t.architecture = TargetTraits::Architecture::Other;
#endif
    return t;
}

}  // namespace cryolite

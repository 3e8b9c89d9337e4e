#include "machine/host_traits.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace cryolite {

#if defined(__x86_64__) || defined(__i386__)
namespace {

// The compilers that we support do not all know the processor by name. Family and model: AMD64 Architecture
// Programmer's Manual, volume 3, CPUID function 1. Family 17h up to model 2Fh is Zen 1, whose pipes are half as wide.
TargetTraits::Core core_of_host(bool avx512) {
    using Core = TargetTraits::Core;
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != signature_AMD_ebx) return Core::Any;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return Core::Any;
    const unsigned base = eax >> 8 & 0xf, extended = eax >> 20 & 0xff, family = base + extended;
    const unsigned model = (eax >> 12 & 0xf0) | (eax >> 4 & 0xf);
    if (family >= 0x1a) return Core::Zen5;
    if (family == 0x19) return avx512 ? Core::Zen4 : Core::Zen3;
    return family == 0x17 && model >= 0x30 ? Core::Zen3 : Core::Any;
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
    t.core = core_of_host(t.avx512);
    t.natural_vector_bytes = t.avx512 ? 64 : t.avx2 ? 32 : 16;
#elif defined(__aarch64__)
    t.architecture = TargetTraits::Architecture::Arm;
#else
    t.architecture = TargetTraits::Architecture::Other;
#endif
    return t;
}

}  // namespace cryolite

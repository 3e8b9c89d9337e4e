#include "machine/host_traits.h"

namespace cryolite {

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
    t.natural_vector_bytes = t.avx512 ? 64 : t.avx2 ? 32 : 16;
#elif defined(__aarch64__)
    t.architecture = TargetTraits::Architecture::Arm;
#else
    t.architecture = TargetTraits::Architecture::Other;
#endif
    return t;
}

}  // namespace cryolite

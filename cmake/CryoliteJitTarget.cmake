# SPDX-License-Identifier: MIT
# CRYOLITE_JIT_TARGET: the target that tests compile for, where Halide's own idea of this computer is wrong;
# else empty. Halide 19 takes a Zen 5 for a Sapphire Rapids, and what it makes for `host` dies of an illegal
# instruction (arithmetic on half-precision floats, which that one has). It knows the Zen 4, which will do.
set(CRYOLITE_JIT_TARGET "")
if(Halide_VERSION VERSION_LESS 21 AND EXISTS "/proc/cpuinfo")
    file(STRINGS "/proc/cpuinfo" flags REGEX "^flags" LIMIT_COUNT 1)
    # What both have, without what the latter adds.
    if(flags MATCHES " avx_vnni " AND flags MATCHES " avx512_bf16 "
       AND NOT flags MATCHES " avx512_fp16 ")
        string(CONCAT CRYOLITE_JIT_TARGET
               "x86-64-linux-sse41-avx-avx2-fma-f16c-avx512-avx512_skylake-avx512_cannonlake-"
               "avx512_zen4")
    endif()
    unset(flags)
endif()
# For tests that are not part of the build.
set(CRYOLITE_JIT_TARGET "${CRYOLITE_JIT_TARGET}" CACHE INTERNAL "The target that tests compile for; empty: host")

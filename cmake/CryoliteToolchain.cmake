# SPDX-License-Identifier: MIT
# Compiler, warnings, sanitizers and the speed-ups of the build itself. Nothing here changes what
# the code does; it is apart so that the top-level file reads as a table of contents.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)  # we have none, and the scan costs a process per file
# The plugin is loaded into another process: only what its entry needs may be visible.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
# One precompiled header serves libraries and executables only if all are compiled alike.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# -g1 keeps function names and lines for stack traces at a small cost in link time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

add_library(cryolite_flags INTERFACE)
target_compile_options(cryolite_flags INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # These come out of the optimiser: what they say differs from one version of the
    # compiler to the next, and a user's newer compiler must not fail on a false alarm.
    target_compile_options(cryolite_flags INTERFACE
        -Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow
        -Wno-error=restrict)
    # GCC 13 and newer take a reference that a function returns for one to its temporary arguments, such as callbacks.
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        target_compile_options(cryolite_flags INTERFACE -Wno-dangling-reference)
    endif()
endif()
target_include_directories(cryolite_flags INTERFACE "${PROJECT_SOURCE_DIR}")

if(CRYOLITE_SANITIZE)
    add_compile_options(-fsanitize=${CRYOLITE_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CRYOLITE_SANITIZE})
    if(CRYOLITE_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()

find_program(CRYOLITE_CCACHE ccache)
if(CRYOLITE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Without this sloppiness ccache refuses every file that uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CRYOLITE_CCACHE})
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()

# What nothing calls is left out of programs. So cryolite_runner, which carries the C++ library, asks for an older
# glibc.
add_link_options($<$<PLATFORM_ID:Linux>:-Wl,--gc-sections>)

# mold, else lld, else the compiler's own choice. Sanitizers stay with the latter: it is the one
# that the compiler's runtime is tested with.
if(NOT CRYOLITE_SANITIZE)
    find_program(CRYOLITE_MOLD mold)
    find_program(CRYOLITE_LLD ld.lld)
    if(CRYOLITE_MOLD)
        add_link_options(-fuse-ld=mold)
    elseif(CRYOLITE_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
endif()

# SPDX-License-Identifier: MIT
# How a room, a test and a program are declared. Each is a thin function over CMake's own, so that
# every target of the tree gets the same flags and the rooms' files hold only names.

# cryolite_precompiled_header(NAME HEADERS <header>... [DEPENDS target...] [OPTIONS option...])
# A header that targets with the same compile options reuse. CRYOLITE_PRECOMPILE_HEADERS=OFF: none does.
function(cryolite_precompiled_header name)
    if(NOT CRYOLITE_PRECOMPILE_HEADERS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;DEPENDS;OPTIONS")
    set(source "${PROJECT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Only here to carry the precompiled header.\n")
    add_library(${name} STATIC "${source}")
    target_link_libraries(${name} PRIVATE cryolite_flags ${ARG_DEPENDS})
    target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# For code that waits for files, compilers and people: what counts is how much of it every user downloads.
set(CRYOLITE_SMALL_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-Os>)

# For the targets that link Halide directly.
function(cryolite_precompile_halide)
    cryolite_precompiled_header(cryolite_halide_header HEADERS <Halide.h> DEPENDS Halide::Halide)
    cryolite_precompiled_header(cryolite_halide_small_header
        HEADERS <Halide.h> DEPENDS Halide::Halide OPTIONS ${CRYOLITE_SMALL_OPTIONS})
endfunction()

# What tests spend their time in is compiled elsewhere: the rooms, and what Halide makes.
set(CRYOLITE_TEST_OPTIONS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU,Clang>>:-O1>)

# For tests: with Halide and without.
function(cryolite_precompile_tests)
    set(headers <gtest/gtest.h> <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map>
                <memory> <numeric> <optional> <random> <set> <span> <sstream> <string> <vector>)
    cryolite_precompiled_header(cryolite_test_header
        HEADERS ${headers} DEPENDS GTest::gtest OPTIONS ${CRYOLITE_TEST_OPTIONS})
    cryolite_precompiled_header(cryolite_halide_test_header
        HEADERS <Halide.h> ${headers} DEPENDS Halide::Halide GTest::gtest OPTIONS ${CRYOLITE_TEST_OPTIONS})
endfunction()

# Flags, links and the shared precompiled header.
function(_cryolite_finish target)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "TEST;SMALL" "SCOPE" "DEPENDS")
    target_link_libraries(${target} PRIVATE cryolite_flags)
    target_link_libraries(${target} ${ARG_SCOPE} ${ARG_DEPENDS})
    set(header cryolite)
    if("Halide::Halide" IN_LIST ARG_DEPENDS)
        string(APPEND header _halide)
    endif()
    if(ARG_TEST)
        string(APPEND header _test)
        target_compile_options(${target} PRIVATE ${CRYOLITE_TEST_OPTIONS})
    elseif(ARG_SMALL)
        string(APPEND header _small)
        target_compile_options(${target} PRIVATE ${CRYOLITE_SMALL_OPTIONS})
    endif()
    if(TARGET ${header}_header)
        target_precompile_headers(${target} REUSE_FROM ${header}_header)
    endif()
endfunction()

# cryolite_room(NAME [SMALL] SOURCES file... [DEPENDS target...])
# Makes the static library cryolite_NAME. A room without SOURCES is headers only. SMALL: compiled for size, as
# cryolite_make_small() does for what does not link Halide.
function(cryolite_room name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "SMALL" "" "SOURCES;DEPENDS")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cryolite_room(${name}): not understood: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_SOURCES)
        add_library(cryolite_${name} INTERFACE)
        target_link_libraries(cryolite_${name} INTERFACE ${ARG_DEPENDS})
        target_include_directories(cryolite_${name} INTERFACE "${PROJECT_SOURCE_DIR}")
        return()
    endif()
    add_library(cryolite_${name} STATIC ${ARG_SOURCES})
    set(small "")
    if(ARG_SMALL)
        set(small SMALL)
    endif()
    _cryolite_finish(cryolite_${name} ${small} SCOPE PUBLIC DEPENDS ${ARG_DEPENDS})
    target_include_directories(cryolite_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
endfunction()

# cryolite_make_small(NAME...)
# Compiles the targets for size (CRYOLITE_SMALL_OPTIONS).
function(cryolite_make_small)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE ${CRYOLITE_SMALL_OPTIONS})
    endforeach()
endfunction()

# cryolite_test(NAME SOURCES file... [DEPENDS target...] [LABELS label...] [TIMEOUT seconds])
# Makes a GoogleTest executable and one ctest entry per case. The label is the room, that is the
# folder under tests/; LABELS adds more ("smoke": the short set that every Halide version runs).
function(cryolite_test name)
    if(NOT CRYOLITE_BUILD_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cryolite_test(${name}): not understood: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 600)
    endif()
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME room)
    add_executable(${name} ${ARG_SOURCES})
    _cryolite_finish(${name} TEST SCOPE PRIVATE DEPENDS ${ARG_DEPENDS} GTest::gtest_main)
    if("smoke" IN_LIST ARG_LABELS)
        add_dependencies(smoke_tests ${name})
    endif()
    # The semicolon must survive two rounds of expansion inside gtest_discover_tests.
    list(JOIN ARG_LABELS "\\;" extra_labels)
    if(extra_labels)
        set(extra_labels "\\;${extra_labels}")
    endif()
    set(environment "")
    if(CRYOLITE_JIT_TARGET)
        set(environment ENVIRONMENT "HL_JIT_TARGET=${CRYOLITE_JIT_TARGET}")
    endif()
    gtest_discover_tests(${name}
        TEST_PREFIX "${room}/" NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${room}${extra_labels}" TIMEOUT ${ARG_TIMEOUT} ${environment})
endfunction()

# cryolite_program(NAME SOURCES file... [DEPENDS target...]): an executable with our flags.
function(cryolite_program name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;DEPENDS")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cryolite_program(${name}): not understood: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    add_executable(${name} ${ARG_SOURCES})
    _cryolite_finish(${name} SCOPE PRIVATE DEPENDS ${ARG_DEPENDS})
endfunction()

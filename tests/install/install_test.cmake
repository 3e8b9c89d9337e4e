# Installs into a scratch prefix, then configures, builds and runs the user's project against it.
function(step)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "ended with ${status}")
    endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
step("${CMAKE_COMMAND}" --install "${CRYOLITE_BUILD}" --prefix "${SCRATCH}/prefix"
     --component plugin)
if(HAS_TOOLS)
    step("${CMAKE_COMMAND}" --install "${CRYOLITE_BUILD}" --prefix "${SCRATCH}/prefix"
         --component tools)
endif()
# Moved, to prove that nothing in the tree remembers where it was installed.
file(RENAME "${SCRATCH}/prefix" "${SCRATCH}/moved")
step("${CMAKE_COMMAND}" -S "${PROJECT}" -B "${SCRATCH}/build" -G Ninja
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
     -DHalide_DIR=${Halide_DIR} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
step("${CMAKE_COMMAND}" --build "${SCRATCH}/build")
step("${SCRATCH}/build/smooth_user")
# Nobody tunes by accident; who does gets a schedule, found by the installed programs.
if(HAS_TOOLS)
    if(EXISTS "${SCRATCH}/build/tuned")
        message(FATAL_ERROR "a plain build tunes")
    endif()
    step("${CMAKE_COMMAND}" --build "${SCRATCH}/build" --target tune_smooth)
    if(NOT EXISTS "${SCRATCH}/build/tuned/best.schedule.h")
        message(FATAL_ERROR "tuning left no schedule")
    endif()
endif()

# A project that uses another Halide is told so when it is configured.
file(WRITE "${SCRATCH}/other/CMakeLists.txt" "
cmake_minimum_required(VERSION 3.25)
project(other NONE)
set(Halide_FOUND TRUE)
set(Halide_VERSION 18.0.0)
find_package(Cryolite REQUIRED)
")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SCRATCH}/other" -B "${SCRATCH}/other/build"
                        -G Ninja -DCMAKE_PREFIX_PATH=${SCRATCH}/moved
                OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT complaint MATCHES "was built for Halide")
    message(FATAL_ERROR "a project with another Halide was not refused clearly: ${complaint}")
endif()

# By PyPI's folder of Halide alone, as docs/cmake.md says it: CMake does not look into lib64 on Debian by itself.
cmake_path(SET halide_prefix NORMALIZE "${Halide_DIR}/../../..")
step("${CMAKE_COMMAND}" -S "${ROUTES}" -B "${SCRATCH}/by_prefix" -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
     "-DCMAKE_PREFIX_PATH=${halide_prefix}\\;${SCRATCH}/moved")

# As a Debian package.
find_program(dpkg_deb dpkg-deb)
cmake_path(GET CMAKE_COMMAND PARENT_PATH cmake_folder)
if(dpkg_deb AND HAS_TOOLS)
    step("${cmake_folder}/cpack" -G DEB --config "${CRYOLITE_BUILD}/CPackConfig.cmake" -B "${SCRATCH}/deb")
    file(GLOB packages "${SCRATCH}/deb/cryolite_*.deb")
    list(LENGTH packages count)
    if(NOT count EQUAL 1)
        message(FATAL_ERROR "not one package: ${packages}")
    endif()
    step("${dpkg_deb}" -x "${packages}" "${SCRATCH}/unpacked")
    step("${CMAKE_COMMAND}" -S "${ROUTES}" -B "${SCRATCH}/by_deb" -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
         "-DCMAKE_PREFIX_PATH=${halide_prefix}\\;${SCRATCH}/unpacked/usr")
    step("${SCRATCH}/unpacked/usr/bin/cryolite" --version)
endif()

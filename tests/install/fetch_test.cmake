# Another project that has Cryolite as a part of it, by FetchContent. It is configured, with a look at what it would
# build. Where BUILD says so, it is built, which compiles the plugin anew, and run.
function(step)
    execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "ended with ${status}")
    endif()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
step("${CMAKE_COMMAND}" -S "${ROUTES}" -B "${SCRATCH}" -G Ninja -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
     -DCMAKE_CXX_COMPILER=${COMPILER} -DHalide_DIR=${Halide_DIR} -DROUTE=fetch "-DCHECKOUT=${CHECKOUT}")
# What the library waits for: the plugin, and nothing that only its developers need.
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${SCRATCH}" --target smooth -- -n
                OUTPUT_VARIABLE planned COMMAND_ERROR_IS_FATAL ANY)
if(NOT planned MATCHES "libautoschedule_cryolite.so" OR planned MATCHES "gtest|[/ ]cryolite_runner|apps/")
    message(FATAL_ERROR "a project with Cryolite as a part of it builds:\n${planned}")
endif()
if(BUILD)
    step("${CMAKE_COMMAND}" --build "${SCRATCH}" --target smooth_user -j 2)
    step("${SCRATCH}/smooth_user")
    file(READ "${SCRATCH}/smooth.schedule.h" schedule)
    if(NOT schedule MATCHES "vectorize")
        message(FATAL_ERROR "this is no schedule: ${schedule}")
    endif()
endif()
# Hundreds of megabytes.
file(REMOVE_RECURSE "${SCRATCH}")

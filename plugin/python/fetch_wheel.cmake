# SPDX-License-Identifier: MIT
#
# halide_cryolite_fetch_wheel(NAME VERSION VARIABLE): sets VARIABLE to a folder with the files of that wheel, fetched by
# pip from wherever it is set up to fetch from. Two versions of one package can lie side by side so.
function(halide_cryolite_fetch_wheel name version variable)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}-${version}")
    set(${variable} "${folder}" PARENT_SCOPE)
    if(EXISTS "${folder}")
        return()
    endif()
    message(STATUS "Fetching ${name} ${version}")
    execute_process(
        COMMAND "${Python3_EXECUTABLE}" -m pip --disable-pip-version-check install --quiet --no-deps
                --only-binary=:all: --target "${folder}.partial" ${name}==${version}
        RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "pip cannot fetch ${name} ${version}")
    endif()
    file(RENAME "${folder}.partial" "${folder}")
endfunction()

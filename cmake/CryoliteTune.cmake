# SPDX-License-Identifier: MIT
# cryolite_tune(NAME FROM generator [GENERATOR name] FOLDER folder [BUDGET budget]
#               [TARGET halide-target] [PARAMS key=value...] [OPTIONS option...])
#
# Makes the target NAME, which tunes the generator's pipeline with `cryolite tune` into FOLDER. Nothing builds it by itself:
#     cmake --build build --target NAME
# It goes on where it ended before. A build takes what it found with
#     add_halide_library(... AUTOSCHEDULER Cryolite::Cryolite
#                        PARAMS autoscheduler.mode=replay autoscheduler.trace_file=FOLDER/best.trace)
#
# GENERATOR: the name in the program; default: NAME without a leading "tune_". OPTIONS: of the command, as in docs/tune.md.
function(cryolite_tune name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "FROM;GENERATOR;FOLDER;BUDGET;TARGET" "PARAMS;OPTIONS")
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "cryolite_tune(${name}): not understood: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    foreach(needed FROM FOLDER)
        if(NOT ARG_${needed})
            message(FATAL_ERROR "cryolite_tune(${name}) needs ${needed}")
        endif()
    endforeach()
    if(NOT TARGET ${ARG_FROM})
        message(FATAL_ERROR "cryolite_tune(${name}): there is no target ${ARG_FROM}")
    endif()
    if(NOT ARG_GENERATOR)
        string(REGEX REPLACE "^tune_" "" ARG_GENERATOR "${name}")
    endif()
    set(command "$<TARGET_FILE:Cryolite::cryolite>" tune "$<TARGET_FILE:${ARG_FROM}>"
                -g "${ARG_GENERATOR}" -o "${ARG_FOLDER}" --compiler "${CMAKE_CXX_COMPILER}"
                --plugin "$<TARGET_FILE:Cryolite::Cryolite>")
    if(ARG_BUDGET)
        list(APPEND command --budget "${ARG_BUDGET}")
    endif()
    if(ARG_TARGET)
        list(APPEND command --target "${ARG_TARGET}")
    endif()
    add_custom_target(${name} COMMAND ${command} ${ARG_OPTIONS} ${ARG_PARAMS}
                      DEPENDS ${ARG_FROM} USES_TERMINAL VERBATIM
                      COMMENT "Tuning ${ARG_GENERATOR} into ${ARG_FOLDER}")
endfunction()

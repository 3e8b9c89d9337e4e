# SPDX-License-Identifier: MIT
# cryolite_nontemporal_library(NAME BITCODE file OUTPUTS output...)
# Makes the static library NAME of a Halide pipeline's bitcode, with the vector stores to these
# outputs streamed past the caches. It defines what the pipeline's own library defines: link the one
# or the other, beside Halide's runtime.
#
#   add_halide_library(copy FROM copy.generator BITCODE copy_bitcode)
#   cryolite_nontemporal_library(copy_streaming BITCODE ${copy_bitcode} OUTPUTS output)
#   target_link_libraries(app PRIVATE copy_streaming copy.runtime)
#   target_include_directories(app PRIVATE ${CMAKE_CURRENT_BINARY_DIR})   # copy.h
function(cryolite_nontemporal_library name)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "BITCODE" "OUTPUTS")
    if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_BITCODE OR NOT ARG_OUTPUTS)
        message(FATAL_ERROR "cryolite_nontemporal_library(${name}) needs BITCODE and OUTPUTS, "
                            "and nothing else: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}${CMAKE_CXX_OUTPUT_EXTENSION}")
    list(TRANSFORM ARG_OUTPUTS PREPEND "--stream=" OUTPUT_VARIABLE streams)
    add_custom_command(
        OUTPUT "${object}"
        COMMAND Cryolite::nontemporal "${ARG_BITCODE}" -o "${object}" ${streams}
        DEPENDS "${ARG_BITCODE}" Cryolite::nontemporal
        COMMENT "Streaming the stores of ${name}"
        VERBATIM)
    add_library(${name} STATIC "${object}")
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endfunction()

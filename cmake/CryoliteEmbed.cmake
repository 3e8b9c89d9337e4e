# SPDX-License-Identifier: MIT
# Files as text in a program.
#
# cryolite_embed(OUTPUT NAMESPACE namespace FUNCTION name FILES file...)
# Makes OUTPUT, a source that defines Pieces NAMESPACE::FUNCTION(): the files one after another, in pieces. It includes
# HEADER, which declares the function. Run as a script (cmake -P) it writes that source; so the files are read when the
# program is built, and again when one has changed.

# The most that a standard asks a compiler to take as one text; some warn beyond it.
set(piece_bytes 60000)
# Ends a raw string. No file holds it.
set(delimiter "cryolite_piece")

if(CMAKE_SCRIPT_MODE_FILE)
    set(pieces "")
    foreach(file IN LISTS FILES)
        file(READ "${file}" whole)  # with LIMIT, file(READ) ends a piece with a line break of its own
        string(LENGTH "${whole}" size)
        set(at 0)
        while(at LESS size)
            string(SUBSTRING "${whole}" ${at} ${piece_bytes} piece)
            string(APPEND pieces "    R\"${delimiter}(${piece})${delimiter}\"sv,\n")
            math(EXPR at "${at} + ${piece_bytes}")
        endwhile()
    endforeach()
    set(text "// Made by cmake/CryoliteEmbed.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nusing namespace std::literals;\n\n")
    if(pieces STREQUAL "")
        string(APPEND text "Pieces ${FUNCTION}() { return {}; }\n")
    else()
        string(APPEND text "static constexpr std::string_view pieces[] = {\n${pieces}};\n\n"
                           "Pieces ${FUNCTION}() { return pieces; }\n")
    endif()
    string(APPEND text "\n}  // namespace ${NAMESPACE}\n")
    file(WRITE "${OUTPUT}" "${text}")
    return()
endif()

set(CRYOLITE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(cryolite_embed output)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "HEADER;NAMESPACE;FUNCTION" "FILES")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DHEADER=${ARG_HEADER}" "-DNAMESPACE=${ARG_NAMESPACE}"
                "-DFUNCTION=${ARG_FUNCTION}" "-DFILES=${ARG_FILES}" -P "${CRYOLITE_EMBED_SCRIPT}"
        DEPENDS ${ARG_FILES} "${CRYOLITE_EMBED_SCRIPT}"
        COMMENT "Embedding ${ARG_FUNCTION}" VERBATIM)
endfunction()

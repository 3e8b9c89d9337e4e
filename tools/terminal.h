// What is written for a person at a terminal, and plainly for files and pipes.
#pragma once

#include <string>

namespace cryolite::tools {

enum class Stream { Output = 1, Error = 2 };  // the numbers of their files

bool is_terminal(Stream stream);

// Columns of a terminal; 0: there is none, and lines may have any length.
int columns(Stream stream);

// The text in bold, or in red and bold; as it is where no terminal would show it so.
std::string bold(const std::string &text, Stream stream = Stream::Output);
std::string alarming(const std::string &text, Stream stream = Stream::Error);

// The first line of a table in bold.
std::string with_bold_head(const std::string &table);

// Lines of more than `most` columns are broken between words. An indented line goes on at the column `indent`, or at
// its own indentation where that is deeper. most 0: the text as it is. A word that is longer than a line is left whole.
std::string broken_at(const std::string &text, int most, int indent);

}  // namespace cryolite::tools

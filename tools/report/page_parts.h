// The files of page/ and the library that draws charts, put into the program when it is built
// (cmake/CryoliteEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace cryolite::tools {

// A file in pieces, in order: a compiler need not take a text as long as some of these.
using Pieces = std::span<const std::string_view>;

Pieces page_html();
Pieces page_style();
Pieces page_script();
// plotly.js. Empty where the build was not given it: the page then says that its charts are missing.
Pieces page_charts();

}  // namespace cryolite::tools

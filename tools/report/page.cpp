#include "tools/report/page.h"

#include <array>
#include <utility>

#include "tools/report/page_parts.h"
#include "tools/report/report_json.h"

namespace cryolite::tools {
namespace {

std::string joined(Pieces pieces) {
    std::string text;
    for (std::string_view piece : pieces) text += piece;
    return text;
}

}  // namespace

std::string report_page(const Report &report) {
    const std::string frame = joined(page_html());
    const std::array<std::pair<std::string_view, std::string>, 4> parts{
        {{"{{style}}", joined(page_style())},
         {"{{data}}", report_json(report)},
         {"{{charts}}", joined(page_charts())},
         {"{{script}}", joined(page_script())}}};
    // The frame names each part once, in this order. A part that holds such a name itself is left as it is.
    std::string page;
    size_t done = 0;
    for (const auto &[name, text] : parts) {
        const size_t at = frame.find(name, done);
        if (at == frame.npos) continue;
        page += frame.substr(done, at - done) + text;
        done = at + name.size();
    }
    return page + frame.substr(done);
}

}  // namespace cryolite::tools

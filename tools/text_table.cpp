#include "tools/text_table.h"

#include <algorithm>

namespace cryolite::tools {

std::string text_table(const std::vector<std::vector<std::string>> &rows,
                       const std::vector<Align> &align) {
    std::vector<size_t> width;
    for (const auto &row : rows) {
        width.resize(std::max(width.size(), row.size()));
        for (size_t c = 0; c < row.size(); c++) width[c] = std::max(width[c], row[c].size());
    }
    std::string text;
    for (const auto &row : rows) {
        std::string line;
        for (size_t c = 0; c < row.size(); c++) {
            const std::string space(width[c] - row[c].size(), ' ');
            const bool right = align[std::min(c, align.size() - 1)] == Align::Right;
            line += (right ? space + row[c] : row[c] + space) + "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace cryolite::tools

#include "base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace cryolite {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); i++) {
        size_t diagonal = row[0]++;
        for (size_t j = 0; j < b.size(); j++) {
            const size_t substitute = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> names) {
    const auto nearest = std::ranges::min_element(
        names, {}, [&](const std::string &n) { return edit_distance(n, word); });
    return nearest == names.end() ? std::string() : *nearest;
}

std::string near_name(std::string_view word, std::span<const std::string> names) {
    const std::string nearest = nearest_name(word, names);
    if (word.size() < 3) return {};
    const size_t tolerated = std::min(std::max(word.size() / 3, size_t{2}), word.size() - 2);
    return !nearest.empty() && edit_distance(nearest, word) <= tolerated ? nearest : std::string();
}

}  // namespace cryolite

#include "autotune/choice.h"

#include <algorithm>

namespace cryolite {
namespace {

constexpr double clearly_faster = 0.99;
constexpr double most_lost = 1.02;

bool is_timed(const Entry &e) { return e.end == Entry::End::Timed; }

}  // namespace

std::optional<size_t> choice_of(const std::vector<Entry> &entries) {
    const auto first = std::ranges::find_if(entries, is_timed);
    if (first == entries.end()) return std::nullopt;
    auto best = first;
    double least = clearly_faster;
    for (auto e = first; e != entries.end(); ++e) {
        if (!is_timed(*e) || ratio(*e, *first).median >= least) continue;
        best = e;
        least = ratio(*e, *first).median;
    }
    return static_cast<size_t>(best - entries.begin());
}

bool is_decided(const std::vector<Entry> &entries) {
    const std::optional<size_t> choice = choice_of(entries);
    if (!choice) return true;
    const Entry &chosen = entries[*choice];
    const auto first = std::ranges::find_if(entries, is_timed);
    return std::ranges::all_of(entries, [&](const Entry &e) {
        if (!is_timed(e) || &e == &chosen) return true;
        return ratio(chosen, e).high < (&e == &*first ? 1 : most_lost);
    });
}

}  // namespace cryolite

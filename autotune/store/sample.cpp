#include "autotune/store/sample.h"

#include <algorithm>
#include <array>

namespace cryolite {
namespace {

constexpr std::array<std::string_view, 8> names{"timed", "wrong",         "failed",   "crashed",
                                                "hung",  "out of memory", "too slow", "not built"};

}  // namespace

std::string_view name(SampleStatus status) { return names[static_cast<size_t>(status)]; }

std::optional<SampleStatus> status_named(std::string_view text) {
    const auto at = std::ranges::find(names, text);
    if (at == names.end()) return std::nullopt;
    return static_cast<SampleStatus>(at - names.begin());
}

}  // namespace cryolite

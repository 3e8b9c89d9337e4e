#include "tensorcore/placeholder.h"

namespace cryolite::tensorcore {

std::string placeholder_name(Placeholder placeholder, int kernel, int number) {
    const std::string prefix = kPlaceholderPrefix + std::to_string(kernel) + '_';
    switch (placeholder) {
        case Placeholder::Shared: return prefix + "shared";
        case Placeholder::Clear: return prefix + "clear";
        case Placeholder::Copy: return prefix + "copy";
        case Placeholder::Commit: return prefix + "commit";
        case Placeholder::Wait: return prefix + "wait";
        case Placeholder::Put: return prefix + "put";
        case Placeholder::Multiply: return prefix + "multiply";
        case Placeholder::Sum: return prefix + "sum" + std::to_string(number);
    }
    return prefix;
}

}  // namespace cryolite::tensorcore

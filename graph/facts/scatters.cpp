#include "graph/facts/scatters.h"

#include <algorithm>

namespace cryolite {

bool scatters_along(const Stage &stage, size_t loop) {
    return !stage.stores.empty() &&
           std::ranges::any_of(stage.stores[0].index, [&](const IndexMap &i) {
               return loop < i.irregular.size() && i.irregular[loop];
           });
}

}  // namespace cryolite

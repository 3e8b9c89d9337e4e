#pragma once

#include <vector>

#include "apps/common/app_list.h"

namespace cryolite::apps {

std::vector<AppDescription> stencils_apps();

}  // namespace cryolite::apps

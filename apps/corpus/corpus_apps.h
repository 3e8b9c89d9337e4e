#pragma once

#include <vector>

#include "apps/common/app_list.h"

namespace cryolite::apps {

std::vector<AppDescription> corpus_apps();

}  // namespace cryolite::apps

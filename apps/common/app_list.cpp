#include "apps/common/app_list.h"

#include <iterator>

#include "apps/corpus/corpus_apps.h"
#include "apps/imaging/imaging_apps.h"
#include "apps/linear_algebra/linear_algebra_apps.h"
#include "apps/networks/networks_apps.h"
#include "apps/stencils/stencils_apps.h"
#include "apps/vision/vision_apps.h"

namespace cryolite::apps {

std::vector<AppDescription> app_list() {
    std::vector<AppDescription> all;
    for (auto group : {imaging_apps, vision_apps, stencils_apps, linear_algebra_apps, networks_apps,
                       corpus_apps}) {
        std::vector<AppDescription> apps = group();
        std::move(apps.begin(), apps.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace cryolite::apps

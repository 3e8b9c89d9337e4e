// Iterated stencils: what a harness needs to call them.
#include "apps/stencils/stencils_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {

std::vector<AppDescription> stencils_apps() {
    return {
        {"stencil_chain",
         {image("input", u16, {image_width, image_height}, 0, 65535),
          output(u16, {image_width, image_height})},
         exact},
    };
}

}  // namespace cryolite::apps

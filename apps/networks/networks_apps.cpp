// Layers and blocks of neural networks: what a harness needs to call them.
#include "apps/networks/networks_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {

std::vector<AppDescription> networks_apps() {
    return {
        {"conv_layer",
         {noise("input", {128, 102, 82, 5}, 21), noise("filter", {128, 3, 3, 128}, 22),
          noise("bias", {128}, 23), output(f32, {128, 100, 80, 5})},
         // Sums of 1152 terms of magnitude 1.
         {2e-3, 1e-4, 0.0}},
    };
}

}  // namespace cryolite::apps

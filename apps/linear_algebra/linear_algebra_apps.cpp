// Dense linear algebra and what moves memory: what a harness needs to call them.
#include "apps/linear_algebra/linear_algebra_apps.h"

#include "apps/common/app_arguments.h"

namespace cryolite::apps {

std::vector<AppDescription> linear_algebra_apps() {
    return {
        {"mat_mul",
         {noise("a", {1536, 1536}, 11), noise("b", {1536, 1536}, 12), output(f32, {1536, 1536})},
         // Sums of 1536 terms of magnitude 1.
         {2e-3, 1e-4, 0.0}},
    };
}

}  // namespace cryolite::apps

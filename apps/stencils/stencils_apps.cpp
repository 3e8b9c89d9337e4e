// Iterated stencils: what a harness needs to call them.
#include "apps/stencils/stencils_apps.h"

#include <map>
#include <string>
#include <utility>

#include "apps/common/app_arguments.h"

namespace cryolite::apps {
namespace {

// A square grid; calling the app is one round of fused steps.
AppDescription jacobi(std::string name, int size, std::map<std::string, std::string> parameters) {
    AppDescription app{std::move(name),
                       {image("input", f32, {size, size}, 0, 1), output(f32, {size, size})},
                       rounding};
    if (!parameters.empty()) {
        app.generator = "jacobi";
        app.parameters = std::move(parameters);
    }
    return app;
}

}  // namespace

std::vector<AppDescription> stencils_apps() {
    return {
        {"stencil_chain",
         {image("input", u16, {image_width, image_height}, 0, 65535),
          output(u16, {image_width, image_height})},
         exact},
        jacobi("jacobi", 4000, {}),
        jacobi("jacobi_f1", 4000, {{"fused", "1"}}),
        jacobi("jacobi_f2", 4000, {{"fused", "2"}}),
        jacobi("jacobi_f10", 4000, {{"fused", "10"}}),
        jacobi("jacobi_f20", 4000, {{"fused", "20"}}),
        jacobi("jacobi_8000_f5", 8000, {{"fused", "5"}, {"size", "8000"}}),
        jacobi("jacobi_16000_f5", 16000, {{"fused", "5"}, {"size", "16000"}}),
        {"heat2d",
         {image("input", f32, {2112, 3520}, 0, 100), scalar("rate", f32, 0.2),
          output(f32, {2112, 3520})},
         rounding},
    };
}

}  // namespace cryolite::apps

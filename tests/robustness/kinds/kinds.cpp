#include "tests/robustness/kinds/kinds.h"

#include "tests/robustness/kinds/themes.h"

namespace cryolite::robustness {

std::vector<Theme> kinds() {
    return {
        {"kinds_filters", kinds_of_filters()},   {"kinds_colour", kinds_of_colour()},
        {"kinds_tables", kinds_of_tables()},     {"kinds_resampling", kinds_of_resampling()},
        {"kinds_pyramids", kinds_of_pyramids()}, {"kinds_vision", kinds_of_vision()},
        {"kinds_networks", kinds_of_networks()}, {"kinds_algebra", kinds_of_algebra()},
        {"kinds_scans", kinds_of_scans()},
    };
}

}  // namespace cryolite::robustness

#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

std::vector<Theme> corpus() {
    return {
        {"reductions", reductions()},
        {"chains", chains()},
        {"fans", fans()},
        {"indirect_loads", indirect_loads()},
        {"sizes", sizes()},
        {"updates", updates()},
        {"predicates", predicates()},
        {"hand_schedules", hand_schedules()},
        {"partial_schedules", partial_schedules()},
        {"extern_stages", extern_stages()},
        {"types", types()},
        {"networks", networks()},
        {"pyramids", pyramids()},
    };
}

}  // namespace cryolite::robustness

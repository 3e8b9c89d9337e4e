#include "tests/robustness/corpus.h"

namespace cryolite::robustness {

std::vector<Theme> corpus(GraphImage image) {
    return {
        {"reductions", reductions()},
        {"chains", chains()},
        {"fans", fans()},
        {"indirect_loads", indirect_loads()},
        {"sizes", sizes()},
        {"updates", updates()},
        {"predicates", predicates()},
        {"hand_schedules", hand_schedules(), true},
        {"partial_places", partial_places(), true},
        {"partial_directives", partial_directives(), true},
        {"extern_stages", extern_stages()},
        {"types", types()},
        {"networks", networks()},
        {"pyramids", pyramids()},
        {"graphs", graphs(image)},
    };
}

}  // namespace cryolite::robustness

#include "code/stage/unrolled_code.h"

#include <cmath>

namespace cryolite {

double kept_of_copies(const Stage &stage, const Repeated &what, const InnerLoops &in) {
    if (what.kept_share.empty()) return 1;
    double kept = 1;
    for (const UnrolledLoop &u : in.unrolled) {
        if (!u.is_known) continue;
        const double share = what.kept_share[u.dim];
        const bool shared = !what.depends_on[u.dim] && !stage.loops[u.dim].in_predicate;
        kept *= shared ? std::ceil(share) : share;
    }
    for (const UnrolledLoop &u : in.copied)
        if (u.is_known) kept *= what.kept_share[u.dim];
    return kept;
}

double kept_of_code(const Stage &stage, const ExpandedStage &body, const InnerLoops &in) {
    double lost = 0;
    for (const Computation &c : body.computations) {
        double operations = 0;
        for (const OperationCount &o : c.operations) operations += o.count;
        lost += c.count * operations * (1 - kept_of_copies(stage, c, in));
    }
    for (const LoadGroup &load : body.loads)
        lost += load.count * (1 - kept_of_copies(stage, load, in));
    return lost == 0 ? 1 : 1 - lost / body.operations_and_loads;
}

double code_operations(const Stage &stage, const ExpandedStage &body, const InnerLoops &in) {
    return body.operations_and_loads * in.code_copies() * kept_of_code(stage, body, in);
}

}  // namespace cryolite

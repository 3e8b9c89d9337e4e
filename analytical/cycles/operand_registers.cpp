#include "analytical/cycles/operand_registers.h"

#include <algorithm>

#include "code/stage/vector_geometry.h"

namespace cryolite {
namespace {

// How many different ones are needed between the first use and the last of one; 0: no copies share them.
double kept_at_once(const LoadGroup &load, const InnerLoops &in) {
    const auto is_shared_along = [&](const UnrolledLoop &u) {
        return u.factor > 1 && !load.depends_on[u.dim];
    };
    const auto outermost = std::find_if(in.unrolled.rbegin(), in.unrolled.rend(), is_shared_along);
    if (outermost == in.unrolled.rend()) return 0;
    double kept = load.count;
    for (auto u = in.unrolled.begin(); u != outermost.base(); ++u)
        if (load.depends_on[u->dim]) kept *= u->factor;
    return kept;
}

}  // namespace

double operand_registers(const Machine &machine, const ExpandedStage &body, const InnerLoops &in,
                         int bits) {
    double registers = 0;
    for (const LoadGroup &load : body.loads) {
        if (load.is_self) continue;
        const bool is_vector = in.lanes > 1 && load.depends_on[static_cast<size_t>(in.vector_dim)];
        registers += kept_at_once(load, in) * (is_vector ? vectors(machine, bits, in.lanes) : 1);
    }
    return registers;
}

}  // namespace cryolite

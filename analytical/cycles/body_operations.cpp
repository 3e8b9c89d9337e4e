#include "analytical/cycles/body_operations.h"

#include "analytical/cycles/arithmetic_cycles.h"
#include "analytical/cycles/fetched_code.h"
#include "analytical/cycles/scattered_copies.h"
#include "code/stage/unrolled_code.h"

namespace cryolite {
namespace {

// LLVM looks at no more loads of a loop to hoist them out of it (licm-mssa-optimization-cap). A body that is unrolled
// far then loads values anew that a register could have kept.
constexpr double most_loads_hoisted = 100;

// Like loads_apart(), for a computation: it is computed anew if one of its loads is loaded anew.
UnrolledFlags computed_apart(const Computation &what, const std::vector<UnrolledFlags> &loads,
                             const InnerLoops &in) {
    UnrolledFlags apart(in.unrolled.size(), false);
    for (size_t i : what.loads)
        for (size_t u = 0; u < apart.size(); u++) apart[u] = apart[u] || loads[i][u];
    return apart;
}

}  // namespace

double BodyOperations::cycles(const Machine &machine, int lanes, int together) const {
    return (has_vectors ? arithmetic_cycles(machine, vectors, lanes * together) / together : 0) +
           (has_scalars ? arithmetic_cycles(machine, scalars, 1) : 0);
}

double BodyOperations::instructions(const Machine &machine, int lanes) const {
    return (has_vectors ? instructions_of(machine, vectors, lanes) : 0) +
           (has_scalars ? instructions_of(machine, scalars, 1) : 0);
}

double share_of_runs(const Repeated &what, bool loaded, const InnerLoops &in, double loads,
                     const KnownAddresses &known) {
    if (loaded && known.guarded_copies) return 1;
    const double hoisted = loaded && loads > most_loads_hoisted ? most_loads_hoisted / loads : 1;
    return 1 - hoisted + hoisted / runs_per_repeat(what, in);
}

BodyOperations body_operations(const Stage &stage, const ExpandedStage &body, const InnerLoops &in,
                               int lanes, double loads, const std::vector<UnrolledFlags> &apart,
                               const KnownAddresses &known, bool of_predicate) {
    BodyOperations out;
    const std::optional<ScatteredCopies> scattered = scattered_copies(stage, in, lanes);
    for (const Computation &c : body.computations) {
        if (c.of_predicate != of_predicate) continue;
        double times = repeats_per_body(c, in, computed_apart(c, apart, in)) *
                       share_of_runs(c, c.loaded, in, loads, known) * kept_of_copies(stage, c, in);
        for (const UnrolledLoop &u : in.unrolled) {
            const StageLoop &loop = stage.loops[u.dim];
            if (!of_predicate && loop.in_predicate && loop.is_reduction && !c.depends_on[u.dim])
                times *= u.factor;  // copies under conditions of their own share nothing
        }
        const bool is_vector = lanes > 1 && c.depends_on[static_cast<size_t>(in.vector_dim)];
        if (scattered && c.depends_on[scattered->loop]) times *= arithmetic_left(*scattered);
        OpHistogram &histogram = is_vector ? out.vectors : out.scalars;
        (is_vector ? out.has_vectors : out.has_scalars) = true;
        for (const OperationCount &o : c.operations)
            histogram.at(o.kind, o.type) += times * o.count;
    }
    return out;
}

}  // namespace cryolite

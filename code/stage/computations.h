// The operations of a stage and of the Funcs inlined into it, grouped by the loops that they depend on. A Func that is
// called at several points does some operations anew at each point, and others once.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "code/stage/composed_access.h"
#include "code/stage/expanded_stage.h"

namespace cryolite {

class ComputationCollector {
public:
    ComputationCollector(const StageGraph &graph, size_t num_loops)
        : graph_(graph), num_loops_(num_loops) {}

    // Adds the stage itself; call it once.
    void add(const Stage &stage);
    // Adds one call of an inlined Func. inlined: its pure stage. kept_share: of the call. of_predicate: the predicate
    // of the stage itself needs the value.
    void add(const Stage &inlined, const ComposedAccess &call, const std::vector<float> &kept_share,
             bool of_predicate);

    // reads: for each inlined Func, the realised Funcs that it reads, directly or through other inlined Funcs.
    std::vector<Computation> result(const std::map<FuncId, std::set<FuncId>> &reads) const;

private:
    using Key = std::vector<int64_t>;
    struct Points {
        Computation computation;
        FuncId of;                       // the Func that the points belong to
        std::vector<ComposedAccess> at;  // distinct points with equal coefficients
        std::set<Key> seen;
    };

    void add_function(const OperationGroup &group, const Edge &edge, ComposedAccess of,
                      const std::vector<float> &kept_share, bool of_predicate);
    void add_at(Key key, const OperationGroup &group, FuncId of, ComposedAccess at,
                const std::vector<float> &kept_share, bool of_predicate);

    const StageGraph &graph_;
    const size_t num_loops_;
    std::map<Key, Points> points_;
    int64_t unknown_ = 0;
};

}  // namespace cryolite

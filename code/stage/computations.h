// What a stage computes with others inlined into it, by what it depends on: a Func that is called at
// several points computes some things anew at each of them, and others once.
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

    // The stage itself, once.
    void add(const Stage &stage);
    // A pure stage that is inlined into it, for one call of its Func. kept_share: of the call.
    void add(const Stage &inlined, const ComposedAccess &call,
             const std::vector<float> &kept_share);

    // reads: of an inlined Func, the realised ones that it reads, through others, too.
    std::vector<Computation> result(const std::map<FuncId, std::set<FuncId>> &reads) const;

private:
    using Key = std::vector<int64_t>;
    struct Points {
        Computation computation;
        FuncId of;                       // whose points they are
        std::vector<ComposedAccess> at;  // distinct; whose coefficients are equal
        std::set<Key> seen;
    };

    void add_function(const OperationGroup &group, const Edge &edge, ComposedAccess of,
                      const std::vector<float> &kept_share);
    void add_at(Key key, const OperationGroup &group, FuncId of, ComposedAccess at,
                const std::vector<float> &kept_share);

    const StageGraph &graph_;
    const size_t num_loops_;
    std::map<Key, Points> points_;
    int64_t unknown_ = 0;
};

}  // namespace cryolite

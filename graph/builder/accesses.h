// The accesses of one stage: which Funcs and inputs it loads, and by which maps of its loops.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/access.h"
#include "graph/halide/estimates.h"
#include "graph/halide/pipeline_view.h"
#include "graph/stage_graph.h"

namespace cryolite {

// A load in the stage's expressions, with lets resolved and estimates inserted. access: index in loads[name].
struct CallSite {
    Expr call;
    std::string name;
    size_t access = 0;
};

struct StageAccesses {
    std::map<std::string, std::vector<Access>> loads;  // by the name of the Func or input
    std::vector<Access> stores;                        // one per tuple element
    std::vector<CallSite> sites;
};

// loops: of the stage.
StageAccesses stage_accesses(const StageView &stage, std::span<const StageLoop> loops,
                             const Estimates &estimates);

}  // namespace cryolite

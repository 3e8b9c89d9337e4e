// The accesses of one stage: which Funcs and inputs it loads, by which affine maps of its loops.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/access.h"
#include "graph/estimates.h"
#include "graph/pipeline_view.h"

namespace cryolite {

// A call in the stage's expressions, lets resolved and estimates put in, and which of `loads` it is.
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

StageAccesses stage_accesses(const StageView &stage, const Estimates &estimates);

}  // namespace cryolite

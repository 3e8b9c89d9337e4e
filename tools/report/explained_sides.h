// Explanations of the best and of the one-shot schedule, as a report shows them side by side.
#pragma once

#include <string>
#include <vector>

#include "analytical/explain/explanation.h"
#include "tools/report/report.h"

namespace cryolite::tools {

struct SideToExplain {
    std::string name;
    Explanation explanation;
    double measured_seconds = 0;
};

ReportedExplanation explained_sides(const std::vector<SideToExplain> &sides);

}  // namespace cryolite::tools

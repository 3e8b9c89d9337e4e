// The report as one HTML file that needs no other and no network: style, scripts, the charts' library and the data are
// in it.
#pragma once

#include <string>

#include "tools/report/report.h"

namespace cryolite::tools {

// Equal reports give equal bytes.
std::string report_page(const Report &report);

}  // namespace cryolite::tools

// A report as JSON, for the script in its page.
#pragma once

#include <string>

#include "tools/report/report.h"

namespace cryolite::tools {

// Safe inside of a script element of HTML, whatever the store's texts hold: no '<', '>' or '&', and none of the
// characters that end a line for a script alone. Text that is no UTF-8 is mended. Equal reports give equal bytes.
std::string report_json(const Report &report);

}  // namespace cryolite::tools

#include "base/version.h"

namespace cryolite {

const char *version() { return CRYOLITE_VERSION; }

}  // namespace cryolite

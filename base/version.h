// The version of Cryolite, as CMakeLists.txt says it.
#pragma once

namespace cryolite {

const char *version();

}  // namespace cryolite

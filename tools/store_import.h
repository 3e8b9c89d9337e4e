// What `cryolite store import` takes: lines of an export, batches of ./dev bench quality, archives of them, and packs
// with their results.
#pragma once

#include <string>

#include "autotune/store/jsonl.h"

namespace cryolite::tools {

// A file of any kind above, known by what is in it; an archive by its name (.tar.xz); a pack's folder. Each batch is
// added whole or not at all, and so are the lines of an export. Errors name the file.
Result<Imported> import_file(Store &store, const std::string &path);

}  // namespace cryolite::tools

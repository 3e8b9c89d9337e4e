// A store as lines of JSON, to be read, moved and merged by other programs. The first line says what the file is:
//   {"cryolite_store": 1}
//   {"problem": {...}}                    the lines that follow are of this problem
//   {"round": {...}}
//   {"sample": {...}}
// Numbers are read back to the bit.
#pragma once

#include <iosfwd>
#include <string>

#include "autotune/store/store.h"

namespace cryolite {

// A problem as the lines have it.
std::string problem_text(const Problem &problem);
Result<Problem> parse_problem(const std::string &text);

struct Exported {
    int64_t problems = 0, samples = 0, rounds = 0;
    bool whole = true;  // false: the store is damaged, and these are what can be read of it
};
Result<Exported> export_store(const Store &store, std::ostream &out);

struct Imported {
    int64_t problems = 0, samples = 0, duplicates = 0, rounds = 0;
};
// All of it or nothing. Errors name the line. `name` is only for messages.
Result<Imported> import_lines(Store &store, std::istream &in, const std::string &name);

// Adds what another store holds. Errors: as above, and a store that is damaged.
Result<Imported> merge_store(Store &store, const Store &other);

}  // namespace cryolite

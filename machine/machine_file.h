// A Machine as a JSON file, to keep what was measured or to describe another computer by hand:
//   {"cryolite_machine": 1, "name": "mine", "preset": "x86-avx2",
//    "hertz": {"value": 3.1e9, "unit": "cycles/s", "source": "measured", "spread": 0.01},
//    "cores": 6, "vector": {...}, "scalar": {...}, "caches": [{...}, ...]}
// Keys are those of machine_fields.h. A plain number instead of an object has the source `file`. A
// key that is left out is the preset's, and an error where the file names none. Numbers are read
// back to the bit.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/described_machine.h"
#include "machine/gpu.h"

namespace cryolite {

constexpr int machine_file_version = 1;

// Whether a user who names a machine means a file: it has a '/' or ends in ".json".
bool names_machine_file(std::string_view name);

std::string machine_file_text(const DescribedMachine &machine);
// For people and their scripts: a Gpu has no file of its own, and nothing reads this back.
std::string gpu_text(const Gpu &gpu);

// `path` is only for messages. Errors: what is no such file, another version, unknown or missing
// keys, values that cannot be; they name the file, the key and what to do.
Result<DescribedMachine> parse_machine_file(std::string_view text, const std::string &path);

// Errors: as above, or the file cannot be read.
Result<DescribedMachine> read_machine_file(const std::string &path);

// The file is there whole or as it was before: written beside its place and renamed, unless its
// place is a device or a pipe. Errors: a Machine that could not be read back, or a file that cannot
// be written in full.
Result<bool> write_machine_file(const std::string &path, const DescribedMachine &machine);

// A preset, or a file where the name says so.
Result<DescribedMachine> load_machine(const std::string &name);

}  // namespace cryolite

// A batch of schedules that `./dev bench quality` has measured, as samples of a store: the file batch.json of its
// records and of the archives in bench/results.
//
//   {"key": TEXT, "value": {"app": NAME, "threads": N, "machine": {...}, "date": "2026-11-22",
//                           "samples": [{"trace": TEXT, "times": [[SECONDS, ...], ...], "failure": TEXT, "kind": TEXT,
//                                        "beam_size": N, ...}, ...], ...}}
#pragma once

#include <string>
#include <string_view>

#include "autotune/store/jsonl.h"

namespace cryolite {

// All of it or nothing. A batch is a problem of its own, because nothing was timed in the same turns as another batch:
// its workload is {"batch": name}. It says neither the target nor the version of Halide: both are "unknown". Ratios are
// to the median of the search's choice, which is the first sample. Schedules for which there was no time are no
// samples. Errors: it is no batch.
Result<Imported> import_batch(Store &store, std::string_view text, const std::string &name);

// Whether it looks like one.
bool is_batch(std::string_view text);

}  // namespace cryolite

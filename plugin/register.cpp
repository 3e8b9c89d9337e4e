// Registers the autoscheduler when Halide opens the library.
#include "plugin/autoscheduler.h"
#include "plugin/halide_version.h"

namespace {

struct Registration {
    Registration() {
        const std::string mismatch = cryolite::halide_version_mismatch();
        Halide::Pipeline::add_autoscheduler(
            "Cryolite", [mismatch](const Halide::Pipeline &p, const Halide::Target &t,
                                   const Halide::AutoschedulerParams &params,
                                   Halide::AutoSchedulerResults *results) {
                if (!mismatch.empty()) throw Halide::CompileError(mismatch);
                cryolite::autoschedule(p, t, params, results);
            });
    }
} registration;

}  // namespace

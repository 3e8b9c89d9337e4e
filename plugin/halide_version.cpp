#include "plugin/halide_version.h"

#include <dlfcn.h>

#include <Halide.h>

namespace cryolite {
namespace {

// libHalide does not tell its version at run time. These functions came or went between versions.
// Halide::Internal::throw_error(const Halide::CompileError &): since 20.
constexpr const char *since_20 = "_ZN6Halide8Internal11throw_errorERKNS_12CompileErrorE";

}  // namespace

std::string halide_version_mismatch(int built_for_major, bool loaded_20_or_newer) {
    if (loaded_20_or_newer == (built_for_major >= 20)) return {};
    return std::string("Cryolite: this plugin was built for Halide ") +
           std::to_string(built_for_major) + ", but the Halide that loaded it is " +
           (loaded_20_or_newer ? "version 20 or newer" : "older than version 20") +
           "; build or install Cryolite for the Halide that you use";
}

std::string halide_version_mismatch() {
    return halide_version_mismatch(HALIDE_VERSION_MAJOR, dlsym(RTLD_DEFAULT, since_20) != nullptr);
}

}  // namespace cryolite

#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace cryolite {
namespace {

namespace fs = std::filesystem;

// Returns 0, or the error number.
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? errno : ENOSPC;
        text.remove_prefix(static_cast<size_t>(n));
    }
    return 0;
}

// A new file with `text` and nothing else, or none. Returns 0, or the error number.
int write_file(const std::string &path, int flags, bool flush, std::string_view text) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (file < 0) return errno;
    int failed = write_all(file, text);
    if (!failed && flush && fsync(file) != 0) failed = errno;
    if (close(file) != 0 && !failed) failed = errno;
    return failed;
}

}  // namespace

Result<bool> write_atomically(const std::string &path, std::string_view text) {
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    int failed = 0;
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        failed = fs::is_directory(status) ? EISDIR : write_file(path, 0, false, text);
    } else {
        std::error_code unknown;
        fs::path place = fs::weakly_canonical(path, unknown);
        if (unknown) place = path;
        const std::string beside = place.string() + "." + std::to_string(getpid()) + ".partial";
        failed = write_file(beside, O_CREAT | O_TRUNC | O_NOFOLLOW, true, text);
        if (!failed && rename(beside.c_str(), place.c_str()) != 0) failed = errno;
        if (failed) unlink(beside.c_str());
    }
    if (failed)
        return Error{"cannot write '" + path + "': " + std::generic_category().message(failed)};
    return true;
}

}  // namespace cryolite

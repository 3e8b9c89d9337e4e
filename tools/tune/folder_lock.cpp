#include "tools/tune/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cryolite::tools {
namespace {

constexpr int tries = 100;
constexpr useconds_t pause_microseconds = 50'000;

}  // namespace

Result<FolderLock> FolderLock::take(const std::string &folder) {
    const std::string path = folder + "/lock";
    const int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    if (file < 0) return Error{"cannot write '" + path + "': " + std::strerror(errno)};
    for (int i = 0; i < tries; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) return FolderLock(file);
        usleep(pause_microseconds);
    }
    close(file);
    return Error{"another tuner is at work in '" + folder +
                 "'; wait for it, or take another folder (--store lets both share their samples)"};
}

FolderLock::~FolderLock() {
    if (file_ >= 0) close(file_);
}

}  // namespace cryolite::tools

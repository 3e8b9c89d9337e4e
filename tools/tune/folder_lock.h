// One tuner at a time writes into a folder. The lock ends with the process, however that ends.
#pragma once

#include <string>

#include "base/result.h"

namespace cryolite::tools {

class FolderLock {
public:
    // Waits a moment for a tuner that was just killed. Errors: another one is at work, or the folder cannot be written.
    static Result<FolderLock> take(const std::string &folder);
    ~FolderLock();
    FolderLock(FolderLock &&other) noexcept : file_(other.file_) { other.file_ = -1; }
    FolderLock &operator=(FolderLock &&) = delete;

private:
    explicit FolderLock(int file) : file_(file) {}
    int file_ = -1;
};

}  // namespace cryolite::tools

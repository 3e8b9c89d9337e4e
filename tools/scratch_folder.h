// A folder in the temporary folder that goes with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cryolite::tools {

class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "cryolite-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    bool exists() const { return !path_.empty(); }
    std::string file(const char *name) const {
        return (std::filesystem::path(path_) / name).string();
    }
    const std::string &path() const { return path_; }

private:
    std::string path_;
};

}  // namespace cryolite::tools

#include "autotune/runner/pack.h"

#include <map>
#include <stdexcept>

#include "base/atomic_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;

constexpr const char *script =
    "#!/bin/sh\n"
    "# Compares and times the candidates of this folder; writes results.json into it.\n"
    "cd \"$(dirname \"$0\")\" && exec ./cryolite_runner request.json -o results.json\n";

class Packer {
public:
    explicit Packer(fs::path folder) : folder_(std::move(folder)) {}

    void write(RunRequest request, const fs::path &runner) {
        fs::create_directories(folder_ / "lib");
        request.reference.library = copy(request.reference.library, "lib/");
        for (RunLibrary &candidate : request.candidates)
            candidate.library = copy(candidate.library, "lib/");
        for (auto &[name, source] : request.inputs) {
            if (source.file.empty()) continue;
            fs::create_directories(folder_ / "inputs");
            source.file = copy(source.file, "inputs/");
        }
        copy_to(runner, "cryolite_runner");
        make_executable("cryolite_runner");
        write_text("request.json", to_json_text(request));
        write_text("run", script);
        make_executable("run");
    }

private:
    // Its new name: a number, so that names never clash. The result names libraries by their ids.
    std::string copy(const std::string &from, const std::string &place) {
        if (!fs::is_regular_file(from)) throw std::runtime_error("there is no file '" + from + "'");
        std::string &name = copied_[fs::canonical(from).string()];
        if (name.empty()) {
            name = place + std::to_string(copied_.size() - 1) + fs::path(from).extension().string();
            copy_to(from, name);
        }
        return name;
    }

    void copy_to(const fs::path &from, const std::string &name) {
        fs::copy_file(from, folder_ / name);
    }

    void write_text(const std::string &name, const std::string &text) {
        const Result<bool> written = write_atomically((folder_ / name).string(), text);
        if (!written.ok()) throw std::runtime_error(written.error().message);
    }

    void make_executable(const std::string &name) {
        using fs::perms;
        fs::permissions(folder_ / name, perms::owner_exec | perms::group_exec | perms::others_exec,
                        fs::perm_options::add);
    }

    const fs::path folder_;
    std::map<std::string, std::string> copied_;  // from where, to what name
};

}  // namespace

Result<bool> write_pack(const fs::path &folder, const RunRequest &request, const fs::path &runner) {
    std::error_code unknown;
    if (fs::exists(folder, unknown) && !fs::is_empty(folder, unknown))
        return Error{"'" + folder.string() +
                     "' is there already: name a folder that is new or empty for the pack"};
    try {
        Packer(folder).write(request, runner);
        return true;
    } catch (const std::exception &error) {
        fs::remove_all(folder, unknown);
        return Error{"the pack '" + folder.string() + "' cannot be written: " + error.what()};
    }
}

}  // namespace cryolite

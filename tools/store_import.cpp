#include "tools/store_import.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "autotune/store/batch_file.h"
#include "autotune/tune/generator.h"
#include "autotune/tune/pack_schedules.h"
#include "base/text_file.h"
#include "base/version.h"
#include "tools/scratch_folder.h"

namespace cryolite::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char *archive_suffix = ".tar.xz";

void add(Imported &to, const Imported &more) {
    to.problems += more.problems;
    to.samples += more.samples;
    to.duplicates += more.duplicates;
    to.rounds += more.rounds;
}

// Files batch.json at any depth, in the order of their paths.
std::vector<fs::path> batches_below(const fs::path &folder) {
    std::vector<fs::path> found;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        if (entry.path().filename() == "batch.json") found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

// A batch's name is the archive's with the path inside: work/blur/seed0_100/batch.json of batches-zen5.tar.xz is
// "batches-zen5/work/blur/seed0_100".
Result<Imported> import_archive(Store &store, const std::string &path) {
    const ScratchFolder scratch;
    if (!scratch.exists()) return Error{"cannot make a temporary folder"};
    const auto unpacked = run_or_say_why({"tar", "-xJf", path, "-C", scratch.path()}, {});
    if (!unpacked.ok()) return unpacked.error();
    std::string stem = fs::path(path).filename().string();
    stem.erase(stem.size() - std::string(archive_suffix).size());
    Imported all;
    const auto batches = batches_below(scratch.path());
    if (batches.empty()) return Error{"'" + path + "' holds no batch.json"};
    for (const fs::path &file : batches) {
        const auto text = read_text_file(file.string());
        if (!text.ok()) return text.error();
        const std::string inside = fs::relative(file.parent_path(), scratch.path()).string();
        const auto done = import_batch(store, *text, stem + "/" + inside);
        if (!done.ok()) return done;
        add(all, *done);
    }
    return all;
}

Result<Imported> import_pack_folder(Store &store, const fs::path &folder) {
    const auto failure = [&](const Error &error) {
        return Error{"'" + folder.string() + "': " + error.message};
    };
    const auto schedules = read_text_file((folder / pack_schedules_file).string());
    if (!schedules.ok())
        return Error{"'" + folder.string() +
                     "' is no pack that can be imported: " + schedules.error().message};
    const auto results = read_text_file((folder / "results.json").string());
    if (!results.ok())
        return Error{"'" + folder.string() + "' has no results yet: run its script `run` first (" +
                     results.error().message + ")"};
    const auto pack = parse_pack_schedules(*schedules);
    if (!pack.ok()) return failure(pack.error());
    const auto result = parse_run_result(*results);
    if (!result.ok()) return failure(result.error());
    const auto done = import_pack(store, *pack, *result, version());
    if (!done.ok()) return failure(done.error());
    return done;
}

}  // namespace

Result<Imported> import_file(Store &store, const std::string &path) {
    if (fs::is_directory(path)) return import_pack_folder(store, path);
    if (path.ends_with(archive_suffix)) return import_archive(store, path);
    std::ifstream lines(path);
    if (!lines) return Error{"cannot read '" + path + "'"};
    std::string first;
    std::getline(lines, first);
    if (is_batch(first)) {
        const auto text = read_text_file(path);
        if (!text.ok()) return text.error();
        return import_batch(store, *text, path);
    }
    lines.clear();
    lines.seekg(0);
    return import_lines(store, lines, path);
}

}  // namespace cryolite::tools

#include "autotune/tune/build.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "autotune/tune/file_hash.h"
#include "base/atomic_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;
constexpr double link_seconds = 120;  // only a linker that hangs takes so long

// Runs one step of a build. False: it failed; `built` says why.
bool done(const char *step, const std::vector<std::string> &command, const ProgramLimits &limits,
          Built &built) {
    const auto run = run_program(command, limits);
    if (!run.ok()) {
        built.message = run.error().message;
        return false;
    }
    built.seconds += run->seconds;
    built.stopped = run->end == ProgramResult::End::Stopped;
    if (run->succeeded()) return true;
    const std::string words = last_words(*run);
    built.message = std::string(step) + ": " + run->ending + (words.empty() ? "" : ": " + words);
    return false;
}

}  // namespace

Builder::Builder(const Generator &generator, BuildRules rules)
    : generator_(generator),
      rules_(std::move(rules)),
      runtime_((fs::path(rules_.folder) / (std::string(runtime_stem) + ".o")).string()) {}

Result<bool> Builder::prepare() const {
    std::error_code error;
    fs::create_directories(rules_.folder, error);
    if (error) return Error{"cannot make '" + rules_.folder + "': " + error.message()};
    const ProgramLimits limits{rules_.compile_seconds, 0, rules_.stop};
    const auto made = run_or_say_why(generator_.runtime_command(rules_.folder), limits);
    if (!made.ok()) return made.error();
    return true;
}

Built Builder::build_one(const std::string &trace, const std::string &name) const {
    const fs::path folder = fs::path(rules_.folder) / name, file = folder / "trace";
    if (trace.empty()) return build_by(generator_.command_by_hand(folder.string(), "object"), name);
    std::error_code error;
    fs::create_directories(folder, error);
    if (const auto written = write_atomically(file.string(), trace); !written.ok())
        return {"", written.error().message};
    std::vector<std::string> options{"mode=replay", "trace_file=" + file.string()};
    options.insert(options.end(), rules_.options.begin(), rules_.options.end());
    return build_by(generator_.command(folder.string(), "object", options), name);
}

Built Builder::build_plugins_choice(const std::string &name) const {
    return build_by(generator_.command((fs::path(rules_.folder) / name).string(), "object", {}),
                    name);
}

Built Builder::build_by(const std::vector<std::string> &compile, const std::string &name) const {
    Built built;
    const fs::path folder = fs::path(rules_.folder) / name;
    const fs::path object = folder / (std::string(tuned_stem) + ".o");
    const fs::path library = folder / (std::string(tuned_stem) + ".so");
    const fs::path unfinished = folder / "unfinished.so";
    if (fs::exists(library)) {  // built before: it gets its name last
        built.library = library.string();
        return built;
    }
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        built.message = "cannot make '" + folder.string() + "': " + error.message();
        return built;
    }
    if (!done("compiling", compile, {rules_.compile_seconds, rules_.memory_bytes, rules_.stop},
              built))
        return built;
    built.object_hash = hash_of_file(object.string());
    std::vector<std::string> link{rules_.compiler,     "-shared",       "-o",
                                  unfinished.string(), object.string(), runtime_};
    link.insert(link.end(), rules_.link.begin(), rules_.link.end());
    link.insert(link.end(), {"-lpthread", "-ldl", "-lm"});
    if (!done("linking", link, {link_seconds, 0, rules_.stop}, built)) return built;
    fs::remove(object, error);
    fs::rename(unfinished, library, error);
    if (error)
        built.message = "cannot name '" + library.string() + "': " + error.message();
    else
        built.library = library.string();
    return built;
}

std::vector<Built> Builder::build(const std::vector<std::string> &traces,
                                  const std::vector<std::string> &names) const {
    std::vector<Built> all(traces.size());
    std::atomic<size_t> next{0};
    const auto work = [&] {
        for (size_t i = next++; i < traces.size(); i = next++) {
            if (rules_.stop && rules_.stop->load())
                all[i].stopped = true;
            else
                all[i] = build_one(traces[i], names[i]);
        }
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < std::min<int>(rules_.jobs, static_cast<int>(traces.size())); t++)
        threads.emplace_back(work);
    work();
    for (std::thread &t : threads) t.join();
    return all;
}

void Builder::forget(const std::string &name) const {
    std::error_code ignored;
    fs::remove_all(fs::path(rules_.folder) / name, ignored);
}

}  // namespace cryolite

// Tries the whole corpus, or the pipelines whose names are given, with Cryolite at its defaults, and
// says per pipeline what the search did and took. Fails on a wrong answer, a crash, a fallback, and on
// more CPU time or memory than a pipeline should take; more seconds of the clock are only marked.
//   robustness_report [--option NAME=VALUE]... [--log] [NAME or THEME]...
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "tests/robustness/trial.h"

namespace {

using namespace cryolite;
using namespace cryolite::robustness;

void print(const Entry &entry, const TrialReport &r, bool with_log) {
    std::printf(
        "%-34s %5llu %8llu | %7.2f %7.2f %7.0f %7.0f | %7.2f %7.2f %7.2f | %s%s%s%s%s%s\n",
        entry.name.c_str(), static_cast<unsigned long long>(r.funcs),
        static_cast<unsigned long long>(r.states), r.wall_seconds, r.cpu_seconds, r.peak_megabytes,
        r.grown_megabytes, r.compile_cpu_seconds, r.reference_compile_cpu_seconds,
        r.all_cpu_seconds, name(r.outcome), r.fell_back ? ", FELL BACK" : "",
        r.given_up ? ", a simpler one for lack of time" : "",
        r.stopped_by_time ? ", stopped by time" : "", r.wall_seconds > most_seconds ? ", slow" : "",
        r.within_limits() ? "" : ", BEYOND THE LIMITS");
    if (with_log || !r.sound()) std::printf("---- %s\n%s----\n", entry.name.c_str(), r.log.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    std::vector<std::string> names;
    bool with_log = false;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--log") {
            with_log = true;
        } else if (word == "--option" && i + 1 < argc && std::strchr(argv[i + 1], '=')) {
            const std::string pair = argv[++i];
            options[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
        } else if (word.rfind("--", 0) == 0) {
            std::cerr << "usage: robustness_report [--option NAME=VALUE]... [--log] [NAME]...\n";
            return 2;
        } else {
            names.push_back(word);
        }
    }
    int tried = 0, failures = 0, slow = 0, beyond = 0;
    std::printf(
        "%-34s %5s %8s | %7s %7s %7s %7s | %7s %7s %7s |\n"
        "%-34s %5s %8s | %7s %7s %7s %7s | %7s %7s %7s | %s\n",
        "", "", "", "search", "search", "search", "search", "compile", "compile", "all", "pipeline",
        "Funcs", "states", "wall s", "cpu s", "peak MB", "grown MB", "ours", "plain", "cpu s",
        "outcome");
    for (const Theme &theme : corpus({})) {
        for (const Entry &entry : theme.entries) {
            if (!names.empty() &&
                std::find(names.begin(), names.end(), entry.name) == names.end() &&
                std::find(names.begin(), names.end(), theme.name) == names.end())
                continue;
            const TrialReport r = try_out(entry, options);
            tried++;
            failures += !r.sound();
            slow += r.wall_seconds > most_seconds;
            beyond += !r.within_limits();
            print(entry, r, with_log);
        }
    }
    std::printf(
        "%d pipelines: %d failures; %d beyond %.0f CPU seconds or %.0f MB; %d took more than %.0f "
        "s, "
        "which counts on an idle machine only\n",
        tried, failures, beyond, most_cpu_seconds, most_megabytes, slow, most_seconds);
    return tried == 0 || failures > 0 || beyond > 0;
}

// Schedules the whole corpus with Cryolite at its defaults, and beside it with the peers that come with
// Halide and by hand: seconds and memory of each phase, and run times by turns. Fails on a wrong answer, a
// crash, a fallback, and on more CPU time or memory than scheduling should take; what depends on a clock is
// only told.
#include <signal.h>

#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

#include <CLI/CLI.hpp>

#include "tests/robustness/report_table.h"

namespace {

using namespace cryolite::robustness;

struct Settings {
    std::vector<std::string> names, options;
    std::string filter, output, set = "open";
    LaneLimits limits;
    int rounds = 5;
    bool no_peers = false, imports = false, log = false, list = false;
};

// Sets `settings`, which outlives the command line.
void describe(CLI::App &line, Settings &settings) {
    line.add_option("names", settings.names, "pipelines or themes (default: all)");
    line.add_option("--set", settings.set,
                    "open: all but the kinds set aside; aside: these alone; all (open)")
        ->check(CLI::IsMember({"open", "aside", "all"}));
    line.add_option("--filter", settings.filter, "a regular expression, of THEME/NAME");
    line.add_option("--limit-seconds", settings.limits.seconds,
                    "for one scheduling; twice as many of the CPU for compiling (60)");
    line.add_option("--limit-memory", settings.limits.megabytes, "for a contender, in MB (8192)");
    line.add_option("--rounds", settings.rounds, "of run times by turns; 0: none (5)");
    line.add_flag("--no-peers", settings.no_peers, "Cryolite and schedules by hand only");
    line.add_option("--option", settings.options, "NAME=VALUE, of Cryolite's")
        ->allow_extra_args(false);
    line.add_option("--output", settings.output, "a CSV file, written after each pipeline");
    line.add_flag("--import", settings.imports,
                  "schedules by hand are imported: with --log, their predicted times");
    line.add_flag("--profile", settings.limits.profiles,
                  "run times with Halide's profiler: with --log, the time of each Func");
    line.add_flag("--log", settings.log, "what each contender wrote, with its schedule");
    line.add_flag("--list", settings.list, "the names of the pipelines, and no more");
}

bool wanted(const WorkloadMaker &maker, const Settings &settings, const std::regex &filter) {
    if (settings.set != "all" && maker.is_set_aside != (settings.set == "aside")) return false;
    const auto &names = settings.names;
    const auto is_named = [&](const std::string &name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!names.empty() && !is_named(maker.name) && !is_named(maker.theme)) return false;
    return std::regex_search(maker.theme + "/" + maker.name, filter);
}

Options parsed(const std::vector<std::string> &pairs) {
    Options options;
    for (const std::string &pair : pairs) {
        const size_t equals = pair.find('=');
        if (equals == pair.npos)
            throw CLI::ValidationError("--option takes NAME=VALUE, not " + pair);
        options[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return options;
}

// Of a faulty pipeline what Cryolite warned of, or the end of its log; all of everybody's where it is asked
// for.
void print_logs(const Findings &findings, bool all) {
    constexpr size_t end_bytes = 600;
    for (const Result &r : findings.results) {
        const std::string &log = r.report.log;
        if (all) {
            std::cout << "---- " << findings.name << ", " << r.contender.name << ": "
                      << r.report.failure << "\n"
                      << log << "----\n";
        } else if (r.contender.kind == Contender::Kind::Ours && !findings.faults().empty()) {
            std::istringstream lines(log);
            for (std::string line; std::getline(lines, line);)
                if (line.rfind("Cryolite warning", 0) == 0) std::cout << line << "\n";
            std::cout << "... " << log.substr(log.size() - std::min(log.size(), end_bytes)) << "\n";
        }
    }
}

int report(const Settings &settings) {
    std::vector<Contender> contenders = {ourselves(parsed(settings.options)),
                                         settings.imports ? imported() : by_hand()};
    if (!settings.no_peers)
        for (const Contender &peer : peers()) contenders.push_back(peer);
    const std::regex filter(settings.filter);
    std::vector<Findings> all;
    bool faulty = false;
    if (!settings.list) std::cout << table_head(contenders) << std::flush;
    for (const WorkloadMaker &maker : all_workloads()) {
        if (!wanted(maker, settings, filter)) continue;
        if (settings.list) {
            std::cout << maker.theme << "/" << maker.name << "\n";
            continue;
        }
        all.push_back(measure(maker, contenders, settings.limits, settings.rounds));
        std::cout << table_row(all.back(), contenders);
        print_logs(all.back(), settings.log);
        std::cout << std::flush;
        faulty |= !all.back().faults().empty();
        if (settings.output.empty()) continue;
        std::ofstream csv(settings.output);
        write_csv(csv, all);
    }
    if (settings.list) return 0;
    std::cout << summary(all, contenders);
    return all.empty() || faulty;
}

}  // namespace

int main(int argc, char **argv) {
    CLI::App line("What Cryolite and its peers take for the pipelines of the robustness corpus.",
                  "robustness_report");
    Settings settings;
    describe(line, settings);
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : 2;
    }
    signal(SIGPIPE, SIG_IGN);  // a contender that has died is a finding
    try {
        warm_up();
        return report(settings);
    } catch (const std::exception &error) {
        std::cerr << "robustness_report: " << error.what() << "\n";
        return 2;
    }
}

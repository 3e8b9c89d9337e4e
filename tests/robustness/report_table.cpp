#include "tests/robustness/report_table.h"

#include <cmath>
#include <cstdio>

namespace cryolite::robustness {

namespace {

template <typename... Values>
std::string line(const char *format, const Values &...values) {
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, format, values...);
    return buffer;
}

const Result *result_of(const Findings &findings, const std::string &contender) {
    for (const Result &r : findings.results)
        if (r.contender.name == contender) return &r;
    return nullptr;
}

std::string join(const std::vector<std::string> &parts) {
    std::string all;
    for (const std::string &p : parts) all += (all.empty() ? "" : "; ") + p;
    return all;
}

std::vector<std::string> remarks(const Findings &findings) {
    std::vector<std::string> all = findings.faults();
    for (std::string &miss : findings.misses()) all.push_back(std::move(miss));
    return all;
}

// A peer's cells: seconds of scheduling and of compiling, and its megabytes.
std::string peer_cells(const Result *peer) {
    if (peer == nullptr || !peer->report.failure.empty())
        return line(" | %7s %7s %6s", "-", "-", "-");
    const LaneReport &r = peer->report;
    return line(" | %7.2f %7.2f %6.0f", r.schedule_seconds, r.lowering_seconds + r.llvm_seconds,
                r.megabytes);
}

// A quoted field.
std::string field(const std::string &text) {
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string table_head(const std::vector<Contender> &contenders) {
    std::string upper = line("%-32s %5s | %7s %7s %7s %7s %6s", "", "", "search", "verify",
                             "lowering", "LLVM", "peak");
    std::string lower = line("%-32s %5s | %7s %7s %7s %7s %6s", "pipeline", "Funcs", "s", "s",
                             "CPU s", "CPU s", "MB");
    for (const Contender &c : contenders) {
        if (c.kind != Contender::Kind::Peer) continue;
        upper += line(" | %-22.22s", c.name.c_str());
        lower += line(" | %7s %7s %6s", "sched s", "comp s", "MB");
    }
    upper += " | run    ours over";
    lower += " | ms     ";
    for (const Contender &c : contenders)
        if (c.kind != Contender::Kind::Ours) lower += line(" %6.6s", c.name.c_str());
    return upper + "\n" + lower + " | remarks\n";
}

std::string table_row(const Findings &findings, const std::vector<Contender> &contenders) {
    const LaneReport &r = findings.ours().report;
    std::string row =
        line("%-32s %5.0f | %7.2f %7.2f %7.2f %7.2f %6.0f", findings.name.c_str(), r.funcs,
             r.schedule_seconds - r.verify_seconds, r.verify_seconds, r.lowering_seconds,
             r.llvm_seconds, std::max(r.megabytes, r.schedule_megabytes));
    for (const Contender &c : contenders)
        if (c.kind == Contender::Kind::Peer) row += peer_cells(result_of(findings, c.name));
    const std::optional<double> run = findings.ours().run_seconds;
    row += run ? line(" | %7.3f", *run * 1e3) : line(" | %7s", "-");
    for (const Contender &c : contenders) {
        if (c.kind == Contender::Kind::Ours) continue;
        const Result *other = result_of(findings, c.name);
        const std::optional<double> ratio = other ? findings.ratio_to(*other) : std::nullopt;
        row += ratio ? line(" %6.2f", *ratio) : line(" %6s", "-");
    }
    return row + " | " + join(remarks(findings)) + "\n";
}

void write_csv(std::ostream &out, const std::vector<Findings> &all) {
    out << "theme,pipeline,contender,funcs,states,schedule_seconds,verify_seconds,"
           "schedule_cpu_seconds,schedule_megabytes,lowering_cpu_seconds,llvm_cpu_seconds,"
           "peak_megabytes,run_seconds,ours_over_this,failure,remarks\n";
    for (const Findings &f : all) {
        for (const Result &result : f.results) {
            const LaneReport &r = result.report;
            const bool ours = result.contender.kind == Contender::Kind::Ours;
            out << f.theme << "," << f.name << "," << result.contender.name << "," << r.funcs << ","
                << r.states << "," << r.schedule_seconds << "," << r.verify_seconds << ","
                << r.schedule_cpu_seconds << "," << r.schedule_megabytes << ","
                << r.lowering_seconds << "," << r.llvm_seconds << "," << r.megabytes << ",";
            if (result.run_seconds) out << *result.run_seconds;
            out << ",";
            if (const auto ratio = f.ratio_to(result)) out << *ratio;
            out << "," << field(r.failure) << "," << field(ours ? join(remarks(f)) : "") << "\n";
        }
    }
}

std::string summary(const std::vector<Findings> &all, const std::vector<Contender> &contenders) {
    std::string text;
    size_t faulty = 0, missing = 0;
    for (const Findings &f : all) {
        faulty += !f.faults().empty();
        missing += f.faults().empty() && !f.misses().empty();
    }
    text += line("%zu pipelines: %zu with faults, %zu others miss an aim by the clock\n",
                 all.size(), faulty, missing);
    for (const Contender &c : contenders) {
        if (c.kind == Contender::Kind::Ours) continue;
        double logs = 0;
        int count = 0;
        for (const Findings &f : all) {
            const Result *other = result_of(f, c.name);
            const std::optional<double> ratio = other ? f.ratio_to(*other) : std::nullopt;
            if (!ratio) continue;
            logs += std::log(*ratio);
            count++;
        }
        if (count > 0)
            text += line("run time over %s: %.2f in geometric mean of %d\n", c.name.c_str(),
                         std::exp(logs / count), count);
    }
    return text;
}

}  // namespace cryolite::robustness

#include "autotune/store/batch_file.h"

#include <ctime>
#include <nlohmann/json.hpp>

namespace cryolite {
namespace {

using nlohmann::json;

constexpr const char *not_said = "unknown";
constexpr const char *no_time_left = "not measured";

// The status of a failure. The benchmark's messages of failed runs begin with "running: ".
SampleStatus status_of(const std::string &kind, const std::string &failure) {
    if (kind == "wrong output") return SampleStatus::Wrong;
    if (!failure.starts_with("running: ")) return SampleStatus::NotBuilt;
    if (kind == "timeout") return SampleStatus::Hung;
    if (kind == "out of memory") return SampleStatus::OutOfMemory;
    if (kind == "crash") return SampleStatus::Crashed;
    return SampleStatus::Failed;
}

// "algorithm HEX" in a trace; empty: there is none.
std::string algorithm_in(const std::string &trace) {
    const std::string before = "\nalgorithm ";
    const size_t at = trace.find(before);
    if (at == trace.npos) return "";
    const size_t begin = at + before.size();
    return trace.substr(begin, trace.find('\n', begin) - begin);
}

// Seconds since 1970 at the beginning of a day "2026-11-22"; 0: it is no day.
int64_t seconds_of_day(const std::string &date) {
    std::tm day{};
    if (std::sscanf(date.c_str(), "%d-%d-%d", &day.tm_year, &day.tm_mon, &day.tm_mday) != 3)
        return 0;
    day.tm_year -= 1900;
    day.tm_mon -= 1;
    return timegm(&day);
}

// What is compared with an anchor that was timed in other turns: its median stands for all of them.
void compare_with(double anchor_median, Sample &s) {
    if (s.seconds.empty()) return;
    s.anchor_seconds.assign(s.seconds.size(), anchor_median);
    const double factor = 1 / anchor_median;
    s.ratio = {s.spread.median * factor, s.spread.low * factor, s.spread.high * factor};
}

Sample sample_of(const json &drawn, bool is_first) {
    Sample s;
    s.trace = drawn.at("trace");
    s.message = drawn.at("failure");
    s.origin = is_first ? "one shot" : drawn.value("beam_size", int64_t{1}) > 1 ? "beam" : "greedy";
    for (const json &round : drawn.at("times"))
        for (const json &seconds : round) s.seconds.push_back(seconds.get<double>());
    if (!s.seconds.empty()) s.spread = spread_of(s.seconds);
    s.status = s.message.empty() ? SampleStatus::Timed
                                 : status_of(drawn.at("kind").get<std::string>(), s.message);
    return s;
}

std::vector<Sample> samples_of(const json &batch) {
    std::vector<Sample> samples;
    for (const json &drawn : batch.at("samples")) {
        if (drawn.at("kind") == no_time_left) continue;
        Sample s = sample_of(drawn, &drawn == &batch.at("samples").front());
        s.created = seconds_of_day(batch.at("date"));
        if (s.status != SampleStatus::Timed || !s.seconds.empty()) samples.push_back(std::move(s));
    }
    const bool has_anchor = !samples.empty() && samples[0].origin == "one shot" &&
                            samples[0].status == SampleStatus::Timed;
    if (has_anchor)
        for (Sample &s : samples) compare_with(samples[0].spread.median, s);
    return samples;
}

}  // namespace

bool is_batch(std::string_view text) {
    const json file = json::parse(text, nullptr, false);
    return file.is_object() && file.contains("value") && file["value"].is_object() &&
           file["value"].contains("app") && file["value"].contains("samples");
}

Result<Imported> import_batch(Store &store, std::string_view text, const std::string &name) {
    Imported done;
    try {
        const json file = json::parse(text), &batch = file.at("value");
        const std::vector<Sample> samples = samples_of(batch);
        if (samples.empty()) return done;
        Problem p;
        p.pipeline = batch.at("app");
        p.algorithm = algorithm_in(samples[0].trace);
        p.parameters = "[]";
        p.workload = json{{"batch", name}}.dump();
        p.target = p.halide = not_said;
        p.machine = batch.at("machine").dump();
        p.threads = batch.at("threads");
        Transaction transaction(store.database());
        if (const auto begun = transaction.begin(); !begun.ok()) return begun.error();
        const auto number = store.number_of(p);
        if (!number.ok()) return number.error();
        done.problems = 1;
        for (const Sample &s : samples) {
            const auto added = store.add_within(*number, s);
            if (!added.ok()) return added.error();
            (*added ? done.samples : done.duplicates)++;
        }
        if (const auto committed = transaction.commit(); !committed.ok()) return committed.error();
        return done;
    } catch (const json::exception &error) {
        return Error{"'" + name + "' is no batch of schedules: " + error.what()};
    }
}

}  // namespace cryolite

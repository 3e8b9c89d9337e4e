#include "autotune/store/jsonl.h"

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "autotune/store/salvage.h"

namespace cryolite {
namespace {

using nlohmann::json;
constexpr int format_version = 1;

json to_json(const Problem &p) {
    return {{"pipeline", p.pipeline}, {"algorithm", p.algorithm}, {"parameters", p.parameters},
            {"workload", p.workload}, {"target", p.target},       {"machine", p.machine},
            {"halide", p.halide},     {"threads", p.threads}};
}

Problem problem_of(const json &j) {
    return {j.at("pipeline"), j.at("algorithm"), j.at("parameters"), j.at("workload"),
            j.at("target"),   j.at("machine"),   j.at("halide"),     j.at("threads")};
}

json to_json(const Spread &s) { return {{"median", s.median}, {"low", s.low}, {"high", s.high}}; }
Spread spread_in(const json &j) { return {j.at("median"), j.at("low"), j.at("high")}; }

json to_json(const Sample &s) {
    return {{"trace", s.trace},
            {"status", name(s.status)},
            {"message", s.message},
            {"seconds", s.seconds},
            {"anchor_seconds", s.anchor_seconds},
            {"spread", to_json(s.spread)},
            {"ratio", to_json(s.ratio)},
            {"predicted_seconds", s.predicted_seconds},
            {"origin", s.origin},
            {"round", s.round},
            {"repeat", s.repeat},
            {"seed", s.seed},
            {"object_hash", s.object_hash},
            {"build_seconds", s.build_seconds},
            {"run_seconds", s.run_seconds},
            {"quiet", s.quiet},
            {"cryolite", s.cryolite},
            {"created", s.created}};
}

Sample sample_of(const json &j) {
    Sample s;
    s.trace = j.at("trace");
    const auto status = status_named(j.at("status").get<std::string>());
    if (!status) throw std::invalid_argument("there is no status " + j.at("status").dump());
    s.status = *status;
    s.message = j.at("message");
    s.seconds = j.at("seconds").get<std::vector<double>>();
    s.anchor_seconds = j.at("anchor_seconds").get<std::vector<double>>();
    s.spread = spread_in(j.at("spread"));
    s.ratio = spread_in(j.at("ratio"));
    s.predicted_seconds = j.at("predicted_seconds");
    s.origin = j.at("origin");
    s.round = j.at("round");
    s.repeat = j.at("repeat");
    s.seed = j.at("seed");
    s.object_hash = j.at("object_hash");
    s.build_seconds = j.at("build_seconds");
    s.run_seconds = j.at("run_seconds");
    s.quiet = j.at("quiet");
    s.cryolite = j.at("cryolite");
    s.created = j.at("created");
    return s;
}

json to_json(const TuneRound &r) {
    return {{"number", r.number},
            {"seed", r.seed},
            {"draws", r.draws},
            {"model", r.model},
            {"rank_correlation", r.rank_correlation},
            {"created", r.created}};
}

TuneRound round_of(const json &j) {
    return {j.at("number"),           j.at("seed"),   j.at("draws"), j.at("model"),
            j.at("rank_correlation"), j.at("created")};
}

// One line into the store. `problem`: the number of the latest one; 0: none yet.
Result<bool> import_line(Store &store, const json &line, int64_t &problem, Imported &done) {
    if (line.contains("problem")) {
        const auto number = store.number_of(problem_of(line["problem"]));
        if (!number.ok()) return number.error();
        problem = *number;
        done.problems++;
        return true;
    }
    if (problem == 0) return Error{"there is no problem before it"};
    if (line.contains("round")) {
        const auto added = store.add_round(problem, round_of(line["round"]));
        if (!added.ok()) return added;
        done.rounds += *added;
        return true;
    }
    if (!line.contains("sample")) return Error{"it is no problem, round or sample"};
    const auto added = store.add_within(problem, sample_of(line["sample"]));
    if (!added.ok()) return added;
    (*added ? done.samples : done.duplicates)++;
    return true;
}

std::string text_of(const char *key, const json &value) {
    return json{{key, value}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

// All of a store that is whole.
Result<Salvage> content_of(const Store &store) {
    Salvage content;
    auto problems = store.problems();
    if (!problems.ok()) return problems.error();
    content.problems = std::move(*problems);
    for (const Store::Known &k : content.problems) {
        auto rounds = store.rounds(k.number);
        if (!rounds.ok()) return rounds.error();
        content.rounds[k.number] = std::move(*rounds);
        auto samples = store.samples(k.number);
        if (!samples.ok()) return samples.error();
        content.samples[k.number] = std::move(*samples);
    }
    return content;
}

}  // namespace

std::string problem_text(const Problem &problem) {
    return to_json(problem).dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Problem> parse_problem(const std::string &text) {
    try {
        return problem_of(json::parse(text));
    } catch (const json::exception &error) {
        return Error{std::string("the problem cannot be read: ") + error.what()};
    }
}

Result<Exported> export_store(const Store &store, std::ostream &out) {
    Exported done;
    auto content = content_of(store);
    if (!content.ok()) {
        if (!store.database().damaged()) return content.error();
        done.whole = false;
        content = salvage(store);
    }
    out << json{{"cryolite_store", format_version}}.dump() << "\n";
    for (const Store::Known &k : content->problems) {
        out << text_of("problem", to_json(k.problem)) << "\n";
        for (const TuneRound &r : content->rounds[k.number])
            out << text_of("round", to_json(r)) << "\n";
        for (const Sample &s : content->samples[k.number])
            out << text_of("sample", to_json(s)) << "\n";
        done.problems++;
        done.rounds += std::ssize(content->rounds[k.number]);
        done.samples += std::ssize(content->samples[k.number]);
    }
    if (!out) return Error{"the lines could not be written in full"};
    return done;
}

Result<Imported> import_lines(Store &store, std::istream &in, const std::string &name) {
    Transaction transaction(store.database());
    if (const auto begun = transaction.begin(); !begun.ok()) return begun.error();
    Imported done;
    int64_t problem = 0, number = 0;
    for (std::string text; std::getline(in, text);) {
        number++;
        const auto wrong = [&](const std::string &why) {
            return Error{"'" + name + "', line " + std::to_string(number) + ": " + why +
                         ". Nothing was imported"};
        };
        try {
            const json line = json::parse(text);
            if (number == 1) {
                if (!line.is_object() || !line.contains("cryolite_store"))
                    return wrong(
                        "it is no export of a store, which begins with "
                        "{\"cryolite_store\": 1}");
                if (line["cryolite_store"] != format_version)
                    return wrong("it is of version " + line["cryolite_store"].dump() +
                                 ", and this Cryolite reads " + std::to_string(format_version));
                continue;
            }
            if (const auto one = import_line(store, line, problem, done); !one.ok())
                return wrong(one.error().message);
        } catch (const std::exception &error) {
            return wrong(error.what());
        }
    }
    if (number == 0) return Error{"'" + name + "' is empty"};
    if (const auto committed = transaction.commit(); !committed.ok()) return committed.error();
    return done;
}

Result<Imported> merge_store(Store &store, const Store &other) {
    std::stringstream lines;
    const auto written = export_store(other, lines);
    if (!written.ok()) return written.error();
    if (!written->whole)
        return Error{"store '" + other.path() +
                     "' is damaged and was not merged; `cryolite store export` saves what can be "
                     "read of it, for `cryolite store import`"};
    return import_lines(store, lines, other.path());
}

}  // namespace cryolite

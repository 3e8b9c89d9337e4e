#include "train/samples.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

using nlohmann::json;
constexpr int samples_version = 1, count_version = 1;

// What makes a file bad, thrown inside this file alone.
struct Bad {
    std::string what;
};

double number(const json &value, const char *what) {
    const double v = value.is_number() ? value.get<double>() : std::nan("");
    if (!std::isfinite(v) || v < 0) throw Bad{std::string("has a bad number for ") + what};
    return v;
}

SampleStage stage_of(const json &value) {
    SampleStage out;
    for (const auto &[name, seconds] : value.at("raw").items()) {
        const auto term = std::ranges::find(term_table(), name, &TermInfo::name);
        if (term == term_table().end()) throw Bad{"names a term '" + name + "' that is unknown"};
        out.raw[static_cast<size_t>(term - term_table().begin())] = number(seconds, "a term");
    }
    const json &features = value.at("features"), &values = value.at("values");
    if (features.size() != values.size()) throw Bad{"has features without values"};
    for (size_t i = 0; i < features.size(); i++) {
        const auto at = features[i].get<uint64_t>();
        if (at >= num_features) throw Bad{"has a feature that is unknown"};
        out.row[at] = number(values[i], "a feature");
    }
    return out;
}

OverlapRule overlap_of(const json &overlap) {
    return {number(overlap.at(0), "the overlap"), number(overlap.at(1), "the overlap"),
            number(overlap.at(2), "the overlap")};
}

TrainingSample sample_of(const json &value) {
    TrainingSample out;
    out.hash = value.at("hash").get<std::string>();
    out.seconds = number(value.at("seconds"), "seconds");
    if (out.seconds == 0) throw Bad{"has a sample that took no time"};
    out.spread = number(value.at("spread"), "a spread");
    for (const json &stage : value.at("stages")) out.stages.push_back(stage_of(stage));
    return out;
}

}  // namespace

Result<SampleGroup> parse_samples(std::string_view text, const std::string &path) {
    const auto bad = [&](const std::string &what) {
        return Error{"the file of samples '" + path + "' " + what +
                     "; make it anew (docs/train.md)"};
    };
    const json file = json::parse(text, nullptr, false);
    if (!file.is_object() || !file.contains("cryolite_samples")) return bad("holds no samples");
    SampleGroup out;
    try {
        if (file["cryolite_samples"] != samples_version) return bad("has another version");
        if (file.at("schema") != hexadecimal(schema_hash())) return bad("has other features");
        out.pipeline = file.at("pipeline").get<std::string>();
        out.archive = file.at("archive").get<std::string>();
        out.machine = file.at("machine").get<std::string>();
        out.overlap = overlap_of(file.at("overlap"));
        for (const json &sample : file.at("samples")) out.samples.push_back(sample_of(sample));
    } catch (const json::exception &) {
        return bad("lacks what it must hold");
    } catch (const Bad &problem) {
        return bad(problem.what);
    }
    return out;
}

Result<std::vector<SampleGroup>> read_samples(const std::vector<std::string> &paths) {
    namespace fs = std::filesystem;
    std::vector<std::string> files;
    for (const std::string &path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            files.push_back(path);
            continue;
        }
        for (auto it = fs::recursive_directory_iterator(path, error);
             !error && it != fs::recursive_directory_iterator(); it.increment(error))
            if (it->path().extension() == ".json") files.push_back(it->path().string());
        if (error) return Error{"cannot read the folder '" + path + "': " + error.message()};
    }
    std::ranges::sort(files);
    std::vector<SampleGroup> groups;
    for (const std::string &file : files) {
        const auto text = read_text_file(file);
        if (!text.ok()) return text.error();
        auto group = parse_samples(*text, file);
        if (!group.ok()) return group.error();
        groups.push_back(std::move(*group));
    }
    if (groups.empty()) return Error{"there are no samples to learn from"};
    return groups;
}

Result<CountedSchedules> parse_counted(std::string_view text) {
    const Error other{
        "the plugin counts in another version than this program reads; use the plugin that came "
        "with it"};
    const json file = json::parse(text, nullptr, false);
    CountedSchedules out;
    try {
        if (file.at("cryolite_count") != count_version ||
            file.at("schema") != hexadecimal(schema_hash()))
            return other;
        out.machine = file.at("machine").get<std::string>();
        out.overlap = overlap_of(file.at("overlap"));
        for (const json &found : file.at("found")) {
            CountedSchedules::Schedule &schedule = out.found.emplace_back();
            if (found.contains("refused")) {
                schedule.refused = found["refused"].get<std::string>();
                schedule.is_of_another_graph = found.at("is_of_another_graph").get<bool>();
            } else {
                for (const json &stage : found.at("stages"))
                    schedule.stages.push_back(stage_of(stage));
            }
        }
    } catch (const json::exception &) {
        return other;
    } catch (const Bad &problem) {
        return Error{"what the plugin has counted " + problem.what};
    }
    return out;
}

uint64_t hash_of(const std::vector<SampleGroup> &groups) {
    Hasher h;
    const auto add = [&](double v) { h.add(std::bit_cast<uint64_t>(v)); };
    for (const SampleGroup &group : groups) {
        h.add(std::string_view(group.pipeline)).add(std::string_view(group.machine));
        for (const TrainingSample &sample : group.samples) {
            add(sample.seconds);
            for (const SampleStage &stage : sample.stages) {
                for (double v : stage.raw) add(v);
                for (double v : stage.row) add(v);
            }
        }
    }
    return h.value();
}

}  // namespace cryolite

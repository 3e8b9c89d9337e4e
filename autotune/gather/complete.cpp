#include "autotune/gather/complete.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "autotune/tune/draws.h"
#include "autotune/tune/file_hash.h"
#include "base/hash.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr const char *mark_key = "gathered";

// Empty: a tuner's round.
std::string mark_in(const std::string &model) {
    const json parsed = json::parse(model, nullptr, false);
    return parsed.is_object() ? parsed.value(mark_key, "") : "";
}

std::string key_of(const std::string &pipeline, const std::string &parameters,
                   const std::string &mark) {
    return json{pipeline, parameters, mark}.dump();
}

}  // namespace

Result<bool> CompletePipelines::read(const Store &store) {
    const auto problems = store.problems();
    if (!problems.ok()) return problems.error();
    for (const Store::Known &known : *problems) {
        const auto samples = store.samples(known.number);
        if (!samples.ok()) return samples.error();
        problems_++;
        samples_ += std::ssize(*samples);
        const auto rounds = store.rounds(known.number);
        if (!rounds.ok()) return rounds.error();
        if (rounds->empty()) continue;
        const auto draws = parse_draws(rounds->front().draws);
        if (!draws.ok()) return draws.error();
        std::set<std::string> measured;
        for (const Sample &s : *samples) measured.insert(s.trace);
        const bool all =
            std::ranges::all_of(*draws, [&](const Draw &d) { return measured.contains(d.trace); });
        is_complete_[key_of(known.problem.pipeline, known.problem.parameters,
                            mark_in(rounds->front().model))] = all;
    }
    return true;
}

std::string CompletePipelines::mark(const Generator &generator, uint64_t seed,
                                    size_t schedules_each) {
    return hexadecimal(Hasher()
                           .add(hash_of_file(generator.program))
                           .add(hash_of_file(generator.plugin))
                           .add(std::string_view(generator.target))
                           .add(seed)
                           .add(uint64_t{schedules_each})
                           .value());
}

std::string CompletePipelines::marked(const std::string &weights, const std::string &mark) {
    json model = json::parse(weights, nullptr, false);
    if (!model.is_object()) model = json::object();
    model[mark_key] = mark;
    return model.dump();
}

bool CompletePipelines::knows(const Generator &generator, const std::string &mark) const {
    const auto found =
        is_complete_.find(key_of(generator.name, json(generator.parameters).dump(), mark));
    return found != is_complete_.end() && found->second;
}

}  // namespace cryolite

#include "tools/explain/comparison.h"

#include <algorithm>
#include <cmath>

namespace cryolite::tools {
namespace {

double value_of(const NamedNumbers &numbers, const std::string &name) {
    for (const auto &[n, value] : numbers)
        if (n == name) return value;
    return 0;
}

const ExplainedStage *find(const Explanation &explanation, const std::string &name) {
    for (const ExplainedStage &s : explanation.stages)
        if (s.name == name) return &s;
    return nullptr;
}

// Names of the first, then those that only the second has.
std::vector<std::string> all_names(const NamedNumbers &first, const NamedNumbers &second) {
    std::vector<std::string> names;
    for (const NamedNumbers *numbers : {&first, &second})
        for (const auto &[name, value] : *numbers)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

TermDifference most_different(const NamedNumbers &first, const NamedNumbers &second) {
    TermDifference most;
    for (const std::string &name : all_names(first, second)) {
        const double difference = value_of(second, name) - value_of(first, name);
        if (std::abs(difference) > std::abs(most.seconds)) most = {name, difference};
    }
    return most;
}

double distance(const FeatureDifference &d) {
    return std::abs(std::log1p(d.second) - std::log1p(d.first));
}

std::vector<FeatureDifference> different_features(const Explanation &first,
                                                  const Explanation &second,
                                                  const ExplainedStage &a,
                                                  const ExplainedStage &b) {
    const auto unit_of = [&](const std::string &name) {
        for (const Explanation *e : {&first, &second})
            for (const ExplainedFeature &f : e->features)
                if (f.name == name) return f.unit;
        return std::string();
    };
    std::vector<FeatureDifference> different;
    for (const std::string &name : all_names(a.features, b.features)) {
        const double x = value_of(a.features, name), y = value_of(b.features, name);
        if (x != y) different.push_back({name, unit_of(name), x, y});
    }
    std::stable_sort(different.begin(), different.end(),
                     [](const auto &p, const auto &q) { return distance(p) > distance(q); });
    return different;
}

NamedNumbers totals(const Explanation &explanation) {
    NamedNumbers terms;
    for (const ExplainedTerm &t : explanation.terms) terms.emplace_back(t.name, t.seconds);
    return terms;
}

}  // namespace

Result<Comparison> compare(const Explanation &first, const Explanation &second) {
    if (first.algorithm != second.algorithm && !first.is_by_hand)
        return Error{"the schedules are of different algorithms, " + first.pipeline + " (" +
                     first.algorithm + ") and " + second.pipeline + " (" + second.algorithm +
                     "); only schedules of one algorithm can be compared"};
    Comparison out;
    out.seconds = second.seconds - first.seconds;
    out.term = most_different(totals(first), totals(second));
    out.same_algorithm = first.algorithm == second.algorithm;
    out.same_trace = first.trace == second.trace;
    out.same_machine = first.target == second.target && first.constants == second.constants;

    std::vector<std::string> names;
    for (const Explanation *e : {&first, &second})
        for (const ExplainedStage &s : e->stages)
            if (std::find(names.begin(), names.end(), s.name) == names.end())
                names.push_back(s.name);
    for (const std::string &name : names) {
        const ExplainedStage *a = find(first, name), *b = find(second, name);
        StageDifference d;
        d.name = name;
        if (a) d.first = a->seconds;
        if (b) d.second = b->seconds;
        d.seconds = d.second.value_or(0) - d.first.value_or(0);
        d.term = most_different(a ? a->terms : NamedNumbers{}, b ? b->terms : NamedNumbers{});
        if (a && b) d.features = different_features(first, second, *a, *b);
        out.stages.push_back(std::move(d));
    }
    std::stable_sort(out.stages.begin(), out.stages.end(), [](const auto &p, const auto &q) {
        return std::abs(p.seconds) > std::abs(q.seconds);
    });
    return out;
}

}  // namespace cryolite::tools

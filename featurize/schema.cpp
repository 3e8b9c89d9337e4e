#include "featurize/schema.h"

#include <cassert>
#include <charconv>

#include "base/hash.h"

namespace cryolite {
namespace {

constexpr std::array<FeatureInfo, num_features> table{{
#define CRYOLITE_X(name, unit, scope, target, transform, exactness, version, doc) \
    {#name,                                                                       \
     unit,                                                                        \
     FeatureScope::scope,                                                         \
     FeatureTarget::target,                                                       \
     FeatureTransform::transform,                                                 \
     FeatureExactness::exactness,                                                 \
     version,                                                                     \
     doc},
    CRYOLITE_FEATURES(CRYOLITE_X)
#undef CRYOLITE_X
}};

const char *const introduction =
    R"(# The features of a stage

What the cost model knows of a stage under a schedule, made from the lists in
`featurize/feature_lists/` by `featurize_plain_test --update-golden`; do not edit this page. A row holds all
of them in this order, finite and not negative; those of the other target are 0. Funcs that are
inlined have no row: they count in the stages that they are inlined into.

Everything is at the estimates, away from the image's borders: the loops around stand in mid-range.

- **kernel**: a Func at root with all that is computed inside it.
- **production**: one run of a stage's own loops, so one iteration of its Func's compute_at. At root
  there is one.
- **realisation**: one allocation of the Func, so one iteration of its store_at.
- **task**: one iteration of the innermost parallel loop around the stage, its own loops included;
  where there is none, the whole kernel.
- **core**: the share of a core that has the most work: ceil(tasks / cores) tasks, no more than all.
- **innermost_run**: one run of the stage's innermost loop of more than one iteration that is neither
  vectorised nor unrolled; a production where there is none.
- **register_block**: one run of the vectorised and unrolled loops that no other loop is inside of.
- **vector**: one run of the vectorised loop; one point where there is none.

*Exact* features equal what a plain walk over the loop nest counts, *bounds* are never less, and
*estimates* are means over the positions in a cache line, or take one iteration for all. *log1p*: a
model is fed the logarithm of 1 + the value.
)";

struct Section {
    const char *title;
    FeatureScope scope;
    FeatureTarget target;
};
constexpr Section sections[] = {
    {"The algorithm", FeatureScope::Algorithm, FeatureTarget::Both},
    {"The schedule, on any target", FeatureScope::Schedule, FeatureTarget::Both},
    {"The schedule, on a CPU", FeatureScope::Schedule, FeatureTarget::Cpu},
    {"The schedule, on a GPU", FeatureScope::Schedule, FeatureTarget::Gpu},
};

}  // namespace

const char *name(FeatureScope scope) {
    return scope == FeatureScope::Algorithm ? "algorithm" : "schedule";
}

const char *name(FeatureTarget target) {
    switch (target) {
        case FeatureTarget::Cpu: return "cpu";
        case FeatureTarget::Gpu: return "gpu";
        case FeatureTarget::Both: break;
    }
    return "both";
}

const char *name(FeatureTransform transform) {
    return transform == FeatureTransform::Log1p ? "log1p" : "none";
}

const char *name(FeatureExactness exactness) {
    switch (exactness) {
        case FeatureExactness::Exact: return "exact";
        case FeatureExactness::Bound: return "bound";
        case FeatureExactness::Estimate: break;
    }
    return "estimate";
}

const std::array<FeatureInfo, num_features> &feature_table() { return table; }

std::vector<Feature> features_for(FeatureTarget target, FeatureScope scope) {
    std::vector<Feature> features;
    for (size_t i = 0; i < num_features; i++)
        if (table[i].scope == scope &&
            (table[i].target == target || table[i].target == FeatureTarget::Both))
            features.push_back(static_cast<Feature>(i));
    return features;
}

uint64_t schema_hash() {
    Hasher h;
    for (const FeatureInfo &f : table)
        h.add(f.name)
            .add(f.unit)
            .add(static_cast<uint64_t>(f.transform))
            .add(static_cast<uint64_t>(f.version));
    return h.value();
}

std::string csv_header() {
    std::string header;
    for (const FeatureInfo &f : table) {
        if (!header.empty()) header += ',';
        header += f.name;
    }
    return header;
}

std::string csv_line(std::span<const double> row) {
    assert(row.size() == num_features);
    std::string line;
    for (double value : row) {
        if (!line.empty()) line += ',';
        char text[32];
        const auto end = std::to_chars(text, text + sizeof text, value);
        line.append(text, end.ptr);
    }
    return line;
}

std::string schema_document() {
    std::string text = introduction;
    for (const Section &s : sections) {
        text += std::string("\n## ") + s.title +
                "\n\n| name | unit | transform | exactness | what it is |\n|---|---|---|---|---|\n";
        for (const FeatureInfo &f : table) {
            if (f.scope != s.scope || f.target != s.target) continue;
            text += "| `" + std::string(f.name) + "` | " + std::string(f.unit) + " | " +
                    name(f.transform) + " | " + name(f.exactness) + " | " + std::string(f.doc) +
                    " |\n";
        }
    }
    return text;
}

}  // namespace cryolite

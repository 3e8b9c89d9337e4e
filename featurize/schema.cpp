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

A row of features describes one stage under a schedule. A correction of the cost model may read it
(`analytical/correction.h`). `featurize_plain_test --update-golden` writes this page from the lists in
`featurize/feature_lists/`. Do not edit this page.

A row has all features in this order. Values are finite and not negative. Features of the other target are 0. A Func
that is inlined has no row: it counts in the stages that it is inlined into. All values are at the estimates and away
from the image's borders: the loops around the stage stand in mid-range.

- **kernel**: a Func at root with all that is computed inside of it.
- **production**: one run of a stage's own loops, which is one iteration of its Func's compute_at. A stage at root has
  one production.
- **realisation**: one allocation of the Func, which is one iteration of its store_at.
- **task**: one iteration of the innermost parallel loop around the stage. The stage's own loops count. Without such a
  loop the task is the whole kernel.
- **core**: the part of the busiest core, which is ceil(tasks / cores) tasks.
- **innermost_run**: one run of the stage's innermost loop that has several iterations and is neither vectorised nor
  unrolled. Without such a loop it is a production.
- **register_block**: one run of the innermost vectorised and unrolled loops.
- **vector**: one run of the vectorised loop. Without such a loop it is one point.
- **reuse loop** of a cache: the outermost loop around the stage whose iterations touch no more than the cache holds
  for one core; so do all loops inside of it. The whole kernel counts as the outermost loop.

An *exact* feature equals what a plain walk over the loop nest counts. A *bound* is never less. An *estimate* is a mean
over the positions in a cache line, or takes one iteration for all. *log1p*: a model is fed the logarithm of 1 + the
value. Numbers such as (4.5) are equations of the thesis "Automatic Scheduling of Image Processing Pipelines".
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

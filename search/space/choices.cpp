#include "search/space/choices.h"

#include <algorithm>

namespace cryolite {

int worth_weaving(const TilingSpace &s, int dim) {
    const Repetition &repeats = s.func.repetition[static_cast<size_t>(dim)];
    if (!repeats.pays_to_weave || repeats.period > most_choices || s.colours > 1 ||
        dim != row_dim(s.func))
        return 1;
    return static_cast<int>(repeats.period);
}

Choices choices_of(const TilingSpace &s) {
    const auto any = [&](int64_t Repetition::*of) {
        return std::ranges::any_of(s.func.repetition,
                                   [&](const Repetition &r) { return r.*of > 1; });
    };
    if (s.has_channels || any(&Repetition::choices)) return Choices::Own;
    return any(&Repetition::choices_far) ? Choices::Inside : Choices::None;
}

bool may_choose(const StageGraph &graph, const Func &func) {
    return std::ranges::any_of(func.repetition,
                               [](const Repetition &r) { return r.choices > 1; }) ||
           std::ranges::any_of(func.stages, [&](StageId s) {
               return std::ranges::any_of(graph.stage(s).loops,
                                          [](const StageLoop &l) { return l.channels > 0; });
           });
}

TilingTemplate with_choices_taken(const TilingSpace &s, TilingTemplate shape) {
    for (size_t d = 0; d < s.func.dims.size(); d++) {
        const int64_t rows = s.func.repetition[d].choices_far;
        if (static_cast<int>(d) != shape.vector_dim && s.extent(d) >= rows &&
            shape.unroll[d] % rows != 0)
            shape.unroll[d] = rows;
    }
    shape.unrolled_channels = s.has_channels;
    return shape;
}

}  // namespace cryolite

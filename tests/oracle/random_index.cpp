#include "tests/oracle/random_index.h"

#include <algorithm>

namespace cryolite::oracle {

namespace {

std::vector<int64_t> stencil(int64_t low, int64_t high, Random &random) {
    std::vector<int64_t> taps;
    const int64_t from = random.between(low, high), to = random.between(from, high);
    for (int64_t t = from; t <= to; t++)
        if (t == from || t == to || random.chance(0.8)) taps.push_back(t);
    return taps;
}

// x + r, as in a convolution.
void add_second_loop(const Stage &stage, IndexRecipe &r, Random &random) {
    const int other = static_cast<int>(random.below(stage.loops.size()));
    if (other == r.terms[0].loop) return;
    if (random.chance(0.3)) r.terms[0].factor = 2;
    r.terms.push_back({other, random.chance(0.2) ? -1 : 1});
}

}  // namespace

IndexRecipe random_index(const Stage &stage, size_t like, bool mixes_loops, Random &random) {
    IndexRecipe r;
    const size_t loops = stage.loops.size();
    if (loops == 0 || random.chance(0.08)) {
        r.taps = {random.between(-2, 6)};
        return r;
    }
    if (random.chance(0.06)) return random_gather(loops, random);
    const int loop =
        static_cast<int>(random.chance(0.8) && like < loops ? like : random.below(loops));
    r.terms = {{loop, 1}};
    switch (random.below(8)) {
        case 0:  // downsampling
            r.terms[0].factor = random.between(2, 3);
            r.taps = stencil(0, r.terms[0].factor, random);
            break;
        case 1:  // upsampling
            r.divisor = random.between(2, 3);
            r.taps = stencil(0, 2, random);
            break;
        case 2:  // by a fraction, mirrored
            r.terms[0].factor = random.chance(0.5) ? -1 : 3;
            if (r.terms[0].factor > 1) r.divisor = 2;
            r.taps = {random.between(-1, 8)};
            break;
        case 3:
        case 4: r.taps = stencil(-2, 2, random); break;
        case 5:
            if (stage.index > 0 || mixes_loops) add_second_loop(stage, r, random);
            break;
        default: break;
    }
    return r;
}

IndexRecipe random_gather(size_t num_loops, Random &random) {
    IndexRecipe r;
    r.gather = true;
    const int64_t min = random.between(-2, 2);
    r.gathered = {min, min + random.between(1, 9) - 1};
    for (size_t l = 0; l < num_loops; l++)
        if (random.chance(0.7)) r.depends_on.push_back(static_cast<int>(l));
    return r;
}

bool adds_pure_loops(const Stage &stage, const IndexRecipe &recipe) {
    return std::ranges::count_if(recipe.terms, [&](const IndexRecipe::Term &t) {
               return !stage.loops[static_cast<size_t>(t.loop)].is_reduction;
           }) > 1;
}

}  // namespace cryolite::oracle

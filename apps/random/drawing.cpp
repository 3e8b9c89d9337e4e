#include <algorithm>

#include "apps/random/drawing.h"

namespace cryolite::apps {

constexpr double least_points = 50'000;  // of what a step computes

int Drawing::add_step(Step s, double operations_per_point) {
    s.seed = dice_.bits() >> 1;
    for (const int source : s.sources) readers_[static_cast<size_t>(source)]++;
    recipe_.operations += operations_per_point * static_cast<double>(s.points());
    recipe_.funcs += s.funcs;
    recipe_.steps.push_back(std::move(s));
    readers_.push_back(0);
    return static_cast<int>(recipe_.steps.size()) - 1;
}

int Drawing::add_input(Layout layout, Number type, std::vector<int> extents) {
    Step s;
    s.layout = layout;
    s.type = type;
    s.extents = std::move(extents);
    inputs_++;
    while (s.points() * bytes_of(s.type) > most_bytes && s.type != Number::U8)
        s.type = bytes_of(s.type) > 2 ? Number::I16 : Number::U8;
    return add_step(std::move(s), 0);
}

std::optional<int> Drawing::pick_any() {
    return pick([this](const Step &s) { return is_main(s); });
}

Step Drawing::like(int source, Operator op, int funcs) {
    Step s;
    s.op = op;
    s.layout = step(source).layout;
    s.type = type_after(source);
    s.extents = step(source).extents;
    s.sources = {source};
    s.funcs = funcs;
    return s;
}

bool Drawing::has_room(double operations) const {
    const double sum = recipe_.operations + operations;
    return sum <= 1.7 * wanted_operations_ || (is_only_input() && sum <= most_operations / area());
}

bool Drawing::keep(Step s, double operations_per_point) {
    const double n = static_cast<double>(s.points());
    // A step that takes a whole dimension for each point may have few of them.
    if (n * (1 + operations_per_point / 16) < least_points / area() || s.points() > most_elements ||
        !has_room(n * operations_per_point))
        return false;
    for (const int e : s.extents)
        if (e < 1) return false;
    add_step(std::move(s), operations_per_point);
    return true;
}

Boundary Drawing::drawn_boundary() {
    constexpr Boundary kinds[] = {Boundary::None,   Boundary::None,   Boundary::Repeat,
                                  Boundary::Repeat, Boundary::Mirror, Boundary::Constant,
                                  Boundary::Clamped};
    return dice_.one_of(kinds);
}

void Drawing::give_boundary(Step &s, int reach) {
    s.boundary = drawn_boundary();
    const auto first = static_cast<size_t>(s.first_spatial());
    for (size_t d = first; d < first + 2; d++)
        if (s.boundary == Boundary::None && s.extents[d] < 4 * reach + 8)
            s.boundary = Boundary::Repeat;
    if (s.boundary == Boundary::None)
        for (size_t d = first; d < first + 2; d++) s.extents[d] -= 2 * reach;
    else if (s.boundary != Boundary::Clamped)
        s.funcs++;
}

bool Drawing::are_alike(const Step &a, const Step &b) const {
    if (a.layout != b.layout || !is_main(a) || !is_main(b) || a.extents.size() != b.extents.size())
        return false;
    for (size_t d = 0; d < a.extents.size(); d++) {
        const double ratio = static_cast<double>(a.extents[d]) / b.extents[d];
        if (ratio < 0.7 || ratio > 1.4) return false;
    }
    return true;
}

std::optional<int> Drawing::partner(int source, bool may_add) {
    const Step a = step(source);
    auto found = pick([&](const Step &s) { return &s != &step(source) && are_alike(s, a); });
    if (found || !may_add || inputs_ >= most_inputs) return found;
    return add_input(a.layout, drawn_type(), a.extents);
}

void Drawing::shrink_to(Step &s, int other) const {
    for (size_t d = 0; d < s.extents.size(); d++)
        s.extents[d] = std::min(s.extents[d], step(other).extents[d]);
}

}  // namespace cryolite::apps

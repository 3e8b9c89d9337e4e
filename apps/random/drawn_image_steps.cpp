#include <algorithm>
#include <array>

#include "apps/random/drawing.h"

namespace cryolite::apps {

bool Drawing::add_pointwise(Operator op) {
    const auto source = pick_any();
    if (!source) return false;
    Step s = like(*source, op, 1);
    if (op == Operator::Convert) {
        while (s.type == step(*source).type) s.type = drawn_type();
        return keep(s, 2);
    }
    const int wanted = op == Operator::Maths ? (dice_.chance(0.3) ? 2 : 1) : dice_.between(1, 3);
    for (int k = 1; k < wanted; k++)
        if (const auto other = partner(*source, dice_.chance(0.4));
            other && std::ranges::find(s.sources, *other) == s.sources.end()) {
            s.sources.push_back(*other);
            shrink_to(s, *other);
        }
    s.choice = dice_.between(0, 7);
    if (op == Operator::Arithmetic) return keep(s, 4);
    s.type = float_type();
    s.levels = dice_.chance(0.7) ? 1 : dice_.between(2, 6);
    return keep(s, 12.0 * s.levels);
}

bool Drawing::add_window(Operator op) {
    const auto source = pick([this](const Step &s) {
        return is_main(s) && s.layout != Layout::Network && s.extents[0] > 40 && s.extents[1] > 40;
    });
    if (!source) return false;
    Step s = like(*source, op, 1);
    double taps = 0;
    switch (op) {
        case Operator::Stencil:
            s.radius = dice_.chance(0.7) ? 1 : 2;
            s.dilation = dice_.chance(0.75) ? 1 : dice_.between(2, 4);
            s.choice = dice_.between(0, 2);
            taps = s.choice == 0 ? (2 * s.radius + 1) * (2 * s.radius + 1) : 4 * s.radius + 1;
            break;
        case Operator::Separable:
            s.radius = dice_.between(1, 7);
            s.funcs = 2;
            taps = 2 * (2 * s.radius + 1);
            break;
        case Operator::WindowSum:
            s.radius = dice_.between(1, 4);
            s.choice = dice_.between(0, 2);
            taps = (2 * s.radius + 1) * (2 * s.radius + 1);
            break;
        case Operator::WindowOrder:
            s.choice = dice_.between(0, 2);
            s.radius = s.choice == 2 ? 1 : dice_.between(1, 5);
            s.funcs = 2;
            taps = 2 * (2 * s.radius + 1) + 4;
            break;
        default:
            s.radius = dice_.between(1, 2);
            s.dilation = dice_.between(1, 3);
            taps = 15.0 * (2 * s.radius + 1) * (2 * s.radius + 1);
            break;
    }
    if (op == Operator::Bilateral) s.type = float_type();
    give_boundary(s, s.radius * s.dilation);
    if (!has_room(2 * taps * static_cast<double>(s.points()))) return false;
    if (op == Operator::WindowSum && s.choice == 0) {
        if (inputs_ >= most_inputs) return false;
        const int side = 2 * s.radius + 1;
        const int kernel = add_input(Layout::Matrix, Number::F32, {side, side});
        recipe_.steps.back().is_weights = true;
        s.sources.push_back(kernel);
    }
    return keep(s, 2 * taps);
}

bool Drawing::add_resized(Operator op) {
    const auto source = pick([&](const Step &s) {
        return is_main(s) && (s.layout != Layout::Network || op == Operator::Upsample) &&
               s.extents[static_cast<size_t>(s.first_spatial())] >= 12 &&
               s.extents[static_cast<size_t>(s.first_spatial()) + 1] >= 12;
    });
    if (!source) return false;
    Step s = like(*source, op, 2);
    const auto x = static_cast<size_t>(s.first_spatial()), y = x + 1;
    s.choice = dice_.between(0, 1);
    switch (op) {
        case Operator::Downsample:
            for (const size_t d : {x, y}) s.extents[d] = s.extents[d] / 2 - 1;
            s.funcs = s.choice == 0 ? 1 : 2;
            return s.extents[x] >= 24 && s.extents[y] >= 24 && keep(s, 12);
        case Operator::Upsample:
            for (const size_t d : {x, y}) s.extents[d] = 2 * (s.extents[d] - 1);
            s.funcs = s.choice == 0 ? 1 : 2;
            return s.points() * bytes_of(s.type) <= most_bytes && keep(s, 8);
        case Operator::Pyramid:
            s.levels = dice_.between(2, 4);
            if (s.extents[x] >> s.levels < 12 || s.extents[y] >> s.levels < 12) return false;
            if (s.type == Number::U8 || s.type == Number::I32) s.type = Number::F32;
            s.funcs = 4 * s.levels;
            return keep(s, 40);
        default: break;
    }
    constexpr std::array<int, 2> ratios[] = {{3, 2}, {2, 3}, {4, 3}, {3, 4},
                                             {5, 4}, {5, 8}, {9, 7}};
    const auto ratio = dice_.one_of(ratios);
    s.numerator = ratio[0];
    s.denominator = ratio[1];
    for (const size_t d : {x, y}) s.extents[d] = (s.extents[d] - 2) * s.numerator / s.denominator;
    return s.points() * bytes_of(s.type) <= most_bytes && keep(s, 10);
}

bool Drawing::add_gather(Operator op) {
    const auto source = pick([&](const Step &s) {
        return is_main(s) &&
               (op == Operator::Scan || op == Operator::Lookup || s.layout == Layout::Image);
    });
    if (!source) return false;
    Step s = like(*source, op, 1);
    switch (op) {
        case Operator::Warp: s.choice = dice_.between(0, 1); return keep(s, 30);
        case Operator::Lookup: {
            s.choice = dice_.between(0, 1);
            s.levels = dice_.chance(0.6) ? 256 : 1024;
            s.funcs = 1 + s.choice;
            if (!has_room(8.0 * static_cast<double>(s.points()))) return false;
            if (s.choice == 0) {
                if (inputs_ >= most_inputs) return false;
                const int table = add_input(Layout::Matrix, drawn_type(), {s.levels});
                recipe_.steps.back().is_weights = true;
                s.sources.push_back(table);
            }
            return keep(s, 8);
        }
        case Operator::Histogram:
            s.levels = dice_.chance(0.7) ? 256 : 64;
            s.funcs = 3;
            return keep(s, 12);
        case Operator::Splat: {
            constexpr int sides[] = {8, 16, 6};
            s.stride = dice_.one_of(sides);
            s.levels = dice_.between(8, 16);
            s.funcs = 3;
            for (size_t d = 0; d < 2; d++) s.extents[d] = s.extents[d] / s.stride * s.stride;
            if (s.extents[0] < 2 * s.stride || s.extents[1] < 2 * s.stride) return false;
            return keep(s, 16);
        }
        default: break;
    }
    s.dimension = dice_.between(0, 1) + s.first_spatial();
    s.choice = dice_.between(0, 2);
    if (s.choice > 0 || s.type == Number::U8) s.type = Number::F32;
    return keep(s, s.choice == 2 ? 12 : 6);
}

bool Drawing::add_channels(Operator op) {
    if (op == Operator::ColourMatrix) {
        const auto source = pick([this](const Step &s) {
            return is_main(s) && s.layout == Layout::Image &&
                   (s.extents.size() == 2 || (s.extents.size() == 3 && s.extents[2] >= 3));
        });
        if (!source) return false;
        Step s = like(*source, op, 1);
        s.choice = s.extents.size() == 2 ? 2 : dice_.between(0, 1);
        if (s.choice == 0) s.extents[2] = 3;
        if (s.choice == 1) s.extents.pop_back();
        if (s.choice == 2) s.extents.push_back(3);
        return s.points() * bytes_of(s.type) <= most_bytes && keep(s, 8);
    }
    if (op == Operator::Transpose) {
        const auto source = pick_any();
        if (!source) return false;
        Step s = like(*source, op, 1);
        s.dimension = s.layout == Layout::Network ? dice_.between(0, 1) : 0;
        const auto d = static_cast<size_t>(s.dimension);
        std::swap(s.extents[d], s.extents[d + 1]);
        return keep(s, 1);
    }
    const auto source = pick([&](const Step &s) {
        return is_main(s) && (op != Operator::Interleave || s.layout != Layout::Network) &&
               (op != Operator::Concatenation || s.extents.size() >= 3);
    });
    if (!source) return false;
    const auto other = partner(*source, op == Operator::Concatenation || dice_.chance(0.3));
    Step s = like(*source, op, 1);
    if (op == Operator::Interleave) {
        s.choice = other ? 0 : 1;
        if (other) {
            s.sources.push_back(*other);
            shrink_to(s, *other);
            s.extents[0] *= 2;
            if (s.points() * bytes_of(s.type) > most_bytes) return false;
        } else {
            s.extents[0] = s.extents[0] / 2 * 2;
            s.extents[1] = s.extents[1] / 2 * 2;
        }
        return keep(s, 4);
    }
    if (!other) return false;
    s.sources.push_back(*other);
    shrink_to(s, *other);
    const size_t c = s.layout == Layout::Network ? 0 : 2;
    s.extents[c] = step(*source).extents[c] + step(*other).extents[c];
    return s.points() * bytes_of(s.type) <= most_bytes && keep(s, 3);
}

}  // namespace cryolite::apps

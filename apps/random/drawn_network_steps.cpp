#include <algorithm>

#include "apps/random/drawing.h"

namespace cryolite::apps {

bool Drawing::add_product() {
    const auto source =
        pick([this](const Step &s) { return is_main(s) && s.layout == Layout::Matrix; });
    if (!source) return false;
    Step s = like(*source, Operator::MatrixProduct, 1);
    const int k = s.extents[0];
    constexpr int sides[] = {64, 100, 128, 256, 333, 512, 768, 1024};
    s.choice = dice_.between(0, 1);  // 1: the right side is transposed
    const int n = shrunk(dice_.one_of(sides));
    s.extents[0] = n;
    const double operations = 2.0 * k;
    s.type = s.type == Number::F16 || s.type == Number::F32 ? s.type : Number::I32;
    if (s.points() > most_elements || !has_room(operations * static_cast<double>(s.points())))
        return false;
    // A product of two steps where their sizes fit, else of a step and an input.
    const size_t shared = s.choice == 1 ? 0 : 1, own = 1 - shared;
    auto right = pick([&](const Step &r) {
        return is_main(r) && r.layout == Layout::Matrix && r.extents[shared] == k &&
               r.extents.size() == s.extents.size() && r.extents[own] <= 2048 &&
               (r.extents.size() == 2 || r.extents[2] == s.extents[2]);
    });
    if (!right || dice_.chance(0.5)) {
        if (inputs_ >= most_inputs) return false;
        std::vector<int> e{k, k};
        e[own] = n;
        if (s.extents.size() == 3 && dice_.chance(0.7)) e.push_back(s.extents[2]);
        right = add_input(Layout::Matrix, step(*source).type, e);
    }
    s.extents[0] = step(*right).extents[own];
    s.sources.push_back(*right);
    if (!has_room(operations * static_cast<double>(s.points()))) s.sources = {*source, *right};
    add_step(std::move(s), operations);
    return true;
}

bool Drawing::add_convolution(Operator op) {
    const auto source = pick([this](const Step &s) {
        return is_main(s) && s.layout == Layout::Network && s.extents[1] >= 8 && s.extents[2] >= 8;
    });
    if (!source || inputs_ >= most_inputs) return false;
    Step s = like(*source, op, 2);
    const int c = s.extents[0];
    s.radius = dice_.chance(0.25) ? 0 : dice_.chance(0.8) ? 1 : 2;
    if (op == Operator::Depthwise) s.radius = std::max(1, s.radius);
    s.choice = dice_.between(0, 3);  // bit 0: ReLU, bit 1: bias
    s.type = s.type == Number::F16 || s.type == Number::F32 ? s.type : Number::I32;
    give_boundary(s, s.radius);
    s.stride = s.radius > 0 && dice_.chance(0.25) ? 2 : 1;
    for (size_t d = 1; d < 3; d++) s.extents[d] = (s.extents[d] - 1) / s.stride + 1;
    std::vector<int> kernel;
    const int side = 2 * s.radius + 1;
    double operations = 2.0 * side * side;
    if (op == Operator::Depthwise) {
        kernel = {c, side, side};
    } else {
        constexpr int outs[] = {8, 16, 24, 32, 33, 48, 64, 96, 128, 200, 256};
        s.extents[0] = dice_.one_of(outs);
        if (dice_.chance(0.2))
            for (const int g : {8, 4, 2})
                if (c % g == 0 && s.extents[0] % g == 0) s.groups = std::max(s.groups, g);
        operations *= c / s.groups;
        kernel = {s.extents[0], c / s.groups, side, side};
    }
    if (!has_room(operations * static_cast<double>(s.points()))) return false;
    const Number weights = step(*source).type == Number::F16 ? Number::F16
                           : s.type == Number::I32           ? Number::I16
                                                             : Number::F32;
    const int w = add_input(Layout::Network, weights, kernel);
    recipe_.steps.back().is_weights = true;
    s.sources.push_back(w);
    add_step(std::move(s), operations);
    return true;
}

bool Drawing::add_layer(Operator op) {
    const auto source = pick([&](const Step &s) {
        return is_main(s) &&
               (op == Operator::Pool ? s.layout == Layout::Network : s.layout != Layout::Image) &&
               s.extents[1] >= 8;
    });
    if (!source) return false;
    Step s = like(*source, op, 1);
    if (op == Operator::Pool) {
        s.choice = dice_.between(0, 1);
        s.radius = dice_.between(2, 3);  // the window's side
        s.stride = dice_.between(1, 2);
        for (size_t d = 1; d < 3; d++) s.extents[d] = (s.extents[d] - s.radius) / s.stride + 1;
        if (s.extents[1] < 4 || s.extents[2] < 4) return false;
        return keep(s, s.radius * s.radius);
    }
    s.type = float_type();
    s.funcs = op == Operator::Softmax ? 4 : 3;
    return keep(s, op == Operator::Softmax ? 20 : 8);
}

bool Drawing::add_reduction(Operator op) {
    const auto source = pick([&](const Step &s) {
        return is_main(s) &&
               (op != Operator::Argmax || s.extents.size() >= 3 || s.layout == Layout::Matrix);
    });
    if (!source) return false;
    Step s = like(*source, op, 2);
    if (op == Operator::RowSum) {
        s.dimension = dice_.between(0, static_cast<int>(s.extents.size()) - 1);
        s.type = float_type();
        return keep(s, 4);
    }
    if (op == Operator::FullReduction) {
        s.sources.push_back(dice_.chance(0.5) ? *source : pick_any().value_or(*source));
        s.choice = dice_.between(0, 1);
        return keep(s, 4);
    }
    // A dimension goes, of those that have enough to choose from.
    s.dimension = s.layout == Layout::Image     ? 2
                  : s.layout == Layout::Network ? 0
                                                : dice_.between(0, 1);
    if (s.extents.size() == 2) return false;
    if (s.layout == Layout::Network && s.extents.size() == 3) s.layout = Layout::Image;
    if (s.layout == Layout::Network) return false;
    s.extents.erase(s.extents.begin() + s.dimension);
    s.choice = dice_.between(0, 1);
    s.type = s.choice == 0 ? Number::U8 : s.type;
    return keep(s, 3 * step(*source).extents[static_cast<size_t>(s.dimension)]);
}

}  // namespace cryolite::apps

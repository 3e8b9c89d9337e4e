#include <algorithm>
#include <cmath>

#include "apps/random/drawing.h"

namespace cryolite::apps {

namespace {

constexpr double least_operations = 2e7;  // of the whole pipeline: a fifth of a millisecond
constexpr int most_funcs = 25;
constexpr double image_share = 0.55, network_share = 0.25;  // the rest are matrices

// How often an operator is drawn, by layout. The sum has no meaning.
struct Weights {
    Operator op;
    double image, network, matrix;
};
constexpr Weights weights_of[] = {
    {Operator::Arithmetic, 9, 6, 7},    {Operator::Maths, 6, 4, 5},
    {Operator::Convert, 4, 2, 2},       {Operator::Stencil, 7, 0, 3},
    {Operator::Separable, 6, 0, 2},     {Operator::WindowSum, 4, 0, 1},
    {Operator::WindowOrder, 3, 0, 1},   {Operator::Bilateral, 4, 0, 0},
    {Operator::Downsample, 5, 0, 0},    {Operator::Upsample, 4, 3, 0},
    {Operator::Pyramid, 6, 0, 0},       {Operator::Resample, 3, 0, 1},
    {Operator::Warp, 3, 0, 0},          {Operator::Lookup, 3, 1, 0},
    {Operator::Histogram, 3, 0, 0},     {Operator::Splat, 3, 0, 0},
    {Operator::Scan, 3, 0, 4},          {Operator::ColourMatrix, 5, 0, 0},
    {Operator::Interleave, 3, 0, 1},    {Operator::Transpose, 2, 2, 4},
    {Operator::MatrixProduct, 0, 0, 9}, {Operator::Convolution, 0, 8, 0},
    {Operator::Depthwise, 0, 5, 0},     {Operator::Pool, 0, 5, 0},
    {Operator::Softmax, 0, 3, 3},       {Operator::LayerNorm, 0, 4, 3},
    {Operator::RowSum, 1, 1, 4},        {Operator::FullReduction, 2, 1, 2},
    {Operator::Argmax, 1, 1, 2},        {Operator::Concatenation, 1, 3, 0},
};

}  // namespace

bool Drawing::is_only_input() const {
    return std::ranges::all_of(recipe_.steps,
                               [](const Step &s) { return s.op == Operator::Input; });
}

bool Drawing::is_small() const {
    return is_only_input() ||
           (recipe_.operations < least_operations / area() / 2 && recipe_.funcs < most_funcs);
}

Operator Drawing::drawn_operator() {
    // Steps change the layout, so that the next one is drawn for a step that is there.
    const auto at = pick_any();
    const Layout l = at ? step(*at).layout : layout_;
    std::vector<double> w;
    for (const Weights &of : weights_of)
        w.push_back(l == Layout::Image ? of.image : l == Layout::Network ? of.network : of.matrix);
    return weights_of[dice_.by_weight(w)].op;
}

bool Drawing::add(Operator op) {
    switch (op) {
        case Operator::Arithmetic:
        case Operator::Maths:
        case Operator::Convert: return add_pointwise(op);
        case Operator::Stencil:
        case Operator::Separable:
        case Operator::WindowSum:
        case Operator::WindowOrder:
        case Operator::Bilateral: return add_window(op);
        case Operator::Downsample:
        case Operator::Upsample:
        case Operator::Pyramid:
        case Operator::Resample: return add_resized(op);
        case Operator::Warp:
        case Operator::Lookup:
        case Operator::Histogram:
        case Operator::Splat:
        case Operator::Scan: return add_gather(op);
        case Operator::ColourMatrix:
        case Operator::Interleave:
        case Operator::Transpose:
        case Operator::Concatenation: return add_channels(op);
        case Operator::MatrixProduct: return add_product();
        case Operator::Convolution:
        case Operator::Depthwise: return add_convolution(op);
        case Operator::Pool:
        case Operator::Softmax:
        case Operator::LayerNorm: return add_layer(op);
        case Operator::RowSum:
        case Operator::FullReduction:
        case Operator::Argmax: return add_reduction(op);
        case Operator::Input: break;
    }
    return false;
}

void Drawing::choose_outputs() {
    // What nobody reads is an output. Where that is too much, two of like sizes become one, or one scales
    // another by its mean.
    const auto unread = [this] {
        std::vector<int> all;
        for (size_t i = 0; i < recipe_.steps.size(); i++)
            if (readers_[i] == 0) all.push_back(static_cast<int>(i));
        return all;
    };
    const int wanted = dice_.chance(0.55) ? 1 : dice_.between(1, most_outputs);
    const auto is_input = [this](int i) { return step(i).op == Operator::Input; };
    for (std::vector<int> all = unread();
         static_cast<int>(all.size()) > wanted || std::ranges::any_of(all, is_input);
         all = unread()) {
        // Inputs that a step was drawn for which then did not fit are read here, too.
        std::ranges::stable_partition(all, is_input);
        int scaled = all.back();
        for (int i = 0; is_input(scaled); i++) scaled = i;
        const auto fits =
            std::ranges::find_if(all, [&](int i) { return i != scaled && are_alike(i, scaled); });
        if (fits != all.end()) {
            Step sum = like(scaled, Operator::Arithmetic, 1);
            sum.sources.push_back(*fits);
            shrink_to(sum, *fits);
            sum.choice = dice_.between(0, 7);
            add_step(std::move(sum), 4);
            continue;
        }
        Step s = like(scaled, Operator::FullReduction, 2);
        s.sources.push_back(all.front());
        s.choice = dice_.between(0, 1);
        add_step(std::move(s), 4);
    }
    recipe_.outputs = unread();
    for (size_t i = 0; i < recipe_.steps.size(); i++)
        if (readers_[i] > 0 && recipe_.steps[i].op != Operator::Input && dice_.chance(0.04) &&
            recipe_.outputs.size() < most_outputs)
            recipe_.outputs.push_back(static_cast<int>(i));
}

Recipe Drawing::draw() {
    const double u = dice_.unit();
    layout_ = u < image_share                   ? Layout::Image
              : u < image_share + network_share ? Layout::Network
                                                : Layout::Matrix;
    const double size = dice_.unit();
    wanted_funcs_ = 1 + static_cast<int>(most_funcs * size * std::sqrt(size));
    wanted_operations_ = dice_.between_log(least_operations, most_operations) / area();
    add_input(layout_, drawn_type(), drawn_extents());
    for (int tries = 0; tries < 400 && (recipe_.funcs < wanted_funcs_ || is_small()) &&
                        recipe_.operations < wanted_operations_;
         tries++)
        add(drawn_operator());
    while (is_only_input()) add(Operator::Arithmetic);
    choose_outputs();
    return std::move(recipe_);
}

int bytes_of(Number type) {
    switch (type) {
        case Number::U8: return 1;
        case Number::U16:
        case Number::I16:
        case Number::F16: return 2;
        case Number::I32:
        case Number::F32: break;
    }
    return 4;
}

std::string_view name(Operator op) {
    constexpr std::string_view names[num_operators] = {
        "input",         "arithmetic",   "maths",      "convert",    "stencil",        "separable",
        "window_sum",    "window_order", "bilateral",  "downsample", "upsample",       "pyramid",
        "resample",      "warp",         "lookup",     "histogram",  "splat",          "scan",
        "colour_matrix", "interleave",   "transpose",  "product",    "convolution",    "depthwise",
        "pool",          "softmax",      "layer_norm", "row_sum",    "full_reduction", "argmax",
        "concatenation"};
    return names[static_cast<size_t>(op)];
}

Recipe draw_recipe(uint64_t seed, int shrink) { return Drawing(seed, shrink).draw(); }

}  // namespace cryolite::apps

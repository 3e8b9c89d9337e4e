#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "apps/random/dice.h"
#include "apps/random/recipe.h"

namespace cryolite::apps {
namespace {

// Of the whole pipeline: from what is done in a fifth of a millisecond to about 200 ms on two cores.
constexpr double least_operations = 2e7, most_operations = 4e9;
constexpr double least_points = 50'000;        // of what a step computes
constexpr int64_t most_elements = 20'000'000;  // of a step
constexpr int64_t most_bytes = 48 << 20;       // of an input or output: a runner holds many copies
constexpr int most_funcs = 25, most_outputs = 3, most_inputs = 5;

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

class Drawing {
public:
    Drawing(uint64_t seed, int shrink) : dice_(seed), shrink_(shrink) {}

    Recipe draw() {
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

private:
    double area() const { return double{1} * shrink_ * shrink_; }
    bool is_only_input() const {
        return std::ranges::all_of(recipe_.steps,
                                   [](const Step &s) { return s.op == Operator::Input; });
    }
    bool is_small() const {
        return is_only_input() ||
               (recipe_.operations < least_operations / area() / 2 && recipe_.funcs < most_funcs);
    }
    const Step &step(int i) const { return recipe_.steps[static_cast<size_t>(i)]; }

    // --- sizes and types ---
    int shrunk(int extent) const { return std::max(24, extent / shrink_); }

    std::vector<int> drawn_extents() {
        for (;;) {
            std::vector<int> e = layout_ == Layout::Image     ? image_extents()
                                 : layout_ == Layout::Network ? network_extents()
                                                              : matrix_extents();
            int64_t n = 1;
            for (const int extent : e) n *= extent;
            if (n <= 12'000'000) return e;
        }
    }

    std::vector<int> image_extents() {
        constexpr std::array<int, 2> usual[] = {
            {1280, 720},  {1920, 1080}, {2048, 1536}, {1537, 1025}, {1000, 750},
            {1600, 1200}, {2560, 1440}, {2592, 1944}, {3000, 2000}, {3840, 2160},
            {1023, 767},  {1366, 768},  {2048, 2048}, {4000, 2500}};
        std::array<int, 2> e = dice_.one_of(usual);
        if (dice_.chance(0.35)) e = {dice_.between(900, 3600), dice_.between(700, 2600)};
        if (dice_.chance(0.2)) std::swap(e[0], e[1]);
        std::vector<int> all{shrunk(e[0]), shrunk(e[1])};
        if (dice_.chance(0.5)) all.push_back(dice_.chance(0.8) ? 3 : 4);
        return all;
    }
    std::vector<int> network_extents() {
        constexpr int channels[] = {3, 16, 17, 24, 32, 33, 48, 57, 64, 64, 96, 100, 128, 192, 256};
        constexpr int sides[] = {14, 28, 28, 31, 56, 56, 64, 75, 112, 112, 150, 224, 320};
        const int c = dice_.one_of(channels), side = dice_.one_of(sides);
        const int other = dice_.chance(0.7) ? side : dice_.one_of(sides);
        std::vector<int> e{c, std::max(12, side / shrink_), std::max(12, other / shrink_)};
        if (dice_.chance(0.3)) e.push_back(dice_.between(2, 8));
        if (e[0] * e[1] * e[2] < 200'000 && shrink_ == 1) return network_extents();
        return e;
    }
    std::vector<int> matrix_extents() {
        constexpr int sides[] = {128, 200, 256, 333, 384, 512, 640, 777, 1000, 1024, 1500, 2048};
        std::vector<int> e{shrunk(dice_.one_of(sides)), shrunk(dice_.one_of(sides))};
        if (dice_.chance(0.3)) e.push_back(dice_.between(2, 16));
        return e;
    }

    Number drawn_type() {
        constexpr Number order[] = {Number::U8,  Number::U16, Number::I16,
                                    Number::I32, Number::F16, Number::F32};
        const auto by = [&](std::array<double, 6> w) { return order[dice_.by_weight(w)]; };
        if (layout_ == Layout::Image) return by({0.33, 0.14, 0.1, 0.03, 0.04, 0.36});
        if (layout_ == Layout::Network) return by({0.06, 0, 0.06, 0.02, 0.06, 0.8});
        return by({0.02, 0, 0.05, 0.04, 0.06, 0.83});
    }
    // Mostly that of the source.
    Number type_after(int source) { return dice_.chance(0.75) ? step(source).type : drawn_type(); }
    Number float_type() { return dice_.chance(0.08) ? Number::F16 : Number::F32; }

    // --- steps ---
    int add_step(Step s, double operations_per_point) {
        s.seed = dice_.bits() >> 1;
        for (const int source : s.sources) readers_[static_cast<size_t>(source)]++;
        recipe_.operations += operations_per_point * static_cast<double>(s.points());
        recipe_.funcs += s.funcs;
        recipe_.steps.push_back(std::move(s));
        readers_.push_back(0);
        return static_cast<int>(recipe_.steps.size()) - 1;
    }

    int add_input(Layout layout, Number type, std::vector<int> extents) {
        Step s;
        s.layout = layout;
        s.type = type;
        s.extents = std::move(extents);
        inputs_++;
        while (s.points() * bytes_of(s.type) > most_bytes && s.type != Number::U8)
            s.type = bytes_of(s.type) > 2 ? Number::I16 : Number::U8;
        return add_step(std::move(s), 0);
    }

    // A step that nobody reads yet, more often than one that somebody does.
    template <typename Fits>
    std::optional<int> pick(Fits fits) {
        std::vector<int> fresh, all;
        for (size_t i = 0; i < recipe_.steps.size(); i++) {
            const Step &s = recipe_.steps[i];
            if (!fits(s)) continue;
            all.push_back(static_cast<int>(i));
            if (readers_[i] == 0) fresh.push_back(static_cast<int>(i));
        }
        if (all.empty()) return std::nullopt;
        const auto &from = !fresh.empty() && dice_.chance(0.85) ? fresh : all;
        return from[static_cast<size_t>(dice_.between(0, static_cast<int>(from.size()) - 1))];
    }
    std::optional<int> pick_any() {
        return pick([this](const Step &s) { return is_main(s); });
    }
    // Weights and tables are read by those that they were made for.
    bool is_main(const Step &s) const { return !s.is_weights; }

    // A result like its source, of another type now and then.
    Step like(int source, Operator op, int funcs) {
        Step s;
        s.op = op;
        s.layout = step(source).layout;
        s.type = type_after(source);
        s.extents = step(source).extents;
        s.sources = {source};
        s.funcs = funcs;
        return s;
    }

    bool has_room(double operations) const {
        const double sum = recipe_.operations + operations;
        return sum <= 1.7 * wanted_operations_ ||
               (is_only_input() && sum <= most_operations / area());
    }
    bool keep(Step s, double operations_per_point) {
        const double n = static_cast<double>(s.points());
        // A step that takes a whole dimension for each point may have few of them.
        if (n * (1 + operations_per_point / 16) < least_points / area() ||
            s.points() > most_elements || !has_room(n * operations_per_point))
            return false;
        for (const int e : s.extents)
            if (e < 1) return false;
        add_step(std::move(s), operations_per_point);
        return true;
    }

    Boundary drawn_boundary() {
        constexpr Boundary kinds[] = {Boundary::None,   Boundary::None,   Boundary::Repeat,
                                      Boundary::Repeat, Boundary::Mirror, Boundary::Constant,
                                      Boundary::Clamped};
        return dice_.one_of(kinds);
    }
    // Takes off what a window reads beyond, or draws a boundary condition. reach: on each side.
    void give_boundary(Step &s, int reach) {
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
    bool are_alike(const Step &a, const Step &b) const {
        if (a.layout != b.layout || !is_main(a) || !is_main(b) ||
            a.extents.size() != b.extents.size())
            return false;
        for (size_t d = 0; d < a.extents.size(); d++) {
            const double ratio = static_cast<double>(a.extents[d]) / b.extents[d];
            if (ratio < 0.7 || ratio > 1.4) return false;
        }
        return true;
    }
    bool are_alike(int a, int b) const { return are_alike(step(a), step(b)); }
    // Another source of the same layout and nearly the same size: one that is there, or an input.
    std::optional<int> partner(int source, bool may_add) {
        const Step a = step(source);
        auto found = pick([&](const Step &s) { return &s != &step(source) && are_alike(s, a); });
        if (found || !may_add || inputs_ >= most_inputs) return found;
        return add_input(a.layout, drawn_type(), a.extents);
    }
    void shrink_to(Step &s, int other) const {
        for (size_t d = 0; d < s.extents.size(); d++)
            s.extents[d] = std::min(s.extents[d], step(other).extents[d]);
    }

    Operator drawn_operator() {
        // Steps change the layout, so that the next one is drawn for a step that is there.
        const auto at = pick_any();
        const Layout l = at ? step(*at).layout : layout_;
        std::vector<double> w;
        for (const Weights &of : weights_of)
            w.push_back(l == Layout::Image     ? of.image
                        : l == Layout::Network ? of.network
                                               : of.matrix);
        return weights_of[dice_.by_weight(w)].op;
    }

    bool add(Operator op);
    bool add_pointwise(Operator op);
    bool add_window(Operator op);
    bool add_resized(Operator op);
    bool add_gather(Operator op);
    bool add_layer(Operator op);
    bool add_reduction(Operator op);
    bool add_channels(Operator op);
    bool add_product();
    bool add_convolution(Operator op);
    void choose_outputs();

    Dice dice_;
    const int shrink_;
    Layout layout_ = Layout::Image;
    int wanted_funcs_ = 1, inputs_ = 0;
    double wanted_operations_ = 0;
    Recipe recipe_;
    std::vector<int> readers_;  // [step]
};

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

}  // namespace

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

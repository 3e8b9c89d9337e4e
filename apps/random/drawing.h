// A recipe while it is drawn: the steps so far, and the dice. Private to the files drawing.cpp, drawn_*.cpp and
// draw_recipe.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/random/dice.h"
#include "apps/random/recipe.h"

namespace cryolite::apps {

// Of the whole pipeline: up to about 200 ms on two cores.
constexpr double most_operations = 4e9;
constexpr int64_t most_bytes = 48 << 20;       // of an input or output: a runner holds many copies
constexpr int64_t most_elements = 20'000'000;  // of a step
constexpr int most_outputs = 3, most_inputs = 5;

class Drawing {
public:
    // shrink: sizes are so many times smaller, for tests.
    Drawing(uint64_t seed, int shrink) : dice_(seed), shrink_(shrink) {}

    Recipe draw();

private:
    // --- draw_recipe.cpp ---
    Operator drawn_operator();
    // Each draws a step with the operator, and says whether one fits that was drawn.
    bool add(Operator op);
    void choose_outputs();
    bool is_only_input() const;
    bool is_small() const;

    // --- drawn_image_steps.cpp, drawn_network_steps.cpp ---
    bool add_pointwise(Operator op);
    bool add_window(Operator op);
    bool add_resized(Operator op);
    bool add_gather(Operator op);
    bool add_channels(Operator op);
    bool add_product();
    bool add_convolution(Operator op);
    bool add_layer(Operator op);
    bool add_reduction(Operator op);

    // --- drawn_sizes.cpp ---
    int shrunk(int extent) const;
    std::vector<int> drawn_extents();
    std::vector<int> image_extents();
    std::vector<int> network_extents();
    std::vector<int> matrix_extents();
    Number drawn_type();
    Number type_after(int source);  // mostly the source's
    Number float_type();

    // --- drawing.cpp ---
    double area() const { return double{1} * shrink_ * shrink_; }
    const Step &step(int i) const { return recipe_.steps[static_cast<size_t>(i)]; }
    int add_step(Step s, double operations_per_point);
    int add_input(Layout layout, Number type, std::vector<int> extents);
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
    std::optional<int> pick_any();
    // Weights and tables are read by those that they were made for.
    bool is_main(const Step &s) const { return !s.is_weights; }
    // A result like its source, of another type now and then.
    Step like(int source, Operator op, int funcs);
    // Whether the pipeline may have so many operations more.
    bool has_room(double operations) const;
    // Adds the step if its size and its operations fit.
    bool keep(Step s, double operations_per_point);
    Boundary drawn_boundary();
    // Takes off what a window reads beyond, or draws a boundary condition. reach: on each side.
    void give_boundary(Step &s, int reach);
    bool are_alike(const Step &a, const Step &b) const;
    bool are_alike(int a, int b) const { return are_alike(step(a), step(b)); }
    // Another source of the same layout and nearly the same size: one that is there, or an input.
    std::optional<int> partner(int source, bool may_add);
    void shrink_to(Step &s, int other) const;

    Dice dice_;
    const int shrink_;
    Layout layout_ = Layout::Image;
    int wanted_funcs_ = 1, inputs_ = 0;
    double wanted_operations_ = 0;
    Recipe recipe_;
    std::vector<int> readers_;  // [step]
};

}  // namespace cryolite::apps

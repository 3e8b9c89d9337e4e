// What the operators of a recipe are built with: reading, constants and conversions. Private to build_recipe.cpp and
// the files of operators.
#pragma once

#include <Halide.h>

#include <string>
#include <vector>

#include "apps/random/build_recipe.h"
#include "apps/random/dice.h"
#include "apps/random/recipe.h"

namespace cryolite::apps {

using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::RVar;
using Halide::Var;
using Exprs = std::vector<Expr>;

// A value of a type as a float around 0 to 1, and back. Whole numbers that are out of range keep to their type's.
Expr to_float(const Expr &value);
Expr to_type(const Expr &value, Number type);
// The same between a type and an int32 below 2^16.
Expr to_int(const Expr &value);
bool is_whole(Number type);

class StepBuilder {
public:
    StepBuilder(const Recipe &recipe, int index, const std::vector<Source> &done)
        : step_(recipe.steps[static_cast<size_t>(index)]),
          recipe_(recipe),
          prefix_(std::string(name(step_.op)) + "_" + std::to_string(index)),
          done_(done),
          dice_(step_.seed),
          bounded_(step_.sources.size()) {}

    Func build();

private:
    const Step &source(size_t i) const {
        return recipe_.steps[static_cast<size_t>(step_.sources[i])];
    }
    size_t dims() const { return step_.extents.size(); }
    Func func(const std::string &part = "") const {
        return Func(part.empty() ? prefix_ : prefix_ + "_" + part);
    }
    std::string domain_name(const std::string &part) const { return prefix_ + "_" + part; }
    std::vector<Var> vars(size_t count) const;
    static Exprs as_exprs(const std::vector<Var> &v) { return Exprs(v.begin(), v.end()); }
    static Exprs with(Exprs at, size_t dimension, const Expr &value) {
        at[dimension] = value;
        return at;
    }
    // A source at a place, as it is, as a float, and in the step's arithmetic: whole numbers or floats.
    Expr read(size_t i, const Exprs &at);
    Expr read_float(size_t i, const Exprs &at) { return to_float(read(i, at)); }
    bool whole() const { return is_whole(step_.type); }
    Expr number(const Expr &value) const;
    Expr result(const Expr &value) const { return to_type(value, step_.type); }
    // A place of the step in the coordinates of source 0, moved by (dx, dy) along its spatial dimensions: what is read
    // beyond is what the boundary condition says.
    Exprs moved(const Exprs &at, const Expr &dx, const Expr &dy) const;
    Expr read_moved(const Exprs &at, const Expr &dx, const Expr &dy) {
        return read(0, moved(at, dx, dy));
    }
    size_t x() const { return static_cast<size_t>(step_.first_spatial()); }
    size_t y() const { return x() + 1; }
    // `count` weights that add up to about 1; whole numbers are weighted by 256ths.
    std::vector<double> weights(size_t count);
    Expr weighted(const Exprs &values, const std::vector<double> &weights) const;
    float constant(double low, double high) {
        return static_cast<float>(low + (high - low) * dice_.unit());
    }

    // pointwise_steps.cpp
    Func arithmetic();
    Func maths();
    Func convert();
    Func colour_matrix();
    Func interleave();
    Func transpose();
    Func concatenation();
    // window_steps.cpp
    Func stencil();
    Func separable();
    Func window_sum();
    Func window_order();
    Func bilateral();
    // resized_steps.cpp
    Func downsample();
    Func upsample();
    Func pyramid();
    Func resample();
    // gather_steps.cpp
    Func warp();
    Func lookup();
    Func histogram();
    Func splat();
    Func scan();
    // network_steps.cpp
    Func matrix_product();
    Func convolution();
    Func depthwise();
    Func finished_layer(const Func &sums);
    Func pool();
    Func softmax();
    Func layer_norm();
    // reduction_steps.cpp
    Func row_sum();
    Func full_reduction();
    Func argmax();

    const Step &step_;
    const Recipe &recipe_;
    const std::string prefix_;
    const std::vector<Source> &done_;
    Dice dice_;
    std::vector<Func> bounded_;  // [source]: with its boundary condition, once it is read
};

}  // namespace cryolite::apps

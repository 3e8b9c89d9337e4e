// A random pipeline of imaging and learning operators at a real size, as data: which operators, of what, how large.
// build_recipe.h makes Halide Funcs of it. The same seed gives the same recipe on every computer.
//
// A step is an operator of a textbook (a pyramid, a softmax), so it may become several Funcs. What a step computes lies
// in [0, extent) of each dimension, and it reads nothing outside of its sources: a stencil without a boundary
// condition is smaller than its source.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cryolite::apps {

// What dimensions mean. Image: x, y and perhaps channels. Network: channels, x, y and perhaps a batch. Matrix: columns,
// rows and perhaps a batch.
enum class Layout : uint8_t { Image, Network, Matrix };

// Floats lie around 0 to 1, bytes use their whole range, and wider whole numbers have 10 bits, as those of sensors.
enum class Number : uint8_t { U8, U16, I16, I32, F16, F32 };

enum class Boundary : uint8_t { None, Repeat, Mirror, Constant, Clamped };

enum class Operator : uint8_t {
    Input,
    Arithmetic,     // sums, differences, minima, products, choices of one to three sources
    Maths,          // exp, log, pow, sqrt, divisions, tanh, sin: one or a chain of them
    Convert,        // to another type
    Stencil,        // 2D, unrolled, perhaps dilated; a box, a cross or diagonals
    Separable,      // a pass along x and one along y
    WindowSum,      // a reduction over a window, with a kernel that is an input, a formula, or 1
    WindowOrder,    // minimum, maximum or a median of medians of a window
    Bilateral,      // weights by differences, with an exp for each
    Downsample,     // by 2, of 2 or 4 taps
    Upsample,       // by 2, nearest or linear
    Pyramid,        // down and up, with the differences of levels scaled
    Resample,       // by a ratio of small numbers
    Warp,           // an affine or wavy gather with bilinear interpolation
    Lookup,         // in a table that is an input or computed
    Histogram,      // scattered counts, their sums, and a gather by them
    Splat,          // into a coarse grid with a dimension of values, and read out of it
    Scan,           // sums or a recursive filter along a dimension, perhaps both ways
    ColourMatrix,   // channels of all channels, by mux; or luma; or colours of a grey image
    Interleave,     // pixels of two sources by turns along x, or of one in a mosaic
    Transpose,      // of two dimensions
    MatrixProduct,  // perhaps batched, perhaps of a transposed right side
    Convolution,    // of a network's layer, perhaps strided, grouped, padded, with bias and ReLU
    Depthwise,      // the same, channel by channel
    Pool,           // maximum or mean of a window, strided
    Softmax,        // along dimension 0
    LayerNorm,      // along dimension 0
    RowSum,         // a sum along a dimension, by which all is divided
    FullReduction,  // a mean of all that another step computes, by which this is scaled
    Argmax,         // over the channels, the rows or the columns, which are gone then
    Concatenation,  // of two sources' channels
};
constexpr int num_operators = 31;

std::string_view name(Operator op);

struct Step {
    Operator op = Operator::Input;
    Layout layout = Layout::Image;
    Number type = Number::F32;
    std::vector<int> extents;  // [dimension]
    std::vector<int> sources;  // steps before this one
    // What the operator needs of these; each says in build_recipe.cpp what it means there.
    int radius = 0, dilation = 1, stride = 1, groups = 1, levels = 0, dimension = 0, choice = 0;
    int numerator = 1, denominator = 1;
    Boundary boundary = Boundary::None;
    uint64_t seed = 0;        // of its constants
    bool is_weights = false;  // a kernel or a table, which only the step that it was made for reads
    int funcs = 0;            // about how many it becomes

    bool operator==(const Step &) const = default;

    int64_t points() const {
        int64_t n = 1;
        for (const int e : extents) n *= e;
        return n;
    }
    // Image and Matrix: 0 and 1; Network: 1 and 2.
    int first_spatial() const { return layout == Layout::Network ? 1 : 0; }
};

struct Recipe {
    std::vector<Step> steps;   // sources before readers; inputs are steps too
    std::vector<int> outputs;  // steps
    double operations =
        0;          // about how many scalar operations a run takes with nothing computed twice
    int funcs = 0;  // about how many it becomes

    bool operator==(const Recipe &) const = default;
};

// shrink: what spatial extents are divided by, for tests that run pipelines.
Recipe draw_recipe(uint64_t seed, int shrink = 1);

int bytes_of(Number type);

}  // namespace cryolite::apps

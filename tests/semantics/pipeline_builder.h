// The state of a random pipeline while it grows from inputs to outputs, and the operations that
// each add one node to it. Private to random_pipeline.cpp and the operations' files.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "tests/semantics/random_pipeline.h"
#include "tests/semantics/random_terms.h"

namespace cryolite {

// A Func or an input that later Funcs may read anywhere.
struct Node {
    Halide::Func func;  // undefined for an input that is read directly
    Halide::ImageParam image;
    int dims = 0;
    std::vector<ElementInfo> elements;
    // Scans and scatters touch fixed coordinates, which an output of another size would not have.
    bool can_be_output = false;
    bool is_input = false;
    int readers = 0;
    // How much larger than an output's extent its own may have to be, along one dimension.
    int scale = 1;
};

class PipelineBuilder {
public:
    PipelineBuilder(uint64_t seed, const SizeProfile &profile);
    RandomPipeline build();

private:
    using Args = std::vector<Halide::Expr>;
    using Vars = std::vector<Halide::Var>;

    // --- reading (pipeline_builder.cpp) ---
    size_t pick_node();                                 // prefers nodes that nobody reads yet
    size_t pick_node_with(int min_dims, int max_dims);  // makes one if there is none
    int pick_dims(const Node &source);                  // dimensions of a Func that reads `source`
    Vars vars(int dims) const;
    static Args as_args(const Vars &v) { return Args(v.begin(), v.end()); }
    // Arguments for a node from a reader's loop variables: mostly dimension by dimension, now and
    // then transposed or sliced, constants where the node has more dimensions.
    Args address(const Node &node, const Args &loops);
    Term read(size_t node, const Args &args);
    Term read_element(size_t node, const Args &args, size_t element);
    Halide::Expr small_offset();  // a constant, now and then a parameter
    // Converts to exactly the type of `target` and widens what is known of its values.
    Halide::Expr convert(const Term &term, ElementInfo &target);
    int domain_extent(int limit);  // for RDoms: odd, prime, one
    Halide::Func new_func();
    size_t add(Halide::Func func, int dims, std::vector<ElementInfo> elements, bool can_be_output,
               int scale);
    bool allow_inexact() { return inexact_ && random_.chance(0.5); }

    // --- inputs (pipeline_builder.cpp) ---
    void add_input();
    size_t add_boundary(const PipelineInput &input, const ElementInfo &info);

    // --- pure operations (pure_operations.cpp) ---
    // without: the dimension of its sources, not below 0, that it reads at one place.
    size_t pointwise(std::vector<size_t> sources, int dims, int without = -1);
    void add_pointwise();
    void add_stencil();
    void add_upsample();
    void add_downsample();
    void add_gather();
    void add_tuple();
    void add_boundary_of_func();
    void add_slice();
    void add_channels();

    // --- operations with updates (update_operations.cpp) ---
    void add_stencil_reduction();
    void add_inline_reduction();
    void add_full_reduction();
    void add_argmax();
    void add_histogram();
    void add_scan();
    void add_recurrence();
    void add_pure_update();
    void add_input_reduction();
    void add_interpreter();  // interpreter_operation.cpp
    void add_products();     // products_operation.cpp
    void restrict_domain(Halide::RDom &domain, const Halide::Expr &free_value);

    // --- the end (random_pipeline.cpp) ---
    void add_random_operation();
    void choose_outputs();
    void add_siblings();
    void add_wrappers();
    void set_sizes();

    uint64_t seed_;
    SizeProfile profile_;
    Random random_;
    bool inexact_ = false;
    std::vector<Node> nodes_;
    std::vector<size_t> bounded_inputs_;   // of result_.inputs
    std::vector<ElementInfo> input_info_;  // as result_.inputs
    RandomPipeline result_;
    int func_count_ = 0;
};

}  // namespace cryolite

// Builds the graph of a few Funcs and answers the questions that the tests ask of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/builder/build.h"

namespace cryolite::test {

inline std::vector<Halide::Internal::Function> functions_of(
    const std::vector<Halide::Func> &outputs) {
    std::vector<Halide::Internal::Function> functions;
    for (const Halide::Func &f : outputs) functions.push_back(f.function());
    return functions;
}

inline Result<BuiltGraph> try_build(const std::vector<Halide::Func> &outputs) {
    return build_graph(functions_of(outputs), Halide::get_host_target());
}

inline BuiltGraph build(const std::vector<Halide::Func> &outputs) {
    Result<BuiltGraph> built = try_build(outputs);
    if (!built.ok()) throw std::runtime_error(built.error().message);
    return std::move(built).value();
}

inline const Func &func(const BuiltGraph &built, const std::string &name) {
    const FuncId id = built.graph.find(name);
    if (!id.valid()) throw std::runtime_error("no Func " + name);
    return built.graph.func(id);
}

inline const Func &func(const BuiltGraph &built, const Halide::Func &f) {
    return func(built, f.name());
}

inline const Stage &stage(const BuiltGraph &built, const Halide::Func &f, size_t index = 0) {
    return built.graph.stage(func(built, f).stages.at(index));
}

// The edge along which a stage reads `producer`; fails the test if there is none.
inline const Edge &edge(const BuiltGraph &built, const Stage &consumer,
                        const std::string &producer) {
    const FuncId id = func(built, producer).id;
    for (EdgeId e : consumer.incoming) {
        if (built.graph.edge(e).producer == id) return built.graph.edge(e);
    }
    throw std::runtime_error("no edge to " + producer);
}

// What an edge needs for a box of its consumer's loops.
inline Box needed(const Edge &edge, const Intervals &loops) {
    Box box(edge.region.dims.size());
    edge.region.evaluate(loops, box);
    return box;
}

// The Func through which Halide reads an ImageParam.
inline std::string reader(const Halide::ImageParam &p) { return Halide::Func(p).name(); }

// [0, extent) in every dimension.
inline void estimate(Halide::Func f, std::vector<int> extents) {
    const std::vector<Halide::Var> args = f.args();
    for (size_t d = 0; d < args.size(); d++) f.set_estimate(args[d], 0, extents[d]);
}

inline void estimate(Halide::ImageParam p, std::vector<int> extents) {
    for (size_t d = 0; d < extents.size(); d++) {
        p.dim(static_cast<int>(d)).set_estimate(0, extents[d]);
    }
}

}  // namespace cryolite::test

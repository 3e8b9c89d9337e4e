// Small integer pipelines for emission: each exercises something that scheduling calls can get
// wrong. A fresh one at every call, so that a schedule of one does not touch another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Halide.h>

namespace cryolite::testing {

struct SmallPipeline {
    std::vector<Halide::Func> outputs;  // two dimensions each, estimated at 100 x 100
    Halide::ImageParam input;

    Halide::Pipeline pipeline() const { return Halide::Pipeline(outputs); }
    std::vector<Halide::Internal::Function> functions() const {
        std::vector<Halide::Internal::Function> all;
        for (const Halide::Func &f : outputs) all.push_back(f.function());
        return all;
    }
};

// Names: see pipelines.cpp. Inputs are 16-bit unsigned, 2-dimensional, with estimates.
SmallPipeline make_pipeline(std::string_view name);

}  // namespace cryolite::testing

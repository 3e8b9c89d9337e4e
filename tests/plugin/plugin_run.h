// What the tests of the plugin share: a pipeline made twice, one of them scheduled by Cryolite, and
// the comparison of what the two compute.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <Halide.h>
#include <gtest/gtest.h>

#include "plugin/autoscheduler.h"

namespace cryolite::testing {

using Options = std::map<std::string, std::string>;

// A search small enough for a test; every key may be given again.
inline Options quick(Options more = {}) {
    more.insert({{"beam_size", "4"}, {"tilings", "8"}, {"parallelism", "4"}});
    return more;
}

// Two stages of 3 x 3 sums, with estimates.
inline Halide::Pipeline box_filter() {
    Halide::Var x("x"), y("y");
    Halide::ImageParam input(Halide::UInt(16), 2, "input");
    Halide::Func rows("rows"), output("output");
    rows(x, y) = input(x, y) + input(x + 1, y) + input(x + 2, y);
    output(x, y) = rows(x, y) + rows(x, y + 1) + rows(x, y + 2);
    input.set_estimates({{0, 514}, {0, 386}});
    output.set_estimates({{0, 512}, {0, 384}});
    return output;
}

inline Halide::AutoSchedulerResults schedule(
    const Halide::Pipeline &pipeline, const Options &options,
    const Halide::Target &target = Halide::get_host_target()) {
    Halide::AutoSchedulerResults results;
    autoschedule(pipeline, target, Halide::AutoschedulerParams("Cryolite", options), &results);
    return results;
}

// What the user is told; empty if scheduling succeeds.
inline std::string complaint(const Halide::Pipeline &pipeline, const Options &options,
                             const Halide::Target &target = Halide::get_host_target()) {
    try {
        schedule(pipeline, options, target);
        return {};
    } catch (const Halide::CompileError &error) {
        return error.what();
    }
}

// Runs `make`'s pipeline unscheduled and scheduled at the size and compares all outputs bit by bit.
inline void expect_same(const std::function<Halide::Pipeline()> &make, std::vector<int32_t> size,
                        const Options &options = quick()) {
    const Halide::Pipeline scheduled = make();
    schedule(scheduled, options);
    Halide::Realization expected = make().realize(size);
    Halide::Realization found = Halide::Pipeline(scheduled).realize(size);
    ASSERT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < expected.size(); i++) {
        ASSERT_EQ(expected[i].size_in_bytes(), found[i].size_in_bytes()) << "output " << i;
        EXPECT_EQ(std::memcmp(expected[i].data(), found[i].data(), expected[i].size_in_bytes()), 0)
            << "output " << i;
    }
}

}  // namespace cryolite::testing

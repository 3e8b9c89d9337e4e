#include "tests/robustness/subject.h"

#include "base/random.h"

namespace cryolite::robustness {

namespace {

void set_estimates(Halide::Internal::Dimension dimension, const Size &size) {
    dimension.set_estimate(size.min, size.extent);
}

}  // namespace

Halide::ImageParam Subject::input(const std::string &name, Halide::Type type, int dimensions,
                                  Interval values) {
    inputs.push_back({Halide::ImageParam(type, dimensions, name), {}, values});
    return inputs.back().image;
}

Halide::ImageParam Subject::sized_input(const std::string &name, Halide::Type type,
                                        const Sizes &sizes, Interval values) {
    const int dimensions = static_cast<int>(sizes.size());
    inputs.push_back({Halide::ImageParam(type, dimensions, name), sizes, values});
    for (int d = 0; d < dimensions; d++)
        set_estimates(inputs.back().image.dim(d), sizes[static_cast<size_t>(d)]);
    return inputs.back().image;
}

Halide::Param<int> Subject::parameter(const std::string &name, int estimate, int other) {
    parameters.push_back({Halide::Param<int>(name), estimate, other});
    parameters.back().param.set_estimate(estimate);
    return parameters.back().param;
}

void Subject::output(Halide::Func func, const Sizes &sizes, double tolerance) {
    Halide::Region estimates;
    for (const Size &s : sizes) estimates.emplace_back(s.min, s.extent);
    func.set_estimates(estimates);
    outputs.push_back({func, sizes, tolerance});
}

void Subject::scheduled_by_hand(const Halide::Func &func) {
    names_scheduled_by_hand.push_back(func.name());
}

Halide::Pipeline Subject::pipeline() const {
    std::vector<Halide::Func> funcs;
    for (const Output &o : outputs) funcs.push_back(o.func);
    return Halide::Pipeline(funcs);
}

const char *name(Run run) {
    switch (run) {
        case Run::Estimates: return "estimates";
        case Run::Ones: return "ones";
        case Run::Primes: return "primes";
    }
    return "?";
}

Box region(const Sizes &sizes, Run run, bool shifted) {
    // By dimension, so that outputs that read each other get the same.
    constexpr int primes[] = {61, 43, 7, 5, 3, 2};
    constexpr int shift = 3;
    Box box;
    for (size_t d = 0; d < sizes.size(); d++) {
        int min = sizes[d].min, extent = sizes[d].extent;
        if (!sizes[d].fixed && run == Run::Ones) extent = 1;
        if (!sizes[d].fixed && run == Run::Primes) {
            extent = primes[std::min<size_t>(d, 5)];
            if (shifted) min += shift;
        }
        box.push_back({min, int64_t{min} + extent - 1});
    }
    return box;
}

Halide::Buffer<> make_data(Halide::Type type, const Box &region, Interval values, uint64_t seed) {
    std::vector<int> extents;
    for (const Interval &i : region) extents.push_back(static_cast<int>(i.extent()));
    Halide::Buffer<> buffer(type, extents);
    for (size_t d = 0; d < region.size(); d++)
        buffer.translate(static_cast<int>(d), static_cast<int>(region[d].min));
    Random random(seed);
    const size_t count = static_cast<size_t>(points(region));
    auto fill = [&](auto zero) {
        using Element = decltype(zero);
        Element *data = static_cast<Element *>(buffer.data());
        for (size_t i = 0; i < count; i++)
            data[i] = static_cast<Element>(random.between(values.min, values.max));
    };
    if (type == Halide::Float(32)) {
        fill(float{});
    } else if (type == Halide::Float(64)) {
        fill(double{});
    } else if (type.bits() == 64) {
        fill(int64_t{});
    } else if (type.bits() == 32) {
        fill(int32_t{});
    } else if (type.bits() == 16) {
        fill(int16_t{});
    } else {
        fill(int8_t{});
    }
    return buffer;
}

}  // namespace cryolite::robustness

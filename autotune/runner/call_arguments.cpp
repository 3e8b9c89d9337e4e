#include "autotune/runner/call_arguments.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cryolite {
namespace {

using Kind = PlannedArgument::Kind;

// An answer may depend on the extents that the question had: pipelines that repeat the edges of an input read what is
// there. Such answers settle at once, or never.
constexpr int most_questions = 8;

Dimensions dense(const std::vector<Range> &region) {
    Dimensions dimensions;
    int stride = 1;
    for (const Range &range : region) {
        dimensions.emplace_back(range.min, range.extent, stride);
        stride *= range.extent;
    }
    return dimensions;
}

// The region in the order of memory that the answer has. Its strides are kept where they leave room enough.
Dimensions laid_out(const std::vector<Range> &region, const Dimensions &answer) {
    std::vector<size_t> order(region.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t d) { return answer[d].stride; });
    Dimensions dimensions(region.size());
    int64_t around = 1;
    for (const size_t d : order) {
        const int64_t stride = std::max<int64_t>(around, answer[d].stride);
        around = stride * region[d].extent;
        if (around > std::numeric_limits<int32_t>::max())
            throw std::runtime_error("a buffer has more elements than Halide can count");
        dimensions[d] = {region[d].min, region[d].extent, static_cast<int32_t>(stride)};
    }
    return dimensions;
}

std::vector<Range> around_both(const std::vector<Range> &region, const Dimensions &answer) {
    std::vector<Range> both = region;
    for (size_t d = 0; d < both.size(); d++) {
        if (answer[d].extent <= 0) continue;
        if (both[d].extent <= 0) {
            both[d] = {answer[d].min, answer[d].extent};
            continue;
        }
        const int64_t first = std::min(both[d].min, answer[d].min),
                      end = std::max(int64_t{both[d].min} + both[d].extent,
                                     int64_t{answer[d].min} + answer[d].extent);
        if (end - first > std::numeric_limits<int32_t>::max())
            throw std::runtime_error("it wants an input of more elements than Halide can count");
        both[d] = {static_cast<int32_t>(first), static_cast<int32_t>(end - first)};
    }
    return both;
}

bool same(const Dimensions &a, const Dimensions &b) {
    return std::ranges::equal(a, b, [](const halide_dimension_t &x, const halide_dimension_t &y) {
        return x.min == y.min && x.extent == y.extent && x.stride == y.stride;
    });
}

}  // namespace

CallArguments::CallArguments(const CallPlan &plan)
    : scalars_(plan.arguments.size()),
      dimensions_(plan.arguments.size()),
      buffers_(plan.arguments.size()),
      pointers_(plan.arguments.size()) {
    for (size_t i = 0; i < plan.arguments.size(); i++) {
        const PlannedArgument &argument = plan.arguments[i];
        scalars_[i] = argument.scalar;
        pointers_[i] = &scalars_[i];
        if (argument.kind == Kind::Scalar) continue;
        buffers_[i] = halide_buffer_t{};
        buffers_[i].type = argument.type;
        set_dimensions(i, dense(argument.region));
        pointers_[i] = &buffers_[i];
    }
}

void CallArguments::set_dimensions(size_t argument, const Dimensions &dimensions) {
    dimensions_[argument] = dimensions;
    buffers_[argument].dimensions = static_cast<int32_t>(dimensions.size());
    buffers_[argument].dim = dimensions_[argument].data();
}

std::vector<Dimensions> required_dimensions(const FilterLibrary &library, const CallPlan &plan) {
    const std::vector<PlannedArgument> &arguments = plan.arguments;
    std::vector<Dimensions> required(arguments.size());
    CallArguments call(plan);
    // A call that has a buffer without memory only writes into that buffer which region it would read or write. First
    // all are without: that tells the order of the outputs' dimensions.
    library.call(call.argv());
    uint8_t no_memory = 0;
    bool has_inputs = false;
    for (size_t i = 0; i < arguments.size(); i++) {
        has_inputs = has_inputs || arguments[i].kind == Kind::Input;
        if (arguments[i].kind != Kind::Output) continue;
        required[i] = laid_out(arguments[i].region, call.dimensions(i));
        // With memory the regions of outputs are taken as they are, and a schedule may not round them up.
        call.buffer(i).host = &no_memory;
    }
    if (!has_inputs) return required;  // no buffer would be without memory
    for (int k = 0; k < most_questions; k++) {
        bool settled = k > 0;
        for (size_t i = 0; i < arguments.size(); i++) {
            if (arguments[i].kind == Kind::Scalar) continue;
            if (arguments[i].kind == Kind::Input && k > 0) {
                const Dimensions &answer = call.dimensions(i);
                Dimensions now = laid_out(around_both(arguments[i].region, answer), answer);
                settled = settled && same(now, required[i]);
                required[i] = std::move(now);
            } else if (arguments[i].kind == Kind::Input) {
                required[i] = dense(arguments[i].region);
            }
            call.set_dimensions(i, required[i]);
        }
        if (settled) break;
        library.call(call.argv());
    }
    return required;
}

}  // namespace cryolite

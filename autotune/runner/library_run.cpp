#include "autotune/runner/library_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "autotune/runner/buffer_rows.h"
#include "autotune/runner/call_arguments.h"
#include "autotune/runner/device.h"
#include "autotune/runner/filter_library.h"
#include "autotune/runner/input_values.h"

namespace cryolite {
namespace {

using Kind = PlannedArgument::Kind;

constexpr size_t alignment_bytes = 128;  // a pair of lines: no candidate gains by where buffers lie
constexpr int spoilt = 0xcd;             // what nobody wrote must not look right

struct Freer {
    void operator()(std::byte *memory) const { std::free(memory); }
};

struct Memory {
    std::unique_ptr<std::byte, Freer> start;
    size_t bytes = 0;
};

Memory memory_for(const std::string &name, const Dimensions &dimensions, halide_type_t type) {
    size_t elements = 1;
    for (const halide_dimension_t &d : dimensions)
        elements += static_cast<size_t>(std::max(0, d.extent - 1)) * static_cast<size_t>(d.stride);
    Memory memory;
    memory.bytes = elements * static_cast<size_t>(type.bytes());
    memory.start.reset(static_cast<std::byte *>(std::aligned_alloc(
        alignment_bytes, (memory.bytes + alignment_bytes) / alignment_bytes * alignment_bytes)));
    if (!memory.start)
        throw OutOfMemory("there is no memory for the " + std::to_string(memory.bytes) +
                          " bytes of '" + name + "'");
    return memory;
}

class LibraryRun : public Runnable {
public:
    LibraryRun(const RunLibrary &library, const CallPlan &plan, const RunRequest &request,
               const InputFiles &files, int threads)
        : library_(library.library, request.function_of(library)),
          plan_(plan),
          device_(checked(library_, plan)),
          call_(plan),
          memory_(plan.arguments.size()) {
        library_.set_threads(threads);
        const std::vector<Dimensions> required = required_dimensions(library_, plan);
        for (size_t i = 0; i < plan.arguments.size(); i++) {
            const PlannedArgument &argument = plan.arguments[i];
            if (argument.kind == Kind::Scalar) continue;
            memory_[i] = memory_for(argument.name, required[i], argument.type);
            call_.set_dimensions(i, required[i]);
            call_.buffer(i).host = reinterpret_cast<uint8_t *>(memory_[i].start.get());
            if (argument.kind == Kind::Output) continue;
            fill(i, request, files);
            // It goes to the device with the first call and stays there.
            if (device_.is_there()) call_.buffer(i).set_host_dirty();
        }
        spoil_outputs();
    }

    void call() override {
        library_.call(call_.argv());
        for_each_output([&](size_t i) { device_.wait(call_.buffer(i)); });
    }

    std::vector<Output> outputs() override {
        std::vector<Output> all;
        for_each_output([&](size_t i) {
            device_.copy_to_host(call_.buffer(i));
            all.push_back({plan_.arguments[i].type, dense_values(i)});
        });
        return all;
    }

    void spoil_outputs() override {
        for_each_output([&](size_t i) {
            std::memset(memory_[i].start.get(), spoilt, memory_[i].bytes);
            device_.copy_to_device(call_.buffer(i));
        });
    }

private:
    static const FilterLibrary &checked(const FilterLibrary &library, const CallPlan &plan) {
        const std::string wrong = mismatch(plan, library);
        if (!wrong.empty()) throw std::runtime_error(wrong);
        return library;
    }

    template <typename Do>
    void for_each_output(Do what) {
        for (size_t i = 0; i < plan_.arguments.size(); i++)
            if (plan_.arguments[i].kind == Kind::Output) what(i);
    }

    void fill(size_t i, const RunRequest &request, const InputFiles &files) {
        const PlannedArgument &argument = plan_.arguments[i];
        const Dimensions &dimensions = call_.dimensions(i);
        std::byte *const first = memory_[i].start.get();
        std::memset(first, 0, memory_[i].bytes);  // what lies between rows
        if (const auto file = files.find(argument.name); file != files.end())
            return fill_from_file(first, dimensions, file->second, argument);
        std::optional<std::array<double, 2>> range;
        const auto source = request.inputs.find(argument.name);
        if (source != request.inputs.end() && source->second.has_range)
            range = source->second.range;
        fill_at_random(first, dimensions, argument.type, argument.name, request.seed, range);
    }

    std::vector<std::byte> dense_values(size_t i) const {
        const Dimensions &dimensions = call_.dimensions(i);
        const auto bytes = static_cast<size_t>(plan_.arguments[i].type.bytes());
        const halide_dimension_t row = row_of(dimensions);
        const auto length = static_cast<size_t>(row.extent);
        std::vector<std::byte> values(plan_.arguments[i].elements() * bytes);
        std::byte *to = values.data();
        for_each_row(dimensions, [&](std::span<const int32_t>, int64_t offset) {
            const std::byte *from = memory_[i].start.get() + static_cast<size_t>(offset) * bytes;
            if (row.stride == 1) {
                to = std::copy_n(from, length * bytes, to);
                return;
            }
            for (size_t x = 0; x < length; x++)
                to = std::copy_n(from + x * static_cast<size_t>(row.stride) * bytes, bytes, to);
        });
        return values;
    }

    const FilterLibrary library_;
    const CallPlan &plan_;
    const Device device_;
    CallArguments call_;
    std::vector<Memory> memory_;  // [argument]; of scalars none
};

}  // namespace

std::unique_ptr<Runnable> library_run(const RunLibrary &library, const CallPlan &plan,
                                      const RunRequest &request, const InputFiles &files,
                                      int threads) {
    return std::make_unique<LibraryRun>(library, plan, request, files, threads);
}

}  // namespace cryolite

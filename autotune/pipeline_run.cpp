#include "autotune/pipeline_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>

#include "autotune/buffer_shapes.h"
#include "autotune/pipeline_inputs.h"
#include "autotune/runner/input_values.h"
#include "autotune/workload.h"
#include "base/random.h"

namespace cryolite {
namespace {

constexpr size_t alignment_bytes =
    128;                      // a pair of lines: no candidate gains by where its buffers lie
constexpr int spoilt = 0xcd;  // what nobody wrote must not look right

void set_to_estimate(Halide::Parameter &p) {
    const Halide::Expr estimate = p.estimate();
    if (!estimate.defined() || p.type().is_handle()) return;
    const Halide::Expr value = Halide::Internal::simplify(Halide::cast(p.type(), estimate));
    halide_scalar_value_t scalar{};
    if (const auto i = Halide::Internal::as_const_int(value))
        std::memcpy(&scalar.u, &*i, sizeof *i);
    else if (const auto u = Halide::Internal::as_const_uint(value))
        std::memcpy(&scalar.u, &*u, sizeof *u);
    else if (const auto f = Halide::Internal::as_const_float(value)) {
        if (p.type().bits() == 64)
            scalar.u.f64 = *f;
        else if (p.type().bits() == 32)
            scalar.u.f32 = static_cast<float>(*f);
        else
            return;
    } else {
        return;
    }
    p.set_scalar(p.type(), scalar);
}

template <typename T, typename Draw>
void fill_with(std::byte *memory, size_t bytes, Draw draw) {
    for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        const T value = static_cast<T>(draw());
        std::memcpy(memory + i, &value, sizeof value);
    }
}

void fill(std::byte *memory, size_t bytes, const Halide::Type &type, Random random) {
    const auto fraction = [&] { return static_cast<double>(random.below(1 << 16)) / (1 << 16); };
    const auto below = [&](uint64_t end) { return [&random, end] { return random.below(end); }; };
    if (type.is_bfloat() || (type.is_float() && type.bits() == 16)) {
        // The upper halves of floats below 1, or halves of up to 1: 0x3c00 is 1, smaller bits are smaller numbers.
        fill_with<uint16_t>(memory, bytes, below(type.is_bfloat() ? 0x3f80 : 0x3c00));
    } else if (type.is_float()) {
        if (type.bits() == 64)
            fill_with<double>(memory, bytes, fraction);
        else
            fill_with<float>(memory, bytes, fraction);
    } else if (type.is_bool()) {
        fill_with<uint8_t>(memory, bytes, below(2));
    } else if (type.bytes() == 1) {
        fill_with<uint8_t>(memory, bytes, below(256));
    } else if (type.bytes() == 2) {
        fill_with<uint16_t>(memory, bytes, below(1024));
    } else if (type.bytes() == 4) {
        fill_with<uint32_t>(memory, bytes, below(256));
    } else {
        fill_with<uint64_t>(memory, bytes, below(256));
    }
}

struct Memory {
    explicit Memory(size_t bytes)
        : start(static_cast<std::byte *>(std::aligned_alloc(
              alignment_bytes, (bytes + alignment_bytes) / alignment_bytes * alignment_bytes))) {
        if (start == nullptr) throw std::bad_alloc();
    }
    struct Freer {
        void operator()(std::byte *memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, Freer> start;
};

template <typename Work>
void translated(Work work) {
    try {
        work();
    } catch (const Halide::Error &error) {
        throw std::runtime_error(error.what());
    }
}

class JitRun : public Runnable {
public:
    JitRun(const Halide::Pipeline &pipeline, const BuiltGraph &built, const Halide::Target &target,
           int threads, uint64_t seed, const InputFiles &files)
        : files_(files),
          pipeline_(pipeline),
          target_(target.with_feature(Halide::Target::JIT)
                      .without_feature(Halide::Target::NoRuntime)
                      .without_feature(Halide::Target::NoAsserts)
                      .without_feature(Halide::Target::NoBoundsQuery)
                      .without_feature(Halide::Target::UserContext)),
          random_(seed) {
        Halide::Internal::JITSharedRuntime::set_num_threads(threads);
        shapes_ = output_shapes(pipeline_, built);
        std::vector<Halide::Buffer<>> outputs;
        for (const BufferShape &shape : shapes_) {
            const Memory &memory = memory_.emplace_back(shape.bytes());
            outputs.emplace_back(shape.type, memory.start.get(),
                                 static_cast<int>(shape.dimensions.size()),
                                 shape.dimensions.data());
        }
        outputs_ = Halide::Realization(outputs);
        spoil_outputs();
        pipeline_.compile_jit(target_);
        set_parameters(built.graph);
    }

    void call() override {
        translated([&] {
            try {
                pipeline_.realize(outputs_, target_);
                has_run_ = true;
            } catch (const Halide::Error &) {
                // Inputs of the estimated sizes may be too small for the estimated output.
                if (has_run_) throw;
                has_run_ = true;
                enlarge_inputs();
                pipeline_.realize(outputs_, target_);
            }
        });
    }

    std::vector<Output> outputs() override {
        std::vector<Output> all;
        for (size_t i = 0; i < shapes_.size(); i++) {
            const std::byte *const start = memory_[i].start.get();
            all.push_back({shapes_[i].type, {start, start + shapes_[i].bytes()}});
        }
        return all;
    }

    void spoil_outputs() override {
        for (size_t i = 0; i < shapes_.size(); i++)
            std::memset(memory_[i].start.get(), spoilt, shapes_[i].bytes());
    }

private:
    void set_parameters(const StageGraph &graph) {
        std::map<std::string, Halide::Parameter> parameters = parameters_of(pipeline_);
        for (auto &[name, p] : parameters) {
            if (!p.is_buffer()) {
                set_to_estimate(p);
                continue;
            }
            if (p.buffer().defined()) continue;  // the user has set it
            inputs_.push_back(p);
            for (const Func &f : graph.funcs())
                if (f.is_input() && f.name == name) {
                    planned_[name] = planned_input(p, f.root_region);
                    set_values(p, shape_of(p, f.root_region));
                }
        }
    }

    // Inputs as large as a run asks for. Inputs that nobody reads stay as they are.
    void enlarge_inputs() {
        for (Halide::Parameter &p : inputs_) p.set_buffer(Halide::Buffer<>());
        pipeline_.infer_input_bounds(Halide::Pipeline::RealizationArg(outputs_), target_);
        for (Halide::Parameter &p : inputs_) {
            if (!p.buffer().defined()) continue;
            BufferShape shape{p.type(), {}};
            for (int d = 0; d < p.buffer().dimensions(); d++)
                shape.dimensions.emplace_back(p.buffer().dim(d).min(), p.buffer().dim(d).extent(),
                                              p.buffer().dim(d).stride());
            set_values(p, shape);
        }
    }

    void set_values(Halide::Parameter &p, const BufferShape &shape) {
        std::byte *const memory = memory_.emplace_back(shape.bytes()).start.get();
        if (const auto file = files_.find(p.name()); file != files_.end())
            fill_from_file(memory, shape.dimensions, file->second, planned_.at(p.name()));
        else
            fill(memory, shape.bytes(), p.type(), random_.fork(p.name()));
        p.set_buffer(Halide::Buffer<>(p.type(), memory, static_cast<int>(shape.dimensions.size()),
                                      shape.dimensions.data()));
    }

    const InputFiles &files_;
    std::map<std::string, PlannedArgument> planned_;  // inputs at their estimates
    Halide::Pipeline pipeline_;
    const Halide::Target target_;
    const Random random_;
    std::vector<BufferShape> shapes_;  // of outputs
    std::vector<Memory> memory_;       // of outputs, then of inputs
    std::vector<Halide::Parameter> inputs_;
    bool has_run_ = false;
    Halide::Realization outputs_{std::vector<Halide::Buffer<>>{Halide::Buffer<int>::make_scalar()}};
};

}  // namespace

std::string why_not_here(const Halide::Target &target, const Halide::Target &host) {
    if (target.has_gpu_feature()) return "it has a GPU";
    if (target.os != host.os || target.arch != host.arch || target.bits != host.bits)
        return "this computer is " + Halide::Target(host.os, host.arch, host.bits).to_string();
    using F = Halide::Target;
    for (F::Feature f : {F::SSE41, F::AVX, F::AVX2, F::FMA, F::FMA4, F::F16C, F::AVX512,
                         F::AVX512_KNL, F::AVX512_Skylake, F::AVX512_Cannonlake, F::AVX512_Zen4,
                         F::AVX512_SapphireRapids, F::ARMDotProd, F::ARMFp16, F::SVE, F::SVE2})
        if (target.has_feature(f) && !host.has_feature(f))
            return "this computer has no " + Halide::Target::feature_to_name(f);
    return "";
}

size_t output_bytes(const Halide::Pipeline &pipeline, const BuiltGraph &built) {
    size_t bytes = 0;
    for (const BufferShape &shape : output_shapes(pipeline, built)) bytes += shape.bytes();
    return bytes;
}

std::unique_ptr<Runnable> pipeline_run(const Halide::Pipeline &scheduled, const BuiltGraph &built,
                                       const Halide::Target &target, int threads, uint64_t seed,
                                       const InputFiles &files) {
    std::unique_ptr<Runnable> run;
    translated(
        [&] { run = std::make_unique<JitRun>(scheduled, built, target, threads, seed, files); });
    return run;
}

}  // namespace cryolite

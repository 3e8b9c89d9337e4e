// How fast the tile kernels for tensor cores are on the GPU of this computer, beside what the cost model predicts: a
// row of CSV for each kernel and size.
//   bench_tile_race [--types f16,bf16,half,tf32,i8,u8] [--layouts 4] [--sizes 4096x4096x4096,...] [--machine h100]
//                   [--capability 80] [--seconds 0.05] [--csv FILE]
// Sizes are rows x columns x depth. The pipeline is max(a b + bias, 0). 256 results of each run are checked against
// sums in double precision; the program fails if one is wrong. Operands are random and stay on the device; a time is
// the least of some, each of enough calls to fill --seconds / 5.
#include <Halide.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "analytical/cost_model.h"
#include "base/random.h"
#include "bench/tensorcore/biased_product.h"
#include "code/legality/apply.h"
#include "graph/builder/build.h"
#include "machine/gpu.h"
#include "machine/presets.h"
#include "tensorcore/find_products.h"
#include "tensorcore/schedule_product.h"

namespace cryolite::bench {
namespace {

using namespace tensorcore;
using Halide::Buffer;
using Halide::Type;

struct Options {
    std::vector<std::string> types{"f16", "bf16", "half", "tf32", "i8", "u8"};
    std::vector<std::string> sizes{"4096x4096x4096"};
    std::string machine = "h100", csv;
    int capability = 80, layouts = 1;
    double seconds = 0.05;
};

struct Size {
    int rows, columns, depth;
};

[[noreturn]] void fail(const std::string &message) {
    std::cerr << "bench_tile_race: " << message << "\n";
    std::exit(1);
}

Size size_named(const std::string &text) {
    Size size{};
    char x = 0, y = 0;
    std::istringstream in(text);
    if (!(in >> size.rows >> x >> size.columns >> y >> size.depth) || x != 'x' || y != 'x')
        fail("--sizes: " + text + " is not ROWSxCOLUMNSxDEPTH");
    return size;
}

// Bit 0 of the layout turns a, bit 1 turns b (BiasedProduct).
std::vector<int> extents_of_a(const Size &s, int layout) {
    return (layout & 1) != 0 ? std::vector{s.rows, s.depth} : std::vector{s.depth, s.rows};
}
std::vector<int> extents_of_b(const Size &s, int layout) {
    return (layout & 2) != 0 ? std::vector{s.columns, s.depth} : std::vector{s.depth, s.columns};
}

// By the cost model, for the product in this tile.
double predicted_seconds(const ProductTypes &types, int layout, const Tile &tile, const Size &size,
                         const Machine &host, const gpu::GpuDevice &device) {
    BiasedProduct program(types, layout);
    const auto estimate = [](Halide::ImageParam p, const std::vector<int> &extents) {
        for (size_t d = 0; d < extents.size(); d++)
            p.dim(static_cast<int>(d)).set_estimate(0, extents[d]);
    };
    estimate(program.a, extents_of_a(size, layout));
    estimate(program.b, extents_of_b(size, layout));
    estimate(program.bias, {size.columns});
    program.result.set_estimates({{0, size.columns}, {0, size.rows}});
    Result<BuiltGraph> built = build_graph({program.result.function()}, Halide::get_host_target());
    if (!built.ok()) fail(built.error().message);
    built->graph.set_products(find_products(*built, precision_of(types)).products);
    if (built->graph.products().empty()) fail("no product was found");
    const TensorProduct &product = built->graph.products()[0];
    const StageId lead = product.leads.back().stage;
    const auto nest = replay(built->graph, Trace{action::ComputeRoot{built->graph.stage(lead).func},
                                                 action::TensorTile{lead, product.stage, tile}});
    if (!nest.ok()) fail("the tile is no schedule");
    CostModel model(built->graph, Hardware(host, &device));
    return model.evaluate(*nest).seconds;
}

// Small whole numbers, which all types hold, repeated: drawing every element of a large matrix would take longer than
// all the rest.
template <typename T, typename Number>
void fill_with(Buffer<> &buffer, Random &random, int low, int high, Number number) {
    std::vector<T> values(1 << 16);
    for (T &v : values)
        v = number(low + static_cast<int>(random.below(static_cast<uint64_t>(high - low + 1))));
    T *to = reinterpret_cast<T *>(buffer.data());
    // A prime period, so that rows differ.
    for (size_t i = 0; i < buffer.number_of_elements(); i++) to[i] = values[i % 65521];
}

void fill(Buffer<> &buffer, Random &random, int low, int high) {
    const Type type = buffer.type();
    if (type.is_bfloat())
        fill_with<Halide::bfloat16_t>(buffer, random, low, high,
                                      [](int v) { return Halide::bfloat16_t(float(v)); });
    else if (type == Halide::Float(16))
        fill_with<Halide::float16_t>(buffer, random, low, high,
                                     [](int v) { return Halide::float16_t(float(v)); });
    else if (type == Halide::Float(32))
        fill_with<float>(buffer, random, low, high, [](int v) { return float(v); });
    else if (type == Halide::Int(32))
        fill_with<int32_t>(buffer, random, low, high, [](int v) { return v; });
    else if (type == Halide::Int(8))
        fill_with<int8_t>(buffer, random, low, high, [](int v) { return static_cast<int8_t>(v); });
    else
        fill_with<uint8_t>(buffer, random, low, high,
                           [](int v) { return static_cast<uint8_t>(v); });
}

double at(const Buffer<> &buffer, const std::vector<int> &position) {
    const Type type = buffer.type();
    int64_t element = 0;
    for (size_t d = 0; d < position.size(); d++)
        element += int64_t{position[d]} * buffer.dim(static_cast<int>(d)).stride();
    const void *p = static_cast<const char *>(static_cast<const void *>(buffer.data())) +
                    element * type.bytes();
    if (type.is_bfloat()) return float(*static_cast<const Halide::bfloat16_t *>(p));
    if (type == Halide::Float(16)) return float(*static_cast<const Halide::float16_t *>(p));
    if (type == Halide::Float(32)) return *static_cast<const float *>(p);
    if (type == Halide::Int(32)) return *static_cast<const int32_t *>(p);
    if (type == Halide::Int(8)) return *static_cast<const int8_t *>(p);
    return *static_cast<const uint8_t *>(p);
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

class Kernel {
public:
    Kernel(const ProductTypes &types, int layout, const Tile &tile, const Options &options)
        : options_(options),
          layout_(layout),
          program_(types, layout),
          target_(Halide::get_host_target().to_string() + "-cuda-cuda_capability_" +
                  std::to_string(options.capability)) {
        const auto lowered = schedule_product({.product = program_.product,
                                               .epilogue = program_.result,
                                               .tile = tile,
                                               .precision = precision_of(types)},
                                              target_);
        if (!lowered.ok()) fail(lowered.error().message);
        pipeline_ = Halide::Pipeline(program_.result);
        add_pass(pipeline_, {*lowered}, target_);
        pipeline_.compile_jit(target_);
    }

    // Seconds of a call. Fails where a result is wrong.
    double seconds(const Size &size, Random &random) {
        Buffer<> a(program_.a.type(), extents_of_a(size, layout_)),
            b(program_.b.type(), extents_of_b(size, layout_)),
            bias(program_.bias.type(), std::vector{size.columns}),
            result(program_.bias.type(), std::vector{size.columns, size.rows});
        const bool is_small = bias.type() == Halide::Float(16);  // sums of more are rounded
        for (Buffer<> *operand : {&a, &b})
            fill(*operand, random, operand->type().is_uint() || is_small ? 0 : -3,
                 is_small ? 1 : 3);
        fill(bias, random, -3, 3);
        for (Buffer<> *operand : {&a, &b, &bias}) operand->set_host_dirty();
        program_.a.set(a);
        program_.b.set(b);
        program_.bias.set(bias);
        const auto call = [&](int times) {
            const double start = now();
            for (int i = 0; i < times; i++)
                pipeline_.realize(Halide::Pipeline::RealizationArg(result), target_);
            result.device_sync();
            return now() - start;
        };
        call(1);
        result.copy_to_host();
        check(a, b, bias, result, size, random);
        result.set_host_dirty(false);
        const double once = call(1);
        const int calls = std::max(1, static_cast<int>(options_.seconds / 5 / once));
        double least = once;
        for (int i = 0; i < 5; i++) least = std::min(least, call(calls) / calls);
        return least;
    }

private:
    void check(const Buffer<> &a, const Buffer<> &b, const Buffer<> &bias, const Buffer<> &result,
               const Size &size, Random &random) const {
        const auto position = [](bool is_turned, int depth, int other) {
            return is_turned ? std::vector{other, depth} : std::vector{depth, other};
        };
        for (int i = 0; i < 256; i++) {
            const int n = static_cast<int>(random.below(static_cast<uint64_t>(size.columns))),
                      m = static_cast<int>(random.below(static_cast<uint64_t>(size.rows)));
            double sum = at(bias, {n});
            for (int k = 0; k < size.depth; k++)
                sum += at(a, position((layout_ & 1) != 0, k, m)) *
                       at(b, position((layout_ & 2) != 0, k, n));
            sum = std::max(sum, 0.0);
            const double found = at(result, {n, m});
            // Halves count by ones up to 2,048.
            const double allowed = result.type() == Halide::Float(16) ? 0.01 * sum : 0;
            if (!(std::abs(found - sum) <= allowed))
                fail("row " + std::to_string(m) + ", column " + std::to_string(n) + " is " +
                     std::to_string(found) + " and not " + std::to_string(sum));
        }
    }

    const Options &options_;
    int layout_;
    BiasedProduct program_;
    Halide::Target target_;
    Halide::Pipeline pipeline_;
};

int run(const Options &options) {
    const auto found = gpu_preset(options.machine);
    if (!found.ok()) fail(found.error().message);
    const gpu::GpuDevice device = gpu::device_of(*found);
    const auto host = machine_preset("x86-avx2");
    if (!host.ok()) fail(host.error().message);
    std::ofstream file;
    if (!options.csv.empty()) file.open(options.csv);
    const auto say = [&](const std::string &line) {
        std::cout << line << std::endl;
        if (file.is_open()) file << line << std::endl;
    };
    say("types,layout,tile,rows,columns,depth,microseconds,teraflops,predicted_microseconds");
    Random random(1);
    for (const std::string &name : options.types) {
        const auto named = types_named(name);
        if (!named) fail("--types: there is no " + name);
        const ProductTypes &types = *named;
        for (int layout = 0; layout < options.layouts; layout++) {
            for (const Tile &tile : tiles_for(types, options.capability)) {
                Kernel kernel(types, layout, tile, options);
                for (const std::string &text : options.sizes) {
                    const Size s = size_named(text);
                    const double seconds = kernel.seconds(s, random);
                    std::ostringstream row;
                    row << name << "," << ((layout & 1) != 0 ? "m" : "k")
                        << ((layout & 2) != 0 ? "n" : "k") << "," << tile.block_rows << "x"
                        << tile.block_columns << "/" << tile.warps_down << "x" << tile.warps_across
                        << "/" << tile.chunk_bytes << "/" << tile.stages << "," << s.rows << ","
                        << s.columns << "," << s.depth << "," << 1e6 * seconds << ","
                        << 2e-12 * s.rows * s.columns * s.depth / seconds << ","
                        << 1e6 * predicted_seconds(types, layout, tile, s, *host, device);
                    say(row.str());
                }
            }
        }
    }
    return 0;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    cryolite::bench::Options options;
    CLI::App app{"How fast the tile kernels for tensor cores are on this computer's GPU"};
    app.add_option("--types", options.types, "f16, bf16, half (f16 sums), tf32, i8, u8")
        ->delimiter(',');
    app.add_option("--sizes", options.sizes, "ROWSxCOLUMNSxDEPTH")->delimiter(',');
    app.add_option("--machine", options.machine, "the GPU to predict for");
    app.add_option("--capability", options.capability, "that Halide compiles for: 75, 80 or 86")
        ->check(CLI::IsMember({75, 80, 86}));
    app.add_option("--layouts", options.layouts, "1: operands along the depth; 4: all")
        ->check(CLI::Range(1, 4));
    app.add_option("--seconds", options.seconds, "of timing, per kernel and size");
    app.add_option("--csv", options.csv, "file to write");
    CLI11_PARSE(app, argc, argv);
    return cryolite::bench::run(options);
}

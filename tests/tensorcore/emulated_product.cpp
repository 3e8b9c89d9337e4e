#include "tests/tensorcore/emulated_product.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/random.h"
#include "tensorcore/device_code.h"
#include "tensorcore/factors.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite::tensorcore::test {

namespace ir = Halide::Internal;
using Halide::Buffer;
using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Type;
using Halide::Var;

namespace {

// Reads what the pass before it has made.
class Capture : public ir::IRMutator {
public:
    explicit Capture(std::shared_ptr<std::string> to) : to_(std::move(to)) {}
    using ir::IRMutator::mutate;
    ir::Stmt mutate(const ir::Stmt &s) override {
        return change_device_code(s, [&](const std::string &ptx) { return *to_ = ptx; }).lowered;
    }

private:
    std::shared_ptr<std::string> to_;
};

Halide::Target target_for(int capability) {
    std::string host = Halide::get_jit_target_from_environment().to_string();
    return Halide::Target(host + "-cuda-cuda_capability_" + std::to_string(capability));
}

// Whole numbers, so that all sums are exact in every type. Floats that are rounded to tf32 lie beside them.
double value_at(const Buffer<> &buffer, const std::vector<int> &at) {
    const void *p = buffer.raw_buffer()->address_of(at.data());
    const Type type = buffer.type();
    if (type == Halide::Float(32)) return *static_cast<const float *>(p);
    if (type == Halide::Float(16))
        return static_cast<float>(*static_cast<const Halide::float16_t *>(p));
    if (type == Halide::BFloat(16))
        return static_cast<float>(*static_cast<const Halide::bfloat16_t *>(p));
    if (type == Halide::Int(8)) return *static_cast<const int8_t *>(p);
    if (type == Halide::UInt(8)) return *static_cast<const uint8_t *>(p);
    return *static_cast<const int32_t *>(p);
}

void set_value(Buffer<> &buffer, const std::vector<int> &at, int value) {
    void *p =
        const_cast<void *>(static_cast<const void *>(buffer.raw_buffer()->address_of(at.data())));
    const Type type = buffer.type();
    if (type == Halide::Float(32)) {
        *static_cast<float *>(p) = static_cast<float>(value);
    } else if (type == Halide::Float(16)) {
        *static_cast<Halide::float16_t *>(p) = Halide::float16_t(static_cast<float>(value));
    } else if (type == Halide::BFloat(16)) {
        *static_cast<Halide::bfloat16_t *>(p) = Halide::bfloat16_t(static_cast<float>(value));
    } else if (type.bits() == 8) {
        *static_cast<int8_t *>(p) = static_cast<int8_t>(value);
    } else {
        *static_cast<int32_t *>(p) = value;
    }
}

template <typename Visit>
void each_point(const Buffer<> &buffer, const Visit &visit) {
    std::vector<int> at(static_cast<size_t>(buffer.dimensions()));
    const auto walk = [&](const auto &self, int d) -> void {
        if (d < 0) return visit(at);
        for (int i = 0; i < buffer.dim(d).extent(); i++) {
            at[static_cast<size_t>(d)] = buffer.dim(d).min() + i;
            self(self, d - 1);
        }
    };
    walk(walk, buffer.dimensions() - 1);
}

// The sums, row by row, one batch after another. Rows of both operands lie along the depth.
std::vector<double> plain_sums(const Sizes &sizes, int batches, const std::vector<double> &a,
                               const std::vector<double> &b) {
    std::vector<double> sums;
    sums.reserve(static_cast<size_t>(batches) * sizes.rows * sizes.columns);
    for (int batch = 0; batch < batches; batch++) {
        for (int m = 0; m < sizes.rows; m++) {
            for (int n = 0; n < sizes.columns; n++) {
                const double *row = &a[static_cast<size_t>(batch * sizes.rows + m) * sizes.depth];
                const double *column =
                    &b[static_cast<size_t>(batch * sizes.columns + n) * sizes.depth];
                double sum = 0;
                for (int k = 0; k < sizes.depth; k++) sum += row[k] * column[k];
                sums.push_back(sum);
            }
        }
    }
    return sums;
}

// The values of an operand as they are multiplied, rows along the depth. depth_first: dimension 0 is the depth.
std::vector<double> along_depth(const Buffer<> &buffer, bool depth_first) {
    const int side = buffer.dim(depth_first ? 1 : 0).extent(),
              depth = buffer.dim(depth_first ? 0 : 1).extent();
    std::vector<double> values(static_cast<size_t>(buffer.number_of_elements()));
    each_point(buffer, [&](const std::vector<int> &at) {
        const int x = at[0] - buffer.dim(0).min(), y = at[1] - buffer.dim(1).min();
        const int batch = at.size() > 2 ? at[2] - buffer.dim(2).min() : 0;
        values[(static_cast<size_t>(batch) * side + (depth_first ? y : x)) * depth +
               (depth_first ? x : y)] = std::round(value_at(buffer, at));
    });
    return values;
}

Buffer<> make_buffer(Type type, const std::vector<int> &extents, const Sizes &sizes) {
    std::vector<int> whole = extents;
    whole[0] += sizes.padding;
    Buffer<> buffer(type, whole);
    buffer.crop(0, 0, extents[0]);
    for (int d = 0; d < buffer.dimensions(); d++) buffer.translate(d, sizes.first);
    return buffer;
}

void fill(Buffer<> &buffer, Random &random, int least, int most) {
    each_point(buffer, [&](const std::vector<int> &at) {
        set_value(buffer, at, static_cast<int>(random.between(least, most)));
    });
    buffer.set_host_dirty();
}

// Moves whole numbers up to 7 by less than half a step of tf32, which is 2^-12 of the number or more.
void move_off_whole_numbers(Buffer<> &buffer, Random &random) {
    each_point(buffer, [&](const std::vector<int> &at) {
        void *p = const_cast<void *>(
            static_cast<const void *>(buffer.raw_buffer()->address_of(at.data())));
        *static_cast<float *>(p) *= 1 + static_cast<float>(random.between(-3, 3)) / 16384;
    });
}

}  // namespace

std::string Program::text() const {
    return std::string(name_of(types.rows)) + " x " + name_of(types.columns) + " -> " +
           name_of(types.sum) + ", tile " + std::to_string(tile.block_rows) + "x" +
           std::to_string(tile.block_columns) + " warps " + std::to_string(tile.warps_down) + "x" +
           std::to_string(tile.warps_across) + " chunk " + std::to_string(tile.chunk_bytes) +
           " stages " + std::to_string(tile.stages) + ", sm_" + std::to_string(capability) +
           (rows_turned ? ", rows turned" : "") + (columns_turned ? ", columns turned" : "") +
           (is_batched ? ", batched" : "") + (any_stride ? ", any stride" : "") + ", finish " +
           std::to_string(static_cast<int>(finish));
}

std::string Sizes::text() const {
    return std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth) +
           " batch " + std::to_string(batch) + " from " + std::to_string(first) + " padding " +
           std::to_string(padding);
}

EmulatedProduct::EmulatedProduct(const Program &program)
    : program_(program),
      target_(target_for(program.capability)),
      a_(halide_type(program.types.rows), program.is_batched ? 3 : 2, "a"),
      b_(halide_type(program.types.columns), program.is_batched ? 3 : 2, "b"),
      start_(halide_type(program.types.sum), program.is_batched ? 3 : 2, "start"),
      bias_(halide_type(program.types.sum), 1, "bias"),
      ptx_(std::make_shared<std::string>()) {
    if (program.any_stride) a_.dim(0).set_stride(Expr());
    Var n("n"), m("m"), batch("batch");
    const int depth_of_a = program.rows_turned ? 1 : 0;
    Halide::RDom k(a_.dim(depth_of_a).min(), a_.dim(depth_of_a).extent(), "k");
    const auto with_batch = [&](std::vector<Expr> at) {
        if (program.is_batched) at.push_back(batch);
        return at;
    };
    const Type sum = halide_type(program.types.sum);
    const Expr a =
        a_(with_batch(program.rows_turned ? std::vector<Expr>{m, k} : std::vector<Expr>{k, m}));
    const Expr b =
        b_(with_batch(program.columns_turned ? std::vector<Expr>{k, n} : std::vector<Expr>{n, k}));

    std::vector<Var> point{n, m};
    if (program.is_batched) point.push_back(batch);
    const std::vector<Expr> at(point.begin(), point.end());
    Func product("product"), result("result");
    product(point) = program.finish == Finish::StoreLoaded ? start_(at) : ir::make_zero(sum);
    product(point) += cast(sum, a) * cast(sum, b);

    ProductToSchedule request{.product = product, .tile = program.tile};
    request.precision = precision_of(program.types);
    switch (program.finish) {
        case Finish::StoreZero:
        case Finish::StoreLoaded: result = product; break;
        case Finish::BiasRelu:
            result(point) = max(product(at) + bias_(n), ir::make_zero(sum));
            break;
        case Finish::Residual:
            result(point) = sum.is_float()
                                ? cast<Halide::float16_t>(product(at) * cast(sum, 2) + start_(at))
                                : cast<int8_t>(clamp(product(at) / 4 + start_(at), -128, 127));
            break;
        case Finish::Turned: {
            std::vector<Var> turned = point;
            std::swap(turned[0], turned[1]);
            result(turned) = product(at) + cast(sum, 1);
            break;
        }
    }
    if (program.finish == Finish::StoreZero || program.finish == Finish::StoreLoaded) {
        Var block("block"), thread("thread");
        product.compute_root().gpu_tile(n, block, thread, 32, Halide::TailStrategy::GuardWithIf);
    } else {
        request.epilogue = result;
    }
    const auto lowered = schedule_product(request, target_);
    if (!lowered.ok()) throw std::runtime_error(lowered.error().message);
    pipeline_ = Halide::Pipeline(result);
    add_pass(pipeline_, {*lowered}, target_);
    pipeline_.add_custom_lowering_pass(new Capture(ptx_));
    pipeline_.compile_jit(target_);
}

std::string EmulatedProduct::run(const Sizes &sizes, uint64_t seed) {
    Random random(seed);
    const auto extents = [&](int x, int y) {
        std::vector<int> all{x, y};
        if (program_.is_batched) all.push_back(sizes.batch);
        return all;
    };
    Buffer<> a = make_buffer(
        a_.type(),
        program_.rows_turned ? extents(sizes.rows, sizes.depth) : extents(sizes.depth, sizes.rows),
        sizes);
    Buffer<> b = make_buffer(b_.type(),
                             program_.columns_turned ? extents(sizes.depth, sizes.columns)
                                                     : extents(sizes.columns, sizes.depth),
                             sizes);
    Buffer<> start = make_buffer(start_.type(), extents(sizes.columns, sizes.rows), sizes);
    Buffer<> bias = make_buffer(bias_.type(), {sizes.columns}, sizes);
    const bool is_small = program_.types.sum == Sum::F16;
    const int most = is_small ? 1 : 7;
    for (Buffer<> *operand : {&a, &b})
        fill(*operand, random, operand->type().is_uint() ? 0 : -most, most);
    if (precision_of(program_.types) == Precision::Tf32)
        for (Buffer<> *operand : {&a, &b}) move_off_whole_numbers(*operand, random);
    fill(start, random, -9, 9);
    fill(bias, random, -9, 9);

    const bool is_turned = program_.finish == Finish::Turned;
    const Type type = program_.finish == Finish::Residual
                          ? (a_.type().is_int_or_uint() ? Halide::Int(8) : Halide::Float(16))
                          : start_.type();
    Sizes dense = sizes;
    dense.padding = 0;
    Buffer<> result = make_buffer(
        type, is_turned ? extents(sizes.rows, sizes.columns) : extents(sizes.columns, sizes.rows),
        dense);

    a_.set(a);
    b_.set(b);
    start_.set(start);
    bias_.set(bias);
    emulator::take_problem();
    try {
        pipeline_.realize(Halide::Pipeline::RealizationArg(result), target_);
        result.copy_to_host();
    } catch (const Halide::Error &error) {
        const std::string problem = emulator::take_problem();
        return problem.empty() ? error.what() : problem;
    }

    const std::vector<double> sums =
        plain_sums(sizes, program_.is_batched ? sizes.batch : 1,
                   along_depth(a, !program_.rows_turned), along_depth(b, program_.columns_turned));
    std::string wrong;
    each_point(result, [&](const std::vector<int> &at) {
        if (!wrong.empty()) return;
        const int n = at[is_turned ? 1 : 0], m = at[is_turned ? 0 : 1];
        const auto with_batch = [&](std::vector<int> p) {
            if (program_.is_batched) p.push_back(at[2]);
            return p;
        };
        const int batch = program_.is_batched ? at[2] - sizes.first : 0;
        const double sum =
            sums[(static_cast<size_t>(batch) * sizes.rows + (m - sizes.first)) * sizes.columns +
                 (n - sizes.first)];
        const double added = value_at(start, with_batch({n, m}));
        double expected = sum;
        switch (program_.finish) {
            case Finish::StoreZero: break;
            case Finish::StoreLoaded: expected += added; break;
            case Finish::BiasRelu: expected = std::max(sum + value_at(bias, {n}), 0.0); break;
            case Finish::Residual:
                expected =
                    type.is_float()
                        ? static_cast<float>(Halide::float16_t(static_cast<float>(2 * sum + added)))
                        : std::clamp(std::floor(sum / 4) + added, -128.0, 127.0);
                break;
            case Finish::Turned: expected += 1; break;
        }
        if (value_at(result, at) != expected) {
            wrong = "at row " + std::to_string(m) + ", column " + std::to_string(n) + ": " +
                    std::to_string(value_at(result, at)) + " instead of " +
                    std::to_string(expected);
        }
    });
    for (Halide::ImageParam *param : {&a_, &b_, &start_, &bias_}) param->reset();
    return wrong;
}

}  // namespace cryolite::tensorcore::test

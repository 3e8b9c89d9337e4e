// attention: scaled dot-product attention (Vaswani et al., "Attention is all you need", NIPS 2017),
// softmax(Q K^T / sqrt(d)) V per head, with the row's maximum subtracted before the exponential so
// that it cannot overflow. 12 heads, 512 tokens and 64 channels per head: one layer of BERT-base
// (Devlin et al., 2019) without its projections.
#include <cmath>

#include "apps/common/app_generator.h"
#include "apps/networks/convolution_schedules.h"

namespace cryolite::apps {

class Attention : public App<Attention> {
public:
    Input<Buffer<float, 3>> queries{"queries"};  // queries(channel, query, head)
    Input<Buffer<float, 3>> keys{"keys"};        // keys(channel, key, head)
    Input<Buffer<float, 3>> values{"values"};    // values(channel, key, head)
    Output<Buffer<float, 3>> output{"output"};   // output(channel, query, head)

    void generate() {
        channels = RDom(0, queries.dim(0).extent(), "channels");
        product(k, q, h) = 0.0f;
        product(k, q, h) += queries(channels, q, h) * keys(channels, k, h);
        score(k, q, h) = product(k, q, h) / sqrt(cast<float>(queries.dim(0).extent()));

        tokens = RDom(0, keys.dim(1).extent(), "tokens");
        peak(q, h) = Float(32).min();
        peak(q, h) = max(peak(q, h), score(tokens, q, h));
        weight(k, q, h) = exp(score(k, q, h) - peak(q, h));
        total(q, h) = 0.0f;
        total(q, h) += weight(tokens, q, h);
        mixed(c, q, h) = 0.0f;
        mixed(c, q, h) += weight(tokens, q, h) * values(c, tokens, h);
        output(c, q, h) = mixed(c, q, h) / total(q, h);
    }

    void estimates() {
        const int width = 64, length = 512, heads = 12;
        for (auto *input : {&queries, &keys, &values}) {
            input->set_estimates({{0, width}, {0, length}, {0, heads}});
        }
        output.set_estimates({{0, width}, {0, length}, {0, heads}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        const RegisterBlock block = register_block(get_target(), 2 * vec, 8);
        // Per block of queries: all scores, then their maximum, the weights, and the result.
        Var rows("rows"), chunk("chunk"), task("task");
        output.split(q, rows, q, block.pixels, TailStrategy::ShiftInwards)
            .split(rows, chunk, rows, 32, TailStrategy::GuardWithIf)
            .fuse(chunk, h, task)
            .parallel(task);
        sum_in_registers(output, mixed, {c, q, {tokens.x}}, vec, block);
        sum_in_registers(score, product, {k, q, {channels.x}}, vec, block);
        score.compute_at(output, rows);
        weight.compute_at(output, rows).vectorize(k, vec, TailStrategy::GuardWithIf);
        for (Func sum : {peak, total}) {
            RVar outer("outer"), inner("inner");
            Var lane("lane");
            sum.compute_at(output, rows);
            sum.update().split(tokens.x, outer, inner, 2 * vec, TailStrategy::GuardWithIf);
            Func lanes = sum.update().rfactor(inner, lane);
            lanes.compute_at(output, rows).vectorize(lane, vec).unroll(lane);
            lanes.update().reorder(lane, outer).vectorize(lane, vec).unroll(lane);
            sum.update().atomic().vectorize(inner, vec);
        }
        // The keys of the head transposed, so that a vector is of neighbouring keys.
        Func transposed = keys.in();
        transposed.compute_at(output, task)
            .reorder_storage(_1, _0, _2)
            .reorder(_0, _1, _2)
            .vectorize(_1, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // A block of threads serves 8 queries of a head; scores and weights lie in shared memory,
        // 64 bytes per key: 32 KB at the estimates, and room for some 700 keys in 48 KB.
        constexpr int block_queries = 8, threads = 32;
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var qi("qi"), ci("ci"), ki("ki");
        output.split(q, q, qi, block_queries, guard)
            .split(c, c, ci, threads, guard)
            .reorder(c, ci, qi, q, h)
            .gpu_blocks(q, h)
            .gpu_threads(ci, qi);
        mixed.compute_at(output, c);
        score.compute_at(output, q)
            .split(k, k, ki, threads, guard)
            .reorder(k, ki, q)
            .gpu_threads(ki, q);
        product.compute_at(score, k);
        weight.compute_at(output, q)
            .split(k, k, ki, threads, guard)
            .reorder(k, ki, q)
            .gpu_threads(ki, q);
        for (Func sum : {peak, total}) {
            RVar outer("outer"), inner("inner");
            Var lane("lane");
            sum.compute_at(output, q).gpu_threads(q);
            sum.update().split(tokens.x, outer, inner, threads, guard);
            Func lanes = sum.update().rfactor(inner, lane);
            sum.update().gpu_threads(q);
            lanes.compute_at(output, q).gpu_threads(lane, q);
            lanes.update().reorder(outer, lane, q).gpu_threads(lane, q);
        }
    }

private:
    Var c{"c"}, k{"k"}, q{"q"}, h{"h"};
    RDom channels, tokens;
    Func product{"product"}, score{"score"}, peak{"peak"}, weight{"weight"}, total{"total"};
    Func mixed{"mixed"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Attention, attention)

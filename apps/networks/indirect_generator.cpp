// indirect: loads whose address is data, as deep-learning compilers generate them for embeddings:
// for every token a weighted sum of 8 rows of a table (EmbeddingBag of recommendation models, Naumov
// et al., 2019) that lies flat in memory, normalised by its root mean square (Zhang and Sennrich,
// NeurIPS 2019), plus the embedding of the token's position in its segment, whose start is itself
// looked up, and at the end a permutation of the channels. Every index is clamped to what is there.
// 4096 tokens, 256 channels, a table of 20000 rows (20 MB).
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class Indirect : public App<Indirect> {
public:
    Input<Buffer<int32_t, 2>> ids{"ids"};                        // ids(slot, token)
    Input<Buffer<float, 2>> weights{"weights"};                  // weights(slot, token)
    Input<Buffer<float, 1>> table{"table"};                      // table(row * channels + channel)
    Input<Buffer<int32_t, 1>> segments{"segments"};              // segments(token)
    Input<Buffer<int32_t, 1>> segment_starts{"segment_starts"};  // segment_starts(segment)
    Input<Buffer<float, 2>> position_table{"position_table"};    // (channel, position)
    Input<Buffer<int32_t, 1>> permutation{"permutation"};        // permutation(channel)
    Output<Buffer<float, 2>> output{"output"};                   // output(channel, token)

    void generate() {
        const Expr width = position_table.dim(0).extent();
        const auto clamped = [](const Expr &index, const Expr &extent) {
            return clamp(index, 0, extent - 1);
        };
        slots = RDom(0, ids.dim(0).extent(), "slots");
        row(slot, t) = clamped(ids(slot, t), table.dim(0).extent() / width);
        looked_up(c, slot, t) = table(row(slot, t) * width + c);
        bag(c, t) = 0.0f;
        bag(c, t) += weights(slots, t) * looked_up(c, slots, t);

        channels = RDom(0, width, "channels");
        energy(t) = 0.0f;
        energy(t) += bag(channels, t) * bag(channels, t);
        inverse_norm(t) = 1.0f / sqrt(energy(t) / cast<float>(width) + 1e-6f);

        segment(t) = clamped(segments(t), segment_starts.dim(0).extent());
        position(t) = clamped(t - segment_starts(segment(t)), position_table.dim(1).extent());
        embedding(c, t) = bag(c, t) * inverse_norm(t) + position_table(c, position(t));
        output(c, t) = embedding(clamped(permutation(c), width), t);
    }

    void estimates() {
        const int width = 256, tokens = 4096, bag_size = 8, rows = 20000, positions = 512;
        ids.set_estimates({{0, bag_size}, {0, tokens}});
        weights.set_estimates({{0, bag_size}, {0, tokens}});
        table.set_estimates({{0, rows * width}});
        segments.set_estimates({{0, tokens}});
        segment_starts.set_estimates({{0, 16}});
        position_table.set_estimates({{0, width}, {0, positions}});
        permutation.set_estimates({{0, width}});
        output.set_estimates({{0, width}, {0, tokens}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        constexpr auto guard = TailStrategy::GuardWithIf;
        // A token at a time: its rows stream by once, the sum stays in the first-level cache, and
        // the permutation reads from there.
        Var strip("strip"), lane("lane");
        output.split(t, strip, t, 32, guard).parallel(strip).vectorize(c, vec, guard);
        row.compute_at(output, t);
        bag.compute_at(output, t).vectorize(c, vec, guard);
        bag.update().reorder(c, slots).vectorize(c, vec, guard);
        RVar outer("outer"), inner("inner");
        energy.compute_at(output, t);
        energy.update().split(channels.x, outer, inner, 2 * vec, guard);
        Func lanes = energy.update().rfactor(inner, lane);
        lanes.compute_at(output, t).vectorize(lane, vec).unroll(lane);
        lanes.update().reorder(lane, outer).vectorize(lane, vec).unroll(lane);
        energy.update().atomic().vectorize(inner, vec);
        inverse_norm.compute_at(output, t);
        position.compute_at(output, t);
        embedding.compute_at(output, t).vectorize(c, vec, guard);
    }

    void manual_gpu() {
        // A block of threads per token; its embedding lies in shared memory.
        constexpr int threads = 64;
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var ci("ci"), lane("lane");
        output.split(c, c, ci, threads, guard).reorder(c, ci, t).gpu_blocks(t).gpu_threads(ci);
        bag.compute_at(output, t).split(c, c, ci, threads, guard).reorder(c, ci).gpu_threads(ci);
        bag.update().split(c, c, ci, threads, guard).reorder(slots, c, ci).gpu_threads(ci);
        RVar outer("outer"), inner("inner");
        energy.compute_at(output, t);
        energy.update().split(channels.x, outer, inner, 32, guard);
        Func lanes = energy.update().rfactor(inner, lane);
        lanes.compute_at(output, t).gpu_threads(lane);
        lanes.update().reorder(outer, lane).gpu_threads(lane);
        inverse_norm.compute_at(output, t);
        position.compute_at(output, t);
        embedding.compute_at(output, t)
            .split(c, c, ci, threads, guard)
            .reorder(c, ci)
            .gpu_threads(ci);
    }

private:
    Var c{"c"}, t{"t"}, slot{"slot"};
    RDom slots, channels;
    Func row{"row"}, looked_up{"looked_up"}, bag{"bag"}, energy{"energy"};
    Func inverse_norm{"inverse_norm"}, segment{"segment"}, position{"position"};
    Func embedding{"embedding"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::Indirect, indirect)

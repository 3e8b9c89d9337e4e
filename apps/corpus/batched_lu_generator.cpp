// batched_lu: many small dense systems at once, as batched solvers do (Abdelfattah et al., "A set of
// batched basic linear algebra subprograms and LAPACK routines", TOMS 2021): LU decomposition
// without pivots and both substitutions, unrolled, so that every element of a matrix is an update of
// its own. The innermost dimension counts the systems: a vector holds the same element of many.
//
// A system is damped (its diagonal is raised) so that it needs no pivots.
#include "apps/common/app_generator.h"

namespace cryolite::apps {

class BatchedLu : public App<BatchedLu> {
public:
    GeneratorParam<int> size{"size", 6, 2, 8};
    Input<Buffer<float, 3>> matrices{"matrices"};        // (system, column, row)
    Input<Buffer<float, 2>> right_sides{"right_sides"};  // (system, row)
    Input<float> damping{"damping", 8.0f};
    Output<Buffer<float, 2>> output{"output"};  // (system, column): the solutions

    void generate() {
        const int n = size;
        // Both factors in one matrix; the lower one's diagonal is 1.
        factors(b, j, i) = matrices(b, j, i) + select(i == j, damping, 0.0f);
        for (int k = 0; k < n; k++) {
            for (int row = k + 1; row < n; row++) {
                factors(b, k, row) = factors(b, k, row) / factors(b, k, k);
                for (int column = k + 1; column < n; column++) {
                    factors(b, column, row) -= factors(b, k, row) * factors(b, column, k);
                }
            }
        }
        solution(b, j) = right_sides(b, j);
        for (int row = 1; row < n; row++) {
            for (int k = 0; k < row; k++) {
                solution(b, row) -= factors(b, k, row) * solution(b, k);
            }
        }
        for (int row = n - 1; row >= 0; row--) {
            for (int k = row + 1; k < n; k++) {
                solution(b, row) -= factors(b, k, row) * solution(b, k);
            }
            solution(b, row) = solution(b, row) / factors(b, row, row);
        }
        output(b, j) = solution(b, j);
    }

    void estimates() {
        const int n = size, systems = 1 << 18;
        matrices.set_estimates({{0, systems}, {0, n}, {0, n}});
        right_sides.set_estimates({{0, systems}, {0, n}});
        damping.set_estimate(8.0f);
        output.set_estimates({{0, systems}, {0, n}});
    }

    void manual_cpu() {
        // A vector of systems at a time, from the load to the store.
        const int vec = natural_vector_size<float>(), n = size;
        constexpr auto guard = TailStrategy::GuardWithIf;
        Var task("task"), few("few");
        output.bound(j, 0, n)
            .split(b, few, b, vec, guard)
            .split(few, task, few, 64, guard)
            .reorder(b, j, few, task)
            .unroll(j)
            .vectorize(b)
            .parallel(task);
        const auto in_registers = [&](Func f) {
            f.compute_at(output, few).store_in(MemoryType::Stack).vectorize(b, vec, guard);
            for (int update = 0; update < f.num_update_definitions(); update++) {
                f.update(update).vectorize(b, vec, guard);
            }
        };
        factors.bound(j, 0, n).bound(i, 0, n).unroll(j).unroll(i);
        solution.bound(j, 0, n).unroll(j);
        in_registers(factors);
        in_registers(solution);
    }

    void manual_gpu() {
        // A thread per system.
        const int n = size;
        Var block("block"), thread("thread");
        output.bound(j, 0, n)
            .split(b, block, thread, 128, TailStrategy::GuardWithIf)
            .reorder(j, thread, block)
            .unroll(j)
            .gpu_blocks(block)
            .gpu_threads(thread);
        factors.compute_at(output, thread).bound(j, 0, n).bound(i, 0, n).unroll(j).unroll(i);
        solution.compute_at(output, thread).bound(j, 0, n).unroll(j);
    }

private:
    Var b{"b"}, i{"i"}, j{"j"};
    Func factors{"factors"}, solution{"solution"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::BatchedLu, batched_lu)

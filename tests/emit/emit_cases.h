// Schedules by hand for the small pipelines, as trace text without its two head lines.
#pragma once

#include <array>

namespace cryolite::testing {

struct EmitCase {
    const char *name;
    const char *pipeline;
    const char *trace;
};

inline constexpr auto emit_cases = std::to_array<EmitCase>({
    {"blur_tiles", "blur",
     "compute_root out\ntile out.s0 x 32\ntile out.s0 y 16\nvectorize out.s0 x 8\n"
     "reorder out.s0 y.0 x.0 y.1 x.1 x.2\nparallel out.s0 2\n"
     "compute_at blur_x out.s0 x.0\nvectorize blur_x.s0 x 8\ninline wide\n"},
    {"blur_window", "blur",
     "compute_root out\ntile out.s0 y 16\nvectorize out.s0 x 16\nparallel out.s0 1\n"
     "compute_at blur_x out.s0 y.1\nstore_at blur_x out.s0 y.0\nvectorize blur_x.s0 x 16\n"
     "compute_at wide out.s0 y.1\nvectorize wide.s0 x 16\n"},
    {"blur_window_at_root", "clamped_blur",
     "compute_root out\ntile out.s0 x 8\nunroll out.s0 x.1\n"
     "compute_at blur_x out.s0 y.0\nstore_at blur_x root\ncompute_root wide\nvectorize wide.s0 x "
     "8\n"},
    {"blur_two_levels", "clamped_blur",
     "compute_root out\ntile out.s0 x 64 8\ntile out.s0 y 32 4\nvectorize out.s0 x 8\n"
     "reorder out.s0 y.0 x.0 y.1 x.1 y.2 x.2\nunroll out.s0 y.2\nparallel out.s0 1\n"
     "compute_at blur_x out.s0 y.1\nstore_at blur_x out.s0 x.0\nvectorize blur_x.s0 x 16\n"
     "compute_at wide out.s0 x.0\nvectorize wide.s0 x 16\n"},
    {"tall_chain_windows", "tall_chain",
     "compute_root out\ntile out.s0 x 64 16\ntile out.s0 y 32 4\nvectorize out.s0 x 16\n"
     "reorder out.s0 y.0 x.0 y.1 x.1 y.2 x.2\nunroll out.s0 y.2\nparallel out.s0 1\n"
     "compute_at second out.s0 y.1\nstore_at second out.s0 x.0\nvectorize second.s0 x 16\n"
     "compute_at first out.s0 y.1\nstore_at first out.s0 x.0\nvectorize first.s0 x 16\n"
     "inline wide\n"},
    {"pyramid_tiles", "pyramid",
     "compute_root out\ntile out.s0 x 32\ntile out.s0 y 16\nvectorize out.s0 x 16\n"
     "reorder out.s0 y.0 x.0 y.1 x.1 x.2\nparallel out.s0 1\ninline up\n"
     "compute_at coarse out.s0 x.0\nvectorize coarse.s0 x 8\ncompute_at fine out.s0 x.0\n"
     "vectorize fine.s0 x 16\ninline wide\n"},
    {"pyramid_rows", "pyramid",
     "compute_root out\ncompute_at up out.s0 y.0\ncompute_at coarse out.s0 y.0\nstore_at coarse "
     "root\n"
     "compute_root fine\nparallel fine.s0 2\ninline wide\n"},
    {"product_blocks", "product",
     "compute_root out\ntile out.s0 x 16\ntile out.s0 y 4\nvectorize out.s0 x 16\n"
     "reorder out.s0 y.0 x.0 y.1 x.1\nparallel out.s0 1\ncompute_at product out.s0 x.0\n"
     "vectorize product.s0 x 16\ntile product.s1 r$x 4\nvectorize product.s1 x 16\n"
     "reorder product.s1 r$x.0 r$x.1 y.0 x.0 x.1\nunroll product.s1 r$x.1\n"
     "compute_at scaled product.s1 r$x.0\nvectorize scaled.s0 x 8\ninline wide\n"},
    {"equalise_root", "equalise",
     "compute_root out\ntile out.s0 y 8\nvectorize out.s0 x 8\nparallel out.s0 1\ncompute_root "
     "sums\n"
     "vectorize sums.s0 i 16\ntile sums.s1 s$x 15\ncompute_root histogram\nvectorize histogram.s0 "
     "i 8\n"
     "tile histogram.s1 r$y 8\ncompute_at bright histogram.s1 r$y.1\nvectorize bright.s0 x "
     "16\ninline wide\n"},
    {"lowest_rows", "lowest",
     "compute_root out\nvectorize out.s0 x 8\ncompute_root total\ncompute_at low out.s0 y.0\n"
     "compute_root wide\nvectorize wide.s0 x 8\n"},
    {"lowest_vectors", "lowest",
     "compute_root out\nparallel out.s0 2\ncompute_root total\ncompute_root low\nvectorize low.s0 "
     "y 8\n"
     "vectorize low.s1 y 8\ninline wide\n"},
    {"updates_shared", "clamped_updates",
     "compute_root out\ntile out.s0 x 16\nreorder out.s0 x.0 y.0 x.1\nparallel out.s0 1\n"
     "compute_at running out.s0 x.0\nvectorize running.s1 x 8\n"
     "compute_at both out.s0 x.0\nvectorize both.s0 x 8\n"
     "compute_at shared out.s0 x.0\ninline wide\n"},
    {"updates_inside", "updates",
     "compute_root out\ncompute_root running\nparallel running.s0 1\ncompute_root both\n"
     "reorder both.s1 y.0 r$x.0 x.0\ncompute_root shared\n"
     "compute_at wide shared.s0 x.0\n"},
    {"updates_at_update", "product",
     "compute_root out\ncompute_root product\nparallel product.s0 1\nreorder product.s1 x.0 y.0 "
     "r$x.0\n"
     "compute_at scaled product.s1 y.0\ncompute_at wide product.s1 y.0\n"},
    {"transpose_tiles", "transpose",
     "compute_root out\ntile out.s0 x 8\ntile out.s0 y 8\nreorder out.s0 x.0 y.0 x.1 y.1\n"
     "compute_at turned out.s0 y.0\nvectorize turned.s0 x 4\ninline wide\n"},
    {"transpose_squares", "transpose",
     "compute_root out\ntile out.s0 x 32 8\ntile out.s0 y 16 8\nvectorize out.s0 x 8\n"
     "reorder out.s0 y.0 x.0 y.1 x.1 y.2 x.2\nunroll out.s0 y.2\nparallel out.s0 1\n"
     "compute_at turned out.s0 x.1\nreorder_storage turned y x\ntile turned.s0 y 9\n"
     "vectorize turned.s0 x 8\nreorder turned.s0 y.0 x.0 y.1 x.1\nunroll turned.s0 y.1\n"
     "inline wide\n"},
    {"two_outputs", "two_outputs",
     "compute_root second\nvectorize second.s0 x 8\ncompute_root out\nparallel out.s0 1\n"
     "vectorize out.s0 x 8\ncompute_at blur_x out.s0 y.0\ninline wide\n"},
});

}  // namespace cryolite::testing

// Which kinds are open and which are set aside. The list was made before anything was measured: by turns
// within a theme, so that both halves have all themes and about equally many schedules by hand.
//
// The half set aside is never looked at to choose a cure. It is measured once at the end. A kind does not
// change its half, and a new one is put into a half before it is measured.
#include <algorithm>

#include "tests/robustness/kinds/kinds.h"

namespace cryolite::robustness {

std::vector<Halves> halves() {
    return {
        {"kinds_filters",
         {"guided_filter", "median_of_twenty_five", "edge_preserving_diffusion"},
         {"colour_guided_filter", "opening_by_an_octagon", "adaptive_threshold"}},
        {"kinds_colour",
         {"tetrahedral_colour_table", "linear_demosaic", "error_diffusion"},
         {"slices_of_an_affine_grid", "mosaic_of_six_by_six", "nearest_of_a_palette"}},
        {"kinds_tables",
         {"focus_stack", "mip_mapped_warp", "mutual_information"},
         {"register_machine", "tiles_equalised", "embedding_bags"}},
        {"kinds_resampling",
         {"polyphase_image", "lens_correction", "chroma_upsampled"},
         {"polyphase_audio", "log_polar", "quarter_turn"}},
        {"kinds_pyramids",
         {"integer_wavelet", "wavelet_denoising", "fourier_batch"},
         {"exposure_fusion", "cosine_blocks", "multigrid_cycle"}},
        {"kinds_vision",
         {"lucas_kanade_step", "canny_edges", "hough_votes", "scanline_stereo"},
         {"horn_schunck", "fast_corners", "oriented_gradients", "template_correlation"}},
        {"kinds_networks",
         {"quantised_convolution", "dilated_convolution", "causal_attention", "pooled_branches",
          "recurrent_cell"},
         {"grouped_convolution", "quantised_depthwise", "softmax_of_classes",
          "transposed_convolution", "squeeze_and_excite"}},
        {"kinds_algebra",
         {"batched_products", "ellpack_product", "k_means_step"},
         {"bytes_times_bytes", "batched_cholesky", "n_bodies"}},
        {"kinds_scans",
         {"biquad_channels", "seam_costs", "time_warping"},
         {"tridiagonal_systems", "chamfer_distances", "compacted_stream"}},
    };
}

bool is_set_aside(const std::string &kind) {
    for (const Halves &half : halves())
        if (std::find(half.set_aside.begin(), half.set_aside.end(), kind) != half.set_aside.end())
            return true;
    return false;
}

}  // namespace cryolite::robustness

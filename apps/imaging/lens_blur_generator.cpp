// lens_blur: a large aperture's shallow depth of field from a stereo pair, as in Barron et al.,
// "Fast bilateral-space stereo for synthetic defocus" (CVPR 2015), with these parts: the matching
// costs of all disparities at half the size (truncated absolute differences of colours); each slice
// of costs smoothed by a guided filter (Rhemann et al., "Fast cost-volume filtering for visual
// correspondence", CVPR 2011; He, Sun and Tang, "Guided image filtering", ECCV 2010); the cheapest
// disparity per pixel; joint bilateral upsampling (Kopf et al., SIGGRAPH 2007) to full size; and a
// bokeh that gathers samples of the aperture, where a sample counts if its own circle of confusion
// reaches the pixel (after Potmesil and Chakravarty, SIGGRAPH 1981), and one that lies behind the
// pixel spreads no further than the pixel's own circle.
//
// Differs from the papers: the guide is grey, costs use no gradients, occlusions are not treated,
// and the aperture's samples are one of eight fixed spirals, chosen per pixel by a hash, so that
// every schedule takes the same ones. The left image is the one shown; edge pixels are repeated.
#include <vector>

#include "apps/common/app_generator.h"

namespace cryolite::apps {

class LensBlur : public App<LensBlur> {
public:
    GeneratorParam<int> slices{"slices", 32, 2, 128};              // disparities, at half size
    GeneratorParam<int> filter_radius{"filter_radius", 4, 1, 32};  // of the guided filter
    GeneratorParam<int> max_radius{"max_radius", 13, 1, 64};       // of a circle of confusion
    GeneratorParam<int> aperture_samples{"aperture_samples", 32, 1, 256};
    Input<Buffer<uint8_t, 3>> left{"left"};
    Input<Buffer<uint8_t, 3>> right{"right"};
    Input<float> focus{"focus", 8.0f};                        // the disparity that is sharp
    Input<float> radius_per_slice{"radius_per_slice", 1.0f};  // the aperture's size
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        halve(left, half_left);
        halve(right, half_right);
        guide(x, y) =
            0.299f * half_left(x, y, 0) + 0.587f * half_left(x, y, 1) + 0.114f * half_left(x, y, 2);

        // What lies at x in the left image lies at x - z in the right one.
        Expr differences = 0.0f;
        for (int channel = 0; channel < 3; channel++) {
            const Expr d = abs(half_left(x, y, channel) - half_right(x - z, y, channel));
            differences = channel == 0 ? d : differences + d;
        }
        cost(x, y, z) = min(differences, 0.25f);

        // The guided filter: in every box the smoothed cost is an affine function of the guide.
        box(guide_across, mean_guide, {x, y}, [&](const Expr &u) { return Expr(guide(u, y)); });
        box(square_across, mean_square, {x, y},
            [&](const Expr &u) { return guide(u, y) * guide(u, y); });
        box(cost_across, mean_cost, {x, y, z}, [&](const Expr &u) { return Expr(cost(u, y, z)); });
        box(product_across, mean_product, {x, y, z},
            [&](const Expr &u) { return guide(u, y) * cost(u, y, z); });
        inverse_variance(x, y) =
            1.0f / (mean_square(x, y) - mean_guide(x, y) * mean_guide(x, y) + 1e-3f);
        slope(x, y, z) = (mean_product(x, y, z) - mean_guide(x, y) * mean_cost(x, y, z)) *
                         inverse_variance(x, y);
        offset(x, y, z) = mean_cost(x, y, z) - slope(x, y, z) * mean_guide(x, y);
        box(slope_across, mean_slope, {x, y, z},
            [&](const Expr &u) { return Expr(slope(u, y, z)); });
        box(offset_across, mean_offset, {x, y, z},
            [&](const Expr &u) { return Expr(offset(u, y, z)); });
        filtered(x, y, z) = mean_slope(x, y, z) * guide(x, y) + mean_offset(x, y, z);

        disparities = RDom(0, slices, "disparities");
        cheapest(x, y) = Tuple(1e10f, 0.0f);
        const Expr candidate = filtered(x, y, disparities);
        const Expr is_better = candidate < cheapest(x, y)[0];
        cheapest(x, y) = Tuple(select(is_better, candidate, cheapest(x, y)[0]),
                               select(is_better, cast<float>(disparities), cheapest(x, y)[1]));

        // Upsample: between the four nearest half-size pixels, with those preferred that look like
        // the full-size one.
        const Func clamped = BoundaryConditions::repeat_edge(left);
        const Expr full_grey =
            (0.299f * cast<float>(clamped(x, y, 0)) + 0.587f * cast<float>(clamped(x, y, 1)) +
             0.114f * cast<float>(clamped(x, y, 2))) *
            (1.0f / 255.0f);
        Expr sum = 0.0f, weights = 0.0f;
        for (int corner = 0; corner < 4; corner++) {
            const Expr near_x = x / 2, far_x = near_x - 1 + 2 * (x % 2);
            const Expr near_y = y / 2, far_y = near_y - 1 + 2 * (y % 2);
            const Expr u = corner % 2 == 0 ? near_x : far_x, v = corner / 2 == 0 ? near_y : far_y;
            const float bilinear =
                (corner % 2 == 0 ? 0.75f : 0.25f) * (corner / 2 == 0 ? 0.75f : 0.25f);
            const Expr weight = bilinear / (abs(guide(u, v) - full_grey) + 0.02f);
            sum += weight * cheapest(u, v)[1];
            weights += weight;
        }
        disparity(x, y) = sum / weights;
        confusion(x, y) = min(abs(disparity(x, y) - focus) * radius_per_slice, float(max_radius));

        // No sample further away than the widest circle around can matter.
        const int reach = max_radius;
        Expr widest_in_row = confusion(x, y), widest_in_column;
        for (int d = 1; d <= reach; d++) {
            widest_in_row = max(widest_in_row, max(confusion(x - d, y), confusion(x + d, y)));
        }
        widest_across(x, y) = widest_in_row;
        widest_in_column = widest_across(x, y);
        for (int d = 1; d <= reach; d++) {
            widest_in_column =
                max(widest_in_column, max(widest_across(x, y - d), widest_across(x, y + d)));
        }
        widest(x, y) = widest_in_column;

        // Eight spirals of equal area per sample, interleaved.
        const int spirals = 8, points = spirals * aperture_samples;
        const Expr angle = cast<float>(i) * 2.3999632f;  // the golden angle
        const Expr distance_from_centre = sqrt((cast<float>(i) + 0.5f) / float(points));
        aperture(i, k) = distance_from_centre * select(k == 0, cos(angle), sin(angle));
        const Expr hash = (cast<uint32_t>(x) * Expr(uint32_t(2654435761u))) ^
                          (cast<uint32_t>(y) * Expr(uint32_t(2246822519u)));
        spiral(x, y) = cast<uint8_t>(((hash ^ (hash >> 15)) * Expr(uint32_t(3266489917u))) >> 24);

        // A pixel's colours in one word, so that a sample is one access.
        packed(x, y) = cast<int32_t>(clamped(x, y, 0)) | (cast<int32_t>(clamped(x, y, 1)) << 8) |
                       (cast<int32_t>(clamped(x, y, 2)) << 16);
        samples = RDom(0, aperture_samples, "samples");
        const auto displacement = [&](int axis) {
            const Expr point = samples * spirals + cast<int32_t>(spiral(x, y)) % spirals;
            const Expr moved = round(aperture(point, axis) * widest(x, y));
            return clamp(cast<int32_t>(moved), -reach, reach);
        };
        const Expr dx = displacement(0), dy = displacement(1);
        const Expr distance = sqrt(cast<float>(dx * dx + dy * dy));
        const Expr own = confusion(x, y), theirs = confusion(x + dx, y + dy);
        const Expr is_behind = disparity(x + dx, y + dy) < disparity(x, y);
        const Expr radius = select(is_behind, min(theirs, own), theirs);
        const Expr weight = clamp(radius + 1.0f - distance, 0.0f, 1.0f);
        const auto sample = [&](const Expr &u, const Expr &v) {
            const Expr bytes = packed(u, v);
            const auto byte = [&](int channel) {
                return cast<float>((bytes >> (8 * channel)) & 255);
            };
            return mux(c, {byte(0), byte(1), byte(2), 1.0f});
        };
        gathered(x, y, c) = sample(x, y);
        gathered(x, y, c) += weight * sample(x + dx, y + dy);
        output(x, y, c) = cast<uint8_t>(gathered(x, y, c) / gathered(x, y, 3) + 0.5f);
    }

    void estimates() {
        const int width = 1536, height = 2560;
        left.set_estimates({{0, width}, {0, height}, {0, 3}});
        right.set_estimates({{0, width}, {0, height}, {0, 3}});
        focus.set_estimate(8.0f);
        radius_per_slice.set_estimate(1.0f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

    void manual_cpu() {
        const int vec = natural_vector_size<float>();
        const TailStrategy round_up = TailStrategy::RoundUp;
        Var strip("strip"), row("row");
        // Half size: per strip and slice, all stages of the filter slide down the strip in rings
        // of rows; of a volume only the cheapest disparity is stored.
        for (Func *f : {&half_left, &half_right}) {
            f->compute_root().reorder(x, c, y).parallel(y, 16).vectorize(x, vec, round_up);
        }
        guide.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        mean_guide.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        inverse_variance.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        guide_across.compute_at(mean_guide, y).vectorize(x, vec, round_up);
        square_across.compute_at(inverse_variance, y).vectorize(x, vec, round_up);
        cheapest.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        cheapest.update()
            .split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .reorder(x, row, disparities.x, strip)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        for (Func *f : {&slope_across, &offset_across, &slope, &offset, &mean_cost, &cost_across,
                        &product_across, &cost}) {
            f->store_at(cheapest, disparities.x)
                .compute_at(cheapest, row)
                .vectorize(x, vec, round_up);
        }

        // Full size.
        packed.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        disparity.compute_root().parallel(y, 16).vectorize(x, vec, round_up);
        aperture.compute_root();
        output.bound(c, 0, 3)
            .split(y, strip, row, 32, TailStrategy::GuardWithIf)
            .reorder(x, c, row, strip)
            .unroll(c)
            .parallel(strip)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
        widest.compute_at(output, row).vectorize(x, vec, round_up);
        widest_across.store_at(output, strip).compute_at(output, row).vectorize(x, vec, round_up);
        gathered.compute_at(output, row).bound_extent(c, 4).unroll(c).vectorize(x, vec, round_up);
        gathered.update()
            .reorder(c, samples.x, x, y)
            .unroll(c)
            .vectorize(x, vec, TailStrategy::GuardWithIf);
    }

    void manual_gpu() {
        // The volume of smoothed costs goes through global memory, one kernel for all slices; the
        // boxes' sums along x stay in a block's shared memory.
        Var bx("bx"), by("by"), tx("tx"), ty("ty");
        const auto tiled = [&](Func &f) -> Func & {
            return f.compute_root().tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf);
        };
        for (Func *f : {&half_left, &half_right}) {
            tiled(*f).gpu_blocks(bx, by, c).gpu_threads(tx, ty);
        }
        for (Func *f : {&guide, &mean_guide, &inverse_variance, &disparity, &packed, &widest_across,
                        &widest}) {
            tiled(*f).gpu_blocks(bx, by).gpu_threads(tx, ty);
        }
        guide_across.compute_at(mean_guide, bx).gpu_threads(x, y);
        square_across.compute_at(inverse_variance, bx).gpu_threads(x, y);
        for (Func *f : {&mean_cost, &slope, &filtered}) {
            tiled(*f).gpu_blocks(bx, by, z).gpu_threads(tx, ty);
        }
        cost_across.compute_at(mean_cost, bx).gpu_threads(x, y);
        product_across.compute_at(slope, bx).gpu_threads(x, y);
        slope_across.compute_at(filtered, bx).gpu_threads(x, y);
        offset_across.compute_at(filtered, bx).gpu_threads(x, y);
        tiled(cheapest).gpu_blocks(bx, by).gpu_threads(tx, ty);
        cheapest.update()
            .tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
            .reorder(disparities.x, tx, ty, bx, by)
            .gpu_blocks(bx, by)
            .gpu_threads(tx, ty);

        aperture.compute_root().gpu_tile(i, bx, tx, 32, TailStrategy::GuardWithIf);
        output.bound(c, 0, 3)
            .tile(x, y, bx, by, tx, ty, 32, 8, TailStrategy::GuardWithIf)
            .reorder(c, tx, ty, bx, by)
            .unroll(c)
            .gpu_blocks(bx, by)
            .gpu_threads(tx, ty);
        gathered.compute_at(output, tx).bound_extent(c, 4).unroll(c);
        gathered.update().reorder(c, samples.x).unroll(c);
    }

private:
    void halve(const Func &image, Func &halved) {
        const Func clamped = BoundaryConditions::repeat_edge(
            image,
            {{left.dim(0).min(), left.dim(0).extent()}, {left.dim(1).min(), left.dim(1).extent()}});
        const auto at = [&](int du, int dv) {
            return cast<uint16_t>(clamped(2 * x + du, 2 * y + dv, c));
        };
        halved(x, y, c) =
            cast<float>(at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) * (1.0f / (4.0f * 255.0f));
    }

    // The mean over a square, along x and then along y.
    void box(Func &across, Func &mean, const std::vector<Var> &vars, auto at) {
        const int reach = filter_radius;
        Expr in_row = at(x - reach), in_column;
        for (int d = 1 - reach; d <= reach; d++) {
            in_row += at(x + d);
        }
        across(vars) = in_row;
        for (int d = -reach; d <= reach; d++) {
            std::vector<Expr> arguments(vars.begin(), vars.end());
            arguments[1] = y + d;
            in_column = d == -reach ? Expr(across(arguments)) : in_column + across(arguments);
        }
        const int size = 2 * reach + 1;
        mean(vars) = in_column * (1.0f / float(size * size));
    }

    Var x{"x"}, y{"y"}, z{"z"}, c{"c"}, i{"i"}, k{"k"};
    RDom disparities, samples;
    Func half_left{"half_left"}, half_right{"half_right"}, guide{"guide"}, cost{"cost"};
    Func guide_across{"guide_across"}, mean_guide{"mean_guide"};
    Func square_across{"square_across"}, mean_square{"mean_square"};
    Func cost_across{"cost_across"}, mean_cost{"mean_cost"};
    Func product_across{"product_across"}, mean_product{"mean_product"};
    Func inverse_variance{"inverse_variance"}, slope{"slope"}, offset{"offset"};
    Func slope_across{"slope_across"}, mean_slope{"mean_slope"};
    Func offset_across{"offset_across"}, mean_offset{"mean_offset"};
    Func filtered{"filtered"}, cheapest{"cheapest"}, disparity{"disparity"};
    Func confusion{"confusion"}, widest_across{"widest_across"}, widest{"widest"};
    Func packed{"packed"}, aperture{"aperture"}, spiral{"spiral"}, gathered{"gathered"};
};

}  // namespace cryolite::apps

HALIDE_REGISTER_GENERATOR(cryolite::apps::LensBlur, lens_blur)

// A two-stage pipeline, small enough to compile in a second and large enough to need a schedule.
#include "Halide.h"

class Smooth : public Halide::Generator<Smooth> {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Halide::Var x("x"), y("y");
        Halide::Func clamped = Halide::BoundaryConditions::repeat_edge(input);
        Halide::Func across("across");
        across(x, y) = Halide::cast<uint16_t>(clamped(x - 1, y)) +
                       Halide::cast<uint16_t>(clamped(x, y)) * 2 +
                       Halide::cast<uint16_t>(clamped(x + 1, y));
        output(x, y) =
            Halide::cast<uint8_t>((across(x, y - 1) + across(x, y) * 2 + across(x, y + 1)) / 16);

        input.set_estimates({{0, 1024}, {0, 768}});
        output.set_estimates({{0, 1024}, {0, 768}});
    }
};

HALIDE_REGISTER_GENERATOR(Smooth, smooth)

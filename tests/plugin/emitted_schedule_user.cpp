// A program that a user of an emitted schedule may write: the algorithm of the app blur in his own
// code, with the schedule that Cryolite wrote for the generator. ARGV: "changed" changes the
// algorithm, and then the schedule must refuse it.
#include <cstdio>
#include <cstring>

#include "Halide.h"
#include "blur.schedule.h"

namespace {

Halide::Func blur(const Halide::Func &input, int last_tap) {
    Halide::Var x("x"), y("y");
    Halide::Func rows("rows"), output("output");
    rows(x, y) = (input(x, y) + input(x + 1, y) + input(x + 2, y)) / 3;
    output(x, y) = (rows(x, y) + rows(x, y + 1) + rows(x, y + last_tap)) / 3;
    return output;
}

}  // namespace

int main(int argc, char **argv) {
    const int last_tap = argc > 1 && std::strcmp(argv[1], "changed") == 0 ? 3 : 2;
    const Halide::Target target = Halide::get_host_target();
    try {
        for (const auto &[width, height] : {std::pair{1536, 300}, {517, 31}, {2, 1}}) {
            Halide::ImageParam input(Halide::UInt(16), 2, "input");
            Halide::Buffer<uint16_t> image(width + 2, height + last_tap);
            image.for_each_element([&](int x, int y) {
                image(x, y) = static_cast<uint16_t>((x * 7919 + y * 104729) % 20000);
            });
            input.set(image);
            // A Func over the input, as a generator's Input<Buffer> has it.
            const Halide::Pipeline scheduled(blur(input, last_tap));
            apply_schedule_blur(scheduled, target);
            const Halide::Buffer<uint16_t> found =
                Halide::Pipeline(scheduled).realize({width, height});
            const Halide::Buffer<uint16_t> expected =
                blur(input, last_tap).realize({width, height});
            if (std::memcmp(found.data(), expected.data(), expected.size_in_bytes()) != 0) {
                std::printf("wrong at %d x %d\n", width, height);
                return 1;
            }
        }
    } catch (const Halide::CompileError &error) {
        std::printf("%s\n", error.what());
        return 2;
    }
    std::printf("right\n");
    return 0;
}

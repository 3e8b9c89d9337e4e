// demo_picture: a photograph into the raw input of an app, and an app's raw input and output into
// one picture. The sizes are those of the app list.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "apps/common/app_list.h"
#include "bench/demo/picture.h"

namespace cryolite::bench {
namespace {

apps::Argument first_input(const std::string &name) {
    for (const apps::AppDescription &app : apps::app_list()) {
        if (app.name == name) {
            const apps::Argument &input = app.arguments.front();
            if (input.extents.size() != 3 || input.type != apps::ElementType::UInt16) {
                throw std::runtime_error(name + " does not take a colour picture of 16 bits");
            }
            return input;
        }
    }
    throw std::runtime_error("there is no app " + name);
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    using namespace cryolite::bench;
    std::string app, photograph, raw, left, right, png;
    CLI::App line("Pictures for the demo");
    line.add_option("--app", app, "The app whose sizes count")->required();
    CLI::App *prepare = line.add_subcommand("prepare", "From a photograph to the app's input");
    prepare->add_option("photograph", photograph, "PNG or JPEG to read")->required();
    prepare->add_option("raw", raw, "Raw file to write")->required();
    CLI::App *join = line.add_subcommand("join", "Two raw files side by side");
    join->add_option("left", left, "Raw file of the left half")->required();
    join->add_option("right", right, "Raw file of the right half")->required();
    join->add_option("png", png, "PNG to write")->required();
    line.require_subcommand(1);
    CLI11_PARSE(line, argc, argv);
    try {
        const auto extents = first_input(app).extents;
        if (*prepare) {
            write_raw(resample_to_fill(load_photograph(photograph), extents[0], extents[1]), raw);
        } else {
            write_side_by_side(read_raw(left, extents[0], extents[1], extents[2]),
                               read_raw(right, extents[0], extents[1], extents[2]), png);
        }
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

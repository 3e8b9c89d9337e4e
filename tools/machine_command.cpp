// cryolite machine: show, list, calibrate.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "machine/gpu.h"
#include "machine/host_traits.h"
#include "machine/machine_file.h"
#include "machine/presets.h"
#include "tools/calibrate/calibrate.h"
#include "tools/commands.h"
#include "tools/failure.h"
#include "tools/machine_table.h"
#include "tools/text_table.h"

namespace cryolite::tools {
namespace {

bool is_gpu(const std::string &name) {
    for (const GpuPreset &p : gpu_presets())
        if (p.name == name) return true;
    return false;
}

std::string list_text() {
    std::vector<std::vector<std::string>> rows{{"processor", ""}};
    for (const MachinePreset &p : machine_presets()) rows.push_back({p.name, p.doc});
    rows.push_back({"GPU", ""});
    for (const GpuPreset &p : gpu_presets()) rows.push_back({p.name, p.doc});
    return text_table(rows, {Align::Left});
}

// "; did you mean 'a100'?", or "".
std::string meant(const std::string &name) {
    std::vector<std::string> names;
    for (const MachinePreset &p : machine_presets()) names.push_back(p.name);
    for (const GpuPreset &p : gpu_presets()) names.push_back(p.name);
    const std::string near = near_name(name, names);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

void list(bool json) {
    if (!json) {
        std::cout << with_bold_head(list_text());
        return;
    }
    auto presets = nlohmann::json::array();
    const auto add = [&](const auto &all, const char *kind) {
        for (const auto &p : all)
            presets.push_back({{"name", p.name}, {"kind", kind}, {"what", p.doc}});
    };
    add(machine_presets(), "processor");
    add(gpu_presets(), "gpu");
    std::cout << presets.dump(2) << "\n";
}

// As the plugin sees it under autoscheduler.machine=NAME and target=host.
DescribedMachine described(const std::string &name) {
    if (name != "auto") {
        auto loaded = load_machine(name);
        if (!loaded.ok() && !names_machine_file(name))
            misuse(
                "unknown machine '" + name + "'" + meant(name) + "; the machines are:\n" +
                list_text() +
                "or auto, for this computer, or the path of a machine file, which has a / or ends "
                "in .json");
        return or_fail(std::move(loaded));
    }
    const TargetTraits traits = host_traits();
    Machine preset = or_fail(machine_for_target(traits));
    return describe_detection(preset.name, detect_machine(preset));
}

void show(const std::string &name, bool json) {
    if (is_gpu(name)) {
        const Gpu gpu = *gpu_preset(name);
        std::cout << (json ? gpu_text(gpu) : with_bold_head(gpu_table(gpu)));
        return;
    }
    const DescribedMachine machine = described(name);
    std::cout << (json ? machine_file_text(machine) : with_bold_head(machine_table(machine)));
}

// Said before a minute of measuring rather than after it.
void refuse_hopeless(const std::string &path) {
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    if (std::filesystem::is_directory(path)) fail("cannot write '" + path + "': it is a folder");
    if (!std::filesystem::is_directory(folder))
        fail("cannot write '" + path + "': there is no folder '" + folder.string() + "'");
    if (access(folder.c_str(), W_OK) != 0)
        fail("cannot write '" + path + "': nothing may be written to '" + folder.string() + "'");
}

void calibrate_to(const std::string &output, const std::string &name, double seconds) {
    if (!output.empty()) refuse_hopeless(output);
    const bool watched = isatty(STDERR_FILENO);
    if (watched) std::cerr << "preparing memory and threads..." << std::flush;
    const auto progress = [&](double share) {
        if (watched)
            std::cerr << "\rmeasuring: " << static_cast<int>(share * 100) << " % of " << seconds
                      << " s               " << std::flush;
    };
    auto measured = calibrate::calibrate(name, seconds, progress);
    if (watched) std::cerr << "\n";
    const calibrate::Calibration calibration = or_fail(std::move(measured));
    if (output.empty())
        std::cout << machine_file_text(calibration.machine);
    else
        or_fail(write_machine_file(output, calibration.machine));
    for (const std::string &w : calibration.warnings) complain("warning: " + w);
    if (!output.empty() && watched)
        std::cerr << "wrote " << output << "; look at it with: cryolite machine show --machine "
                  << (names_machine_file(output) ? output : "./" + output) << "\n";
}

}  // namespace

void add_machine_command(CLI::App &app) {
    struct Options {
        std::string machine = "auto", output, name;
        bool json = false;
        double seconds = 30;
    };
    const auto o = std::make_shared<Options>();
    CLI::App *machine = app.add_subcommand(
        "machine", "What Cryolite believes about a computer, and measuring this one");
    machine->require_subcommand(1);

    CLI::App *show_command =
        machine->add_subcommand("show", "Every value of a computer, with its unit and its source");
    show_command->add_option(
        "--machine", o->machine,
        "auto (this computer), a preset of a processor or a GPU, or the path of "
        "a machine file (default: auto)");
    show_command->add_flag("--json", o->json, "as a machine file");
    show_command->callback([o] { show(o->machine, o->json); });

    CLI::App *list_command = machine->add_subcommand("list", "The presets");
    list_command->add_flag("--json", o->json, "as JSON");
    list_command->callback([o] { list(o->json); });

    CLI::App *calibrate_command = machine->add_subcommand(
        "calibrate",
        "Measures this computer and writes a machine file, for autoscheduler.machine=FILE");
    calibrate_command->add_option("--output", o->output, "the file (default: standard output)");
    calibrate_command->add_option("--name", o->name,
                                  "how the machine is called (default: the preset's name and "
                                  "\"-calibrated\")");
    calibrate_command
        ->add_option("--seconds", o->seconds,
                     "time for measuring; more of it finds quieter moments (default: 30)")
        ->check(CLI::Range(0.1, 110.0));
    calibrate_command->callback([o] { calibrate_to(o->output, o->name, o->seconds); });
}

}  // namespace cryolite::tools

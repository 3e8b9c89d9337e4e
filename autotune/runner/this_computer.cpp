#include "autotune/runner/this_computer.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace cryolite {
namespace {

// "model name : Intel(R) ...", or on ARM "CPU part : 0xd0c", which is a number but still tells processors apart.
std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    std::string line, part;
    while (std::getline(file, line)) {
        const size_t colon = line.find(": ");
        if (colon == line.npos) continue;
        if (line.starts_with("model name")) return line.substr(colon + 2);
        if (line.starts_with("CPU part") && part.empty()) part = line.substr(colon + 2);
    }
    return part;
}

}  // namespace

RunMachine this_computer() {
    RunMachine machine;
    machine.cpu = processor_name();
    machine.cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return machine;
}

}  // namespace cryolite

#include "tools/calibrate/find_kernel.h"

#include <memory>
#include <span>
#include <stdexcept>

#include "tools/calibrate/walked_memory.h"

namespace cryolite::calibrate {

const Kernel &find_kernel(const KernelSet &set, std::string_view name) {
    for (const Kernel &k : std::span(set.kernels, static_cast<size_t>(set.kernel_count)))
        if (k.name == name) return k;
    throw std::logic_error("no kernel " + std::string(name));
}

Probe kernel_probe(std::string name, const KernelSet &set, std::string_view kernel) {
    auto scratch = std::make_shared<WalkedMemory>(scratch_bytes);
    const Kernel &k = find_kernel(set, kernel);
    return {std::move(name), k.operations,
            [&k, scratch](int64_t n) { k.run(n, scratch->begin()); }};
}

}  // namespace cryolite::calibrate

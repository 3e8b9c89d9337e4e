// What memory costs that a pipeline asks for while it runs: the call, and the first touch of pages
// that the system hands out.
#include <HalideRuntime.h>
#include <sys/mman.h>

#include <new>

#include "tools/calibrate/experiment.h"

namespace cryolite::calibrate {
namespace {

// More than Halide keeps on the stack, and a buffer of a strip of an image.
constexpr size_t small_bytes = 32 << 10, large_bytes = 1 << 20;
constexpr size_t mapped_bytes = 1 << 20;

Probe allocation_probe(const std::string &name, size_t bytes) {
    return {name, 1, [bytes](int64_t n) {
                for (int64_t i = 0; i < n; i++) {
                    void *memory = halide_malloc(nullptr, bytes);
                    if (!memory) throw std::bad_alloc();
                    *static_cast<volatile char *>(memory) = 1;
                    halide_free(nullptr, memory);
                }
            }};
}

// One operation is a page.
Probe fault_probe(int64_t page_bytes) {
    return {"page fault", static_cast<double>(mapped_bytes) / static_cast<double>(page_bytes),
            [page_bytes](int64_t n) {
                for (int64_t i = 0; i < n; i++) {
                    void *memory = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                    if (memory == MAP_FAILED) throw std::bad_alloc();
                    for (size_t b = 0; b < mapped_bytes; b += static_cast<size_t>(page_bytes))
                        static_cast<volatile char *>(memory)[b] = 1;
                    munmap(memory, mapped_bytes);
                }
            }};
}

}  // namespace

Experiment allocation_experiment(const Machine &machine) {
    return {{allocation_probe("allocation small", small_bytes),
             allocation_probe("allocation large", large_bytes), fault_probe(machine.page_bytes)},
            [](const Findings &found, Conclusions &out) {
                out["allocation_seconds"] =
                    (found.seconds("allocation small") + found.seconds("allocation large")) * 0.5;
                out["page_fault_seconds"] = found.seconds("page fault");
            }};
}

}  // namespace cryolite::calibrate

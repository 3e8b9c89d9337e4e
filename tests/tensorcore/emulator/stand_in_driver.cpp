#include "tests/tensorcore/emulator/stand_in_driver.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/tensorcore/emulator/block_run.h"

namespace cryolite::emulator {

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kNotFound = 500, kIllegalAddress = 700,
              kLaunchFailed = 719;
constexpr int kSharedBytes = 48 * 1024;
constexpr int kMaxThreads = 1024;

struct Module;

struct Function {
    const Module *module;
    std::string name;
};

struct Module {
    std::string text;
    std::map<std::string, Entry> entries;
    std::map<std::string, Function> functions;
};

// The device. Halide's runtime finds it by the names of C functions, so there can be only one.
struct Device {
    std::mutex mutex;
    GlobalMemory memory;
    std::string problem;
    std::function<std::string(const std::string &)> mutation;
    std::map<std::string, int> launches;
};

// It is never destroyed, because a compiled pipeline's runtime frees its memory when the program ends.
Device &device() {
    static Device &instance = *new Device;
    return instance;
}

int fail(int code, const std::string &problem) {
    device().problem = problem;
    return code;
}

int launch_kernel(const Entry &entry, const Indices &grid, const Indices &block, int shared_bytes,
                  void **parameters) {
    if (shared_bytes > kSharedBytes)
        return fail(kInvalidValue, "more shared memory than a block has");
    const int threads = block[0] * block[1] * block[2];
    if (threads < 1 || threads > kMaxThreads ||
        (entry.max_threads > 0 && threads > entry.max_threads)) {
        return fail(kInvalidValue, "more threads than the kernel allows");
    }
    if (grid[0] < 1 || grid[1] < 1 || grid[2] < 1)
        return fail(kInvalidValue, "a launch of no blocks");
    std::vector<uint8_t> bytes(static_cast<size_t>(entry.parameter_bytes) + sizeof(uint64_t));
    for (size_t i = 0; i < entry.parameter_offsets.size(); i++) {
        const int end = i + 1 < entry.parameter_offsets.size() ? entry.parameter_offsets[i + 1]
                                                               : entry.parameter_bytes;
        const int size = std::min(end - entry.parameter_offsets[i], 8);
        std::memcpy(bytes.data() + entry.parameter_offsets[i], parameters[i],
                    static_cast<size_t>(size));
    }
    const Launch launch{&entry, grid, block, shared_bytes, bytes};
    device().memory.next_launch();
    try {
        for (int z = 0; z < grid[2]; z++) {
            for (int y = 0; y < grid[1]; y++) {
                for (int x = 0; x < grid[0]; x++) run_block(launch, {x, y, z}, device().memory);
            }
        }
    } catch (const EmulationError &error) {
        return fail(kLaunchFailed, error.what());
    }
    return kSuccess;
}

}  // namespace

std::string take_problem() {
    const std::lock_guard lock(device().mutex);
    return std::exchange(device().problem, "");
}

void set_mutation(std::function<std::string(const std::string &)> mutation) {
    const std::lock_guard lock(device().mutex);
    device().mutation = std::move(mutation);
}

int count_launches(const std::string &part) {
    const std::lock_guard lock(device().mutex);
    int count = 0;
    for (const auto &[name, launches] : device().launches) {
        if (name.find(part) != std::string::npos) count += launches;
    }
    return count;
}

}  // namespace cryolite::emulator

using namespace cryolite::emulator;

namespace {

// CUDA_MEMCPY3D of the driver's interface.
struct Copy3D {
    size_t source_x, source_y, source_z, source_lod;
    int source_kind;
    const void *source_host;
    uint64_t source_device;
    void *source_array, *reserved0;
    size_t source_pitch, source_height;
    size_t to_x, to_y, to_z, to_lod;
    int to_kind;
    void *to_host;
    uint64_t to_device;
    void *to_array, *reserved1;
    size_t to_pitch, to_height;
    size_t width_bytes, height, depth;
};
constexpr int kHostMemory = 1;

int copy(void *to, const void *from, size_t bytes, uint64_t to_device, uint64_t from_device) {
    const std::lock_guard lock(device().mutex);
    if ((to_device != 0 && !device().memory.holds(to_device, bytes)) ||
        (from_device != 0 && !device().memory.holds(from_device, bytes))) {
        return fail(kIllegalAddress, "a copy of the host leaves an allocation");
    }
    std::memmove(to, from, bytes);
    return kSuccess;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return kSuccess; }
int cuDeviceGetCount(int *count) { return *count = 1, kSuccess; }
int cuDeviceGet(int *which, int) { return *which = 0, kSuccess; }
int cuDeviceGetAttribute(int *value, int attribute, int) {
    switch (attribute) {
        case 1: *value = kMaxThreads; break;
        case 8: *value = kSharedBytes; break;
        case 10: *value = 32; break;
        case 75: *value = 9; break;  // compute capability, major
        case 76: *value = 0; break;
        default: *value = kMaxThreads; break;
    }
    return kSuccess;
}
int cuDeviceGetName(char *name, int length, int) {
    std::strncpy(name, "emulator", static_cast<size_t>(length));
    return kSuccess;
}
int cuDeviceTotalMem(size_t *bytes, int) { return *bytes = size_t{1} << 33, kSuccess; }
int cuDeviceTotalMem_v2(size_t *bytes, int which) { return cuDeviceTotalMem(bytes, which); }
int cuCtxCreate_v2(void **context, unsigned, int) { return *context = &device(), kSuccess; }
int cuCtxDestroy_v2(void *) { return kSuccess; }
int cuProfilerStop() { return kSuccess; }
int cuCtxGetApiVersion(void *, unsigned *version) { return *version = 12000, kSuccess; }
int cuCtxGetDevice(int *which) { return *which = 0, kSuccess; }
int cuCtxSynchronize() { return kSuccess; }
int cuStreamSynchronize(void *) { return kSuccess; }
int cuCtxPushCurrent_v2(void *) { return kSuccess; }
int cuCtxPopCurrent_v2(void **context) { return *context = &device(), kSuccess; }
int cuPointerGetAttribute(void *result, int, uint64_t) {
    *static_cast<void **>(result) = &device();
    return kSuccess;
}

int cuModuleLoadData(void **module, const void *image) {
    const std::lock_guard lock(device().mutex);
    try {
        const std::string text = static_cast<const char *>(image);
        *module = new Module{text, parse_ptx(text), {}};
        return kSuccess;
    } catch (const std::exception &error) {
        return fail(kInvalidValue, error.what());
    }
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned, void *, void **) {
    return cuModuleLoadData(module, image);
}
int cuModuleUnload(void *module) {
    delete static_cast<Module *>(module);
    return kSuccess;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
    auto &m = *static_cast<Module *>(module);
    if (!m.entries.contains(name)) return kNotFound;
    *function = &(m.functions[name] = {&m, name});
    return kSuccess;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    const std::lock_guard lock(device().mutex);
    return *address = device().memory.allocate(bytes), kSuccess;
}
int cuMemFree_v2(uint64_t address) {
    const std::lock_guard lock(device().mutex);
    return device().memory.release(address) ? kSuccess
                                            : fail(kInvalidValue, "freed what is no allocation");
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    return copy(reinterpret_cast<void *>(to), from, bytes, to, 0);
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    return copy(to, reinterpret_cast<const void *>(from), bytes, 0, from);
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
    return copy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes, to,
                from);
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
    return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
    return cuMemcpyDtoH_v2(to, from, bytes);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
    return cuMemcpyDtoD_v2(to, from, bytes);
}
int cuMemcpy3D_v2(const Copy3D *c) {
    for (size_t z = 0; z < c->depth; z++) {
        for (size_t y = 0; y < c->height; y++) {
            const bool from_host = c->source_kind == kHostMemory,
                       to_host = c->to_kind == kHostMemory;
            const uint64_t from =
                (from_host ? reinterpret_cast<uint64_t>(c->source_host) : c->source_device) +
                c->source_x +
                (y + c->source_y + (z + c->source_z) * c->source_height) * c->source_pitch;
            const uint64_t to = (to_host ? reinterpret_cast<uint64_t>(c->to_host) : c->to_device) +
                                c->to_x +
                                (y + c->to_y + (z + c->to_z) * c->to_height) * c->to_pitch;
            const int result =
                copy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from),
                     c->width_bytes, to_host ? 0 : to, from_host ? 0 : from);
            if (result != kSuccess) return result;
        }
    }
    return kSuccess;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *, void **parameters, void **) {
    const std::lock_guard lock(device().mutex);
    const auto &[module, name] = *static_cast<const Function *>(function);
    device().launches[name]++;
    const auto indices = [](unsigned x, unsigned y, unsigned z) {
        return Indices{static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)};
    };
    try {
        const Entry entry = device().mutation ? parse_ptx(device().mutation(module->text)).at(name)
                                              : module->entries.at(name);
        return launch_kernel(entry, indices(grid_x, grid_y, grid_z),
                             indices(block_x, block_y, block_z), static_cast<int>(shared_bytes),
                             parameters);
    } catch (const std::exception &error) {
        return fail(kInvalidValue, error.what());
    }
}

}  // extern "C"

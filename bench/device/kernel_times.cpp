// How long each kernel of a process takes on an NVIDIA GPU, by CUPTI: a library that the driver loads into any program.
//   g++ -O2 -shared -fPIC bench/device/kernel_times.cpp -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcupti
//       -o kernel_times.so
//   CUDA_INJECTION64_PATH=$PWD/kernel_times.so ./program
// writes kernel_times.PID.csv into the working folder: a row per launch in the order of their ends, with the kernel,
// nanoseconds, grid, block, registers of a thread, shared bytes of a block, and local bytes of a thread (spills among
// them). A program that calls kernel_times_mark(NAME) gets a line #NAME before its next launches. Timing by CUPTI
// leaves kernels in their order and adds some microseconds between them.
#include <cupti.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

FILE *file = nullptr;

void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records) {
    *size = size_t{8} << 20;
    *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *size));
    *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid_size) {
    CUpti_Activity *record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid_size, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
        const auto &k = *reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
        std::fprintf(file, "%s,%llu,%d,%d,%d,%d,%d,%d,%u,%d,%u\n", k.name,
                     static_cast<unsigned long long>(k.end - k.start), k.gridX, k.gridY, k.gridZ,
                     k.blockX, k.blockY, k.blockZ, k.registersPerThread,
                     k.staticSharedMemory + k.dynamicSharedMemory, k.localMemoryPerThread);
    }
    std::free(buffer);
}

void at_exit() {
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    std::fclose(file);
}

}  // namespace

extern "C" void kernel_times_mark(const char *name) {
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    std::fprintf(file, "#%s\n", name);
    std::fflush(file);
}

extern "C" int InitializeInjection() {
    file = std::fopen(("kernel_times." + std::to_string(getpid()) + ".csv").c_str(), "w");
    if (file == nullptr) return 0;
    std::fprintf(
        file,
        "kernel,nanoseconds,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,shared,local\n");
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    std::atexit(at_exit);
    return 1;
}

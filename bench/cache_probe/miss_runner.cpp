// miss_runner LIBRARY: calls compiled cases, for cachegrind to count. Standard input names them, one a
// line: the function, then a word per buffer, its elements' type and extents: `case f32:100:30 ...`.
//
// What a case misses is the difference between two processes that are one until the call: both have
// their buffers filled and then the caches filled with something else, then one ends and the other
// calls first. The simulator writes a file of counts per process; a line of the output names both by
// their process ids: `case BEFORE AFTER`.
#include <HalideRuntime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Call = int (*)(void **);

// Larger than any cache that is simulated here.
constexpr size_t evicting_bytes = 8 << 20;
constexpr size_t line_bytes = 64;
// As Halide's own allocations.
constexpr size_t alignment_bytes = 128;

// 0x3f3f3f3f is a common number as a float and as an integer.
constexpr int fill_byte = 0x3f;

struct Image {
    halide_buffer_t buffer{};
    std::vector<halide_dimension_t> dims;

    explicit Image(const std::string &text) {
        std::istringstream words(text);
        std::string word;
        std::getline(words, word, ':');
        buffer.type = halide_type_t(word[0] == 'f' ? halide_type_float : halide_type_uint,
                                    static_cast<uint8_t>(std::stoi(word.substr(1))));
        const int bytes = buffer.type.bytes();
        int stride = 1;
        while (std::getline(words, word, ':')) {
            dims.emplace_back(0, std::stoi(word), stride);
            stride *= dims.back().extent;
        }
        const size_t size = static_cast<size_t>(stride) * static_cast<size_t>(bytes);
        buffer.host = static_cast<uint8_t *>(std::aligned_alloc(
            alignment_bytes, (size + alignment_bytes - 1) / alignment_bytes * alignment_bytes));
        std::memset(buffer.host, fill_byte, size);
        buffer.dimensions = static_cast<int32_t>(dims.size());
    }
};

void evict() {
    static char other[evicting_bytes];
    auto *bytes = static_cast<volatile char *>(other);
    for (size_t i = 0; i < evicting_bytes; i += line_bytes) bytes[i] = 1;
}

// In a child; tells its own process id and that of the one without the call.
[[noreturn]] void run_case(Call call, const std::vector<std::string> &buffers, int result) {
    std::vector<Image> images;
    images.reserve(buffers.size());
    for (const std::string &text : buffers) images.emplace_back(text);
    std::vector<void *> arguments;
    for (Image &image : images) {
        image.buffer.dim = image.dims.data();
        arguments.push_back(&image.buffer);
    }
    evict();
    const pid_t before = fork();
    if (before == 0) _exit(0);
    int code = before < 0 ? 1 : call(arguments.data());
    if (before > 0) waitpid(before, nullptr, 0);
    const pid_t pids[2] = {before, getpid()};
    if (write(result, pids, sizeof pids) != sizeof pids) code = 1;
    _exit(code == 0 ? 0 : 1);
}

}  // namespace

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) {
        std::fprintf(stderr, "miss_runner: error: %s\n", argc == 2 ? dlerror() : "no LIBRARY");
        return 2;
    }
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string name, word;
        words >> name;
        std::vector<std::string> buffers;
        while (words >> word) buffers.push_back(word);
        const auto call = reinterpret_cast<Call>(dlsym(library, (name + "_argv").c_str()));
        int ends[2];
        if (!call || pipe(ends) != 0) {
            std::printf("%s failed: no such function\n", name.c_str());
            continue;
        }
        const pid_t child = fork();
        if (child == 0) run_case(call, buffers, ends[1]);
        close(ends[1]);
        pid_t pids[2] = {0, 0};
        const bool told = read(ends[0], pids, sizeof pids) == sizeof pids;
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (told && status == 0)
            std::printf("%s %d %d\n", name.c_str(), pids[0], pids[1]);
        else
            std::printf("%s failed: status %d\n", name.c_str(), status);
        std::fflush(stdout);
    }
    return 0;
}

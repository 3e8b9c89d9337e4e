// What ptxas makes of the tile kernels: a row of Markdown for each kernel of the family.
//   bench_tensor_kernels --ptxas PATH [--types f16,bf16,half,tf32,i8,u8] [--capability 80]
//                        [--architectures sm_80,sm_90] [--layouts 4] [--csv FILE]
// Columns: registers and spilled bytes of a thread, shared memory of a block, blocks that an SM holds at once, the
// multiply-adds of a block for each byte that it copies from global memory, and for each byte that its fragments read
// from shared memory. Fails if ptxas refuses a kernel or spills. No times: they need a GPU.
#include <Halide.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "bench/tensorcore/biased_product.h"
#include "tensorcore/device_code.h"
#include "tensorcore/schedule_product.h"

namespace cryolite::bench {
namespace {

namespace fs = std::filesystem;
using namespace tensorcore;

struct Options {
    std::string ptxas = "ptxas", csv;
    std::vector<std::string> types{"f16", "bf16", "half", "tf32", "i8", "u8"},
        architectures{"sm_80", "sm_86", "sm_90"};
    int capability = 80;
    int layouts = 4;
};

[[noreturn]] void fail(const std::string &message) {
    std::cerr << "bench_tensor_kernels: " << message << "\n";
    std::exit(1);
}

ProductTypes named_types(const std::string &name) {
    const auto types = types_named(name);
    if (!types) fail("--types: there is no " + name);
    return *types;
}

class Capture : public Halide::Internal::IRMutator {
public:
    explicit Capture(std::string *to) : to_(to) {}
    using IRMutator::mutate;
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &s) override {
        return change_device_code(s, [&](const std::string &ptx) { return *to_ = ptx; }).lowered;
    }

private:
    std::string *to_;
};

std::string ptx_of(const ProductTypes &types, const Tile &tile, int layout, int capability) {
    BiasedProduct program(types, layout);
    const Halide::Target target("x86-64-linux-sse41-avx-avx2-fma-f16c-cuda-cuda_capability_" +
                                std::to_string(capability));
    const auto lowered = schedule_product({.product = program.product,
                                           .epilogue = program.result,
                                           .tile = tile,
                                           .precision = precision_of(types)},
                                          target);
    if (!lowered.ok()) fail(lowered.error().message);
    Halide::Pipeline pipeline(program.result);
    std::string ptx;
    add_pass(pipeline, {*lowered}, target);
    pipeline.add_custom_lowering_pass(new Capture(&ptx));
    pipeline.compile_to_module({program.a, program.b, program.bias}, "product", target);
    return ptx;
}

std::string output_of(const std::string &command) {
    std::string output;
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) fail("cannot run " + command);
    char part[4096];
    while (std::fgets(part, sizeof(part), pipe) != nullptr) output += part;
    if (pclose(pipe) != 0) fail(command + ":\n" + output);
    return output;
}

struct Assembled {
    std::string kernel;
    int registers = 0, spilled_bytes = 0;
};

// From lines such as `Compiling entry function '_kernel'`, `8 bytes spill stores`, `Used 128 registers`.
std::vector<Assembled> assembled(const std::string &output) {
    std::vector<Assembled> kernels;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        const auto number_before = [&](const std::string &words) {
            const size_t at = line.find(words);
            if (at == std::string::npos) return -1;
            const size_t first = line.find_last_not_of("0123456789", at - 2);
            return std::atoi(line.c_str() + first + 1);
        };
        if (const size_t at = line.find("entry function '"); at != std::string::npos) {
            kernels.push_back({line.substr(at + 16, line.find('\'', at + 16) - at - 16)});
        } else if (!kernels.empty()) {
            if (const int spilled = number_before("bytes spill stores"); spilled >= 0)
                kernels.back().spilled_bytes = spilled;
            if (const int used = number_before("registers"); used >= 0)
                kernels.back().registers = used;
        }
    }
    return kernels;
}

// Of one SM: NVIDIA's table of compute capabilities. A block also takes 1 KB of shared memory for the system since 8.0.
struct Multiprocessor {
    int registers = 65536, threads, blocks, shared_bytes, system_bytes;
};

Multiprocessor multiprocessor(const std::string &architecture) {
    if (architecture == "sm_75")
        return {.threads = 1024, .blocks = 16, .shared_bytes = 64 << 10, .system_bytes = 0};
    if (architecture == "sm_86")
        return {.threads = 1536, .blocks = 16, .shared_bytes = 100 << 10, .system_bytes = 1024};
    const int shared_kb = architecture == "sm_80" ? 164 : 228;
    return {.threads = 2048, .blocks = 32, .shared_bytes = shared_kb << 10, .system_bytes = 1024};
}

int blocks_at_once(const KernelShape &shape, int registers, const std::string &architecture) {
    const Multiprocessor sm = multiprocessor(architecture);
    const int rounded = (registers + 7) / 8 * 8;
    return std::min({sm.blocks, sm.threads / shape.tile.threads(),
                     sm.registers / (rounded * shape.tile.threads()),
                     sm.shared_bytes / (shape.shared_bytes() + sm.system_bytes)});
}

struct Table {
    std::ostringstream markdown, csv;
    int kernels = 0, spilling = 0;
};

void add_rows(const std::string &types_name, const Tile &tile, int layout, const Options &options,
              Table &table) {
    const ProductTypes types = named_types(types_name);
    const bool is_byte = bytes_of(types.rows) == 1;
    const KernelShape shape{types, tile, is_byte || (layout & 1) == 0, is_byte || (layout & 2) == 0,
                            options.capability};
    const fs::path file =
        fs::temp_directory_path() / ("cryolite_kernel_" + std::to_string(getpid()) + ".ptx");
    std::ofstream(file) << ptx_of(types, tile, layout, options.capability);
    const double sums = static_cast<double>(tile.block_rows) * tile.block_columns;
    const double per_global_byte =
        sums / (tile.block_rows + tile.block_columns) / shape.element_bytes();
    const double per_shared_byte = static_cast<double>(tile.warp_rows()) * tile.warp_columns() /
                                   (tile.warp_rows() + tile.warp_columns()) / shape.element_bytes();
    for (const std::string &architecture : options.architectures) {
        const std::string command =
            options.ptxas + " -v -arch=" + architecture + " -o /dev/null " + file.string();
        for (const Assembled &kernel : assembled(output_of(command))) {
            table.kernels++;
            if (kernel.spilled_bytes > 0) table.spilling++;
            std::vector<std::string> cells;
            const auto add = [&](const auto &value) {
                std::ostringstream text;
                text << value;
                cells.push_back(text.str());
            };
            const auto size = [](int a, int b) {
                return std::to_string(a) + "x" + std::to_string(b);
            };
            add(types_name);
            add(size(tile.block_rows, tile.block_columns));
            add(size(tile.warp_rows(), tile.warp_columns()));
            add(tile.chunk_bytes);
            add(tile.stages);
            add(std::string((layout & 1) != 0 ? "m" : "k") + ((layout & 2) != 0 ? "n" : "k"));
            add(kernel.kernel.find("copied") != std::string::npos ? "copied" : "gathered");
            add(architecture);
            add(kernel.registers);
            add(kernel.spilled_bytes);
            add(shape.shared_bytes());
            add(blocks_at_once(shape, kernel.registers, architecture));
            add(per_global_byte);
            add(per_shared_byte);
            for (size_t i = 0; i < cells.size(); i++) {
                table.markdown << "| " << cells[i] << " ";
                table.csv << (i > 0 ? "," : "") << cells[i];
            }
            table.markdown << "|\n";
            table.csv << "\n";
        }
    }
    fs::remove(file);
}

int run(const Options &options) {
    Table table;
    const char *head[] = {"types",
                          "block",
                          "warp",
                          "chunk bytes",
                          "stages",
                          "layout",
                          "kernel",
                          "architecture",
                          "registers",
                          "spilled bytes",
                          "shared bytes",
                          "blocks per SM",
                          "MACs per global byte",
                          "MACs per shared byte"};
    for (const char *column : head) {
        table.markdown << "| " << column << " ";
        table.csv << (column == head[0] ? "" : ",") << column;
    }
    table.markdown << "|\n";
    table.csv << "\n";
    for (size_t i = 0; i < std::size(head); i++) table.markdown << "|---";
    table.markdown << "|\n";
    for (const std::string &name : options.types) {
        for (const Tile &tile : tiles_for(named_types(name), options.capability)) {
            for (int layout = 0; layout < options.layouts; layout++)
                add_rows(name, tile, layout, options, table);
        }
    }
    std::cout << table.markdown.str() << "\n"
              << table.kernels << " kernels, " << table.spilling << " with spills\n";
    if (!options.csv.empty()) std::ofstream(options.csv) << table.csv.str();
    return table.spilling > 0 ? 1 : 0;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    cryolite::bench::Options options;
    CLI::App app{"What ptxas makes of the tile kernels for tensor cores"};
    app.add_option("--ptxas", options.ptxas, "NVIDIA's assembler");
    app.add_option("--types", options.types, "f16, bf16, half (f16 sums), tf32, i8, u8")
        ->delimiter(',');
    app.add_option("--capability", options.capability, "that Halide compiles for: 75, 80 or 86")
        ->check(CLI::IsMember({75, 80, 86}));
    app.add_option("--architectures", options.architectures, "that ptxas compiles for")
        ->delimiter(',');
    app.add_option("--layouts", options.layouts, "1: operands along the depth; 4: all")
        ->check(CLI::Range(1, 4));
    app.add_option("--csv", options.csv, "file to write");
    CLI11_PARSE(app, argc, argv);
    return cryolite::bench::run(options);
}

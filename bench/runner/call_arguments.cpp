#include "bench/runner/call_arguments.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace cryolite::bench {
namespace {

// A cache line pair: no variant gains or loses by how its buffers happen to be aligned.
constexpr std::size_t alignment_bytes = 128;

constexpr int spoilt = 0xcd;  // the bytes of an output that was not written

void make_dense(std::vector<halide_dimension_t> &dimensions) {
    int stride = 1;
    for (halide_dimension_t &dimension : dimensions) {
        dimension.stride = stride;
        stride *= dimension.extent;
    }
}

std::size_t element_count(const std::vector<int> &extents) {
    std::size_t count = 1;
    for (const int extent : extents) {
        count *= std::size_t(extent);
    }
    return count;
}

std::vector<std::byte> contents(const apps::Argument &argument,
                                const std::map<std::string, std::string> &input_files) {
    std::vector<std::byte> data(element_count(argument.extents) *
                                std::size_t(size_in_bytes(argument.type)));
    const auto file = input_files.find(argument.name);
    if (file == input_files.end()) {
        fill_argument(argument, data.data());
        return data;
    }
    std::ifstream stream(file->second, std::ios::binary);
    if (!stream.read(reinterpret_cast<char *>(data.data()), std::streamsize(data.size())) ||
        stream.peek() != std::ifstream::traits_type::eof()) {
        throw std::runtime_error(file->second + " does not hold " + std::to_string(data.size()) +
                                 " bytes for " + argument.name);
    }
    return data;
}

// Copies the app's box, which starts at 0, into the larger buffer row by row; the margin is zero.
void copy_into(const halide_buffer_t &buffer, const apps::Argument &argument,
               const std::vector<std::byte> &data) {
    const std::size_t element = std::size_t(size_in_bytes(argument.type));
    const std::size_t row_bytes = std::size_t(argument.extents[0]) * element;
    std::vector<int> at(argument.extents.size(), 0);
    for (std::size_t offset = 0; offset < data.size(); offset += row_bytes) {
        std::ptrdiff_t position = 0;
        for (std::size_t d = 0; d < at.size(); d++) {
            position += std::ptrdiff_t(at[d] - buffer.dim[d].min) * buffer.dim[d].stride;
        }
        std::memcpy(buffer.host + position * std::ptrdiff_t(element), data.data() + offset,
                    row_bytes);
        for (std::size_t d = 1; d < at.size(); d++) {
            if (++at[d] < argument.extents[d]) {
                break;
            }
            at[d] = 0;
        }
    }
}

std::string region(const std::vector<halide_dimension_t> &dimensions) {
    std::string text;
    for (const halide_dimension_t &dimension : dimensions) {
        text += (text.empty() ? "" : " x ") + std::to_string(dimension.min) + ".." +
                std::to_string(dimension.min + dimension.extent - 1);
    }
    return text;
}

}  // namespace

void CallArguments::Freer::operator()(std::byte *memory) const { std::free(memory); }

CallArguments::CallArguments(const apps::AppDescription &app, const VariantLibrary &variant,
                             const std::map<std::string, std::string> &input_files)
    : variant_(variant), storage_(app.arguments.size()), pointers_(app.arguments.size()) {
    for (std::size_t i = 0; i < storage_.size(); i++) {
        const apps::Argument &argument = app.arguments[i];
        Storage &storage = storage_[i];
        if (argument.kind == apps::Argument::Kind::Scalar) {
            fill_argument(argument, &storage.scalar);
            pointers_[i] = &storage.scalar;
            continue;
        }
        for (const int extent : argument.extents) {
            storage.dimensions.emplace_back(0, extent, 0);
        }
        make_dense(storage.dimensions);
        storage.buffer.type = halide_type(argument.type);
        storage.buffer.dimensions = int(storage.dimensions.size());
        storage.buffer.dim = storage.dimensions.data();
        pointers_[i] = &storage.buffer;
        if (argument.kind == apps::Argument::Kind::OutputBuffer) {
            outputs_.push_back(i);
        }
    }

    // The bounds query: with no memory behind the inputs, the call writes into their dimensions
    // which regions it would read. The outputs have memory, so that their regions are taken as
    // given.
    std::byte not_written{};
    std::vector<std::vector<halide_dimension_t>> wanted;
    for (const std::size_t i : outputs_) {
        storage_[i].buffer.host = reinterpret_cast<std::uint8_t *>(&not_written);
        wanted.push_back(storage_[i].dimensions);
    }
    variant.call(argv());
    for (std::size_t i = 0; i < outputs_.size(); i++) {
        Storage &output = storage_[outputs_[i]];
        output.dimensions = wanted[i];
        output.buffer.dim = output.dimensions.data();
    }

    for (std::size_t i = 0; i < storage_.size(); i++) {
        const apps::Argument &argument = app.arguments[i];
        Storage &storage = storage_[i];
        if (argument.kind == apps::Argument::Kind::Scalar) {
            continue;
        }
        bool has_margin = false;
        for (std::size_t d = 0; d < storage.dimensions.size(); d++) {
            halide_dimension_t &dimension = storage.dimensions[d];
            const int first = std::min(dimension.min, 0);
            const int last = std::max(dimension.min + dimension.extent, argument.extents[d]);
            has_margin = has_margin || first < 0 || last > argument.extents[d];
            dimension.min = first;
            dimension.extent = last - first;
        }
        make_dense(storage.dimensions);
        if (has_margin) {
            notes_.push_back("reads " + argument.name + " at " + region(storage.dimensions) +
                             ", beyond the app's size");
        }
        std::size_t elements = 1;
        for (const halide_dimension_t &dimension : storage.dimensions) {
            elements *= std::size_t(dimension.extent);
        }
        storage.bytes = elements * std::size_t(size_in_bytes(argument.type));
        const std::size_t rounded =
            (storage.bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
        storage.memory.reset(
            static_cast<std::byte *>(std::aligned_alloc(alignment_bytes, rounded)));
        if (!storage.memory) {
            throw std::runtime_error("no memory for " + argument.name);
        }
        storage.buffer.host = reinterpret_cast<std::uint8_t *>(storage.memory.get());
        if (argument.kind == apps::Argument::Kind::OutputBuffer) {
            // What a schedule forgets to write must not look right by chance, on a device either.
            std::memset(storage.memory.get(), spoilt, rounded);
            storage.buffer.set_host_dirty();
            variant.copy_to_device(storage.buffer);
            storage.buffer.set_host_dirty(false);
        } else {
            std::memset(storage.memory.get(), 0, rounded);
            copy_into(storage.buffer, argument, contents(argument, input_files));
            storage.buffer.set_host_dirty();
        }
    }
}

CallArguments::~CallArguments() {
    for (Storage &storage : storage_) {
        try {
            variant_.free_device_memory(storage.buffer);
        } catch (const std::runtime_error &) {
            // The process ends soon, and its device memory with it.
        }
    }
}

void CallArguments::call() {
    variant_.call(argv());
    for (const std::size_t i : outputs_) {
        variant_.wait_for_device(storage_[i].buffer);
    }
}

void CallArguments::copy_outputs_to_host() {
    for (const std::size_t i : outputs_) {
        variant_.copy_to_host(storage_[i].buffer);
    }
}

std::vector<std::span<const std::byte>> CallArguments::outputs() const {
    std::vector<std::span<const std::byte>> all;
    for (const std::size_t i : outputs_) {
        all.emplace_back(storage_[i].memory.get(), storage_[i].bytes);
    }
    return all;
}

}  // namespace cryolite::bench

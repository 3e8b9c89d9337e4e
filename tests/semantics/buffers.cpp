#include "tests/semantics/buffers.h"

#include <cmath>
#include <cstring>

#include "base/random.h"

namespace cryolite {

namespace {

constexpr unsigned char red_zone_byte = 0xa5;
// Halide's own allocations of buffers are aligned to this.
constexpr size_t buffer_alignment_bytes = 128;
constexpr int red_zone_before = 3;
constexpr int red_zone_after = 2;

std::vector<int> extents_of(const Box &region) {
    std::vector<int> extents;
    for (const Interval &i : region) extents.push_back(static_cast<int>(i.extent()));
    return extents;
}

std::vector<int> mins_of(const Box &region) {
    std::vector<int> mins;
    for (const Interval &i : region) mins.push_back(static_cast<int>(i.min));
    return mins;
}

void print_position(std::ostream &log, const int *position, int dims) {
    log << "(";
    for (int d = 0; d < dims; d++) log << (d ? ", " : "") << position[d];
    log << ")";
}

const unsigned char *address(const Halide::Buffer<> &buffer, const int *position) {
    const halide_buffer_t *raw = buffer.raw_buffer();
    int64_t offset = 0;
    for (int d = 0; d < raw->dimensions; d++) {
        offset += int64_t{raw->dim[d].stride} * (position[d] - raw->dim[d].min);
    }
    return raw->host + offset * raw->type.bytes();
}

double as_double(halide_type_t type, const unsigned char *at) {
    auto load = [&](auto zero) {
        std::memcpy(&zero, at, sizeof zero);
        return static_cast<double>(zero);
    };
    if (type.code == halide_type_float) return type.bits == 32 ? load(float{}) : load(double{});
    if (type.code == halide_type_int) {
        switch (type.bits) {
            case 8: return load(int8_t{});
            case 16: return load(int16_t{});
            case 32: return load(int32_t{});
            default: return load(int64_t{});
        }
    }
    switch (type.bits) {
        case 16: return load(uint16_t{});
        case 32: return load(uint32_t{});
        case 64: return load(uint64_t{});
        default: return load(uint8_t{});
    }
}

}  // namespace

Halide::Buffer<> make_input(Halide::Type type, const Box &region, uint64_t seed) {
    Halide::Buffer<> buffer(type, extents_of(region));
    buffer.set_min(mins_of(region));
    Random random(seed);
    const size_t count = static_cast<size_t>(points(region));
    auto fill = [&](auto zero, int64_t low, int64_t high) {
        using Element = decltype(zero);
        Element *data = static_cast<Element *>(buffer.data());
        for (size_t i = 0; i < count; i++) {
            // Small values now and then: ties and equal neighbours matter to argmax and gathers.
            const int64_t value =
                random.chance(0.2) ? random.between(0, 3) : random.between(low, high);
            data[i] = static_cast<Element>(value);
        }
    };
    if (type.is_float()) {
        fill(float{}, -500, 500);
    } else if (type == Halide::UInt(8)) {
        fill(uint8_t{}, 0, 255);
    } else if (type == Halide::UInt(16)) {
        fill(uint16_t{}, 0, 65535);
    } else if (type == Halide::Int(16)) {
        fill(int16_t{}, -32768, 32767);
    } else if (type == Halide::UInt(32)) {
        fill(uint32_t{}, 0, 0xffffffff);
    } else {
        fill(int32_t{}, -1000, 1000);
    }
    return buffer;
}

GuardedBuffer::GuardedBuffer(Halide::Type type, const Box &region) {
    Box padded = region;
    for (Interval &i : padded) i = {i.min - red_zone_before, i.max + red_zone_after};
    const size_t element_bytes = static_cast<size_t>(type.bytes());
    const size_t bytes = static_cast<size_t>(points(padded)) * element_bytes;
    size_t offset_bytes = 0, stride = element_bytes;
    for (const Interval &i : padded) {
        offset_bytes += red_zone_before * stride;
        stride *= static_cast<size_t>(i.extent());
    }
    storage.assign(bytes + buffer_alignment_bytes, red_zone_byte);
    const size_t misaligned =
        (reinterpret_cast<uintptr_t>(storage.data()) + offset_bytes) % buffer_alignment_bytes;
    unsigned char *base =
        storage.data() + (buffer_alignment_bytes - misaligned) % buffer_alignment_bytes;
    whole = Halide::Buffer<>(type, base, extents_of(padded));
    whole.set_min(mins_of(padded));
    inside = whole;
    for (size_t d = 0; d < region.size(); d++) {
        inside.crop(static_cast<int>(d), static_cast<int>(region[d].min),
                    static_cast<int>(region[d].extent()));
    }
}

bool GuardedBuffer::red_zone_intact(std::ostream &log) const {
    bool intact = true;
    const int dims = whole.dimensions();
    const size_t bytes = static_cast<size_t>(whole.type().bytes());
    whole.for_each_element([&](const int *position) {
        bool is_inside = true;
        for (int d = 0; d < dims; d++) {
            is_inside = is_inside && position[d] >= inside.dim(d).min() &&
                        position[d] <= inside.dim(d).max();
        }
        if (is_inside || !intact) return;
        const unsigned char *at = address(whole, position);
        for (size_t i = 0; i < bytes; i++) intact = intact && at[i] == red_zone_byte;
        if (!intact) {
            log << "  store outside of the output at ";
            print_position(log, position, dims);
            log << "\n";
        }
    });
    return intact;
}

bool same_values(const Halide::Buffer<> &expected, const Halide::Buffer<> &actual,
                 double error_bound, std::ostream &log) {
    constexpr int64_t most_printed = 5;
    int64_t different = 0, total = 0;
    const halide_type_t type = expected.raw_buffer()->type;
    expected.for_each_element([&](const int *position) {
        total++;
        const double a = as_double(type, address(expected, position));
        const double b = as_double(type, address(actual, position));
        // Written so that a NaN differs from everything but a NaN.
        if (a == b || std::abs(a - b) <= error_bound || (std::isnan(a) && std::isnan(b))) return;
        if (different++ < most_printed) {
            log << "  at ";
            print_position(log, position, expected.dimensions());
            log << ": expected " << a << ", is " << b << "\n";
        }
    });
    if (different > 0) {
        log << "  " << different << " of " << total << " values differ";
        if (error_bound > 0) log << " by more than " << error_bound;
        log << "\n";
    }
    return different == 0;
}

}  // namespace cryolite

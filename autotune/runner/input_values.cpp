#include "autotune/runner/input_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autotune/runner/buffer_rows.h"
#include "autotune/runner/element.h"
#include "base/hash.h"

namespace cryolite {
namespace {

// `bits` as a number from 0 on and below `end`.
uint64_t below(uint64_t end, uint64_t bits) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * end) >> 64);
}

// Makes a value of 64 random bits.
class Draw {
public:
    Draw(halide_type_t type, const std::optional<std::array<double, 2>> &range) : type_(type) {
        if (range) {
            low_ = (*range)[0];
            size_ = (*range)[1] - low_;
            if (!is_float(type)) {
                low_ = std::clamp(std::ceil(low_), least_of(type), largest_of(type));
                const double high =
                    std::clamp(std::floor((*range)[1]), least_of(type), largest_of(type));
                end_ = std::max(1.0, high - low_ + 1);
            }
        } else if (type.bits == 1) {
            end_ = 2;
        } else {
            end_ = type.bytes() == 2 ? 1024 : 256;
        }
    }

    void write(std::byte *to, uint64_t bits) const {
        if (is_float(type_))
            // 16 bits, which most floats hold.
            write_element(to, type_, low_ + size_ * static_cast<double>(bits >> 48) * 0x1p-16);
        else if (end_ >= 0x1p63)
            write_element(to, type_, bits);
        else
            write_element(to, type_,
                          static_cast<uint64_t>(static_cast<int64_t>(low_)) +
                              below(static_cast<uint64_t>(end_), bits));
    }

private:
    halide_type_t type_;
    double low_ = 0, size_ = 1, end_ = 1;
};

int64_t extent_of(const FileArray &file, size_t d) {
    return d < file.extents.size() ? file.extents[d] : 1;
}

std::string sizes(size_t count, const auto &extent) {
    std::string text;
    for (size_t d = 0; d < count; d++) text += (d == 0 ? "" : " x ") + std::to_string(extent(d));
    return count == 0 ? "one value" : text;
}

}  // namespace

void fill_at_random(std::byte *first, std::span<const halide_dimension_t> dimensions,
                    halide_type_t type, std::string_view name, uint64_t seed,
                    const std::optional<std::array<double, 2>> &range) {
    const Draw draw(type, range);
    const halide_dimension_t row = row_of(dimensions);
    const auto step = std::ptrdiff_t{row.stride} * type.bytes();
    const Hasher start = Hasher().add(seed).add(name);
    for_each_row(dimensions, [&](std::span<const int32_t> at, int64_t offset) {
        Hasher of_row = start;
        for (size_t d = 1; d < at.size(); d++) of_row.add(static_cast<uint64_t>(int64_t{at[d]}));
        std::byte *to = first + offset * type.bytes();
        for (int32_t i = 0; i < row.extent; i++, to += step)
            draw.write(to, mix_bits(of_row.value() + static_cast<uint64_t>(int64_t{row.min} + i)));
    });
}

Result<bool> covers(const FileArray &file, const PlannedArgument &input) {
    const size_t most = std::max(file.extents.size(), input.region.size());
    bool is_large_enough = true;
    for (size_t d = 0; d < most; d++) {
        const int64_t needed = d < input.region.size() ? input.region[d].extent : 1;
        const bool is_known = d < input.region.size();
        is_large_enough = is_large_enough && extent_of(file, d) >= needed &&
                          (is_known || extent_of(file, d) == 1);
    }
    if (is_large_enough) return true;
    return Error{"holds " + sizes(file.extents.size(), [&](size_t d) { return file.extents[d]; }) +
                 ", and input '" + input.name + "' needs " +
                 sizes(input.region.size(), [&](size_t d) { return input.region[d].extent; }) +
                 " or more"};
}

void fill_from_file(std::byte *first, std::span<const halide_dimension_t> dimensions,
                    const FileArray &file, const PlannedArgument &input) {
    const int bytes = file.type.bytes();
    // Where the file has an element whose coordinate in dimension d is this one, in elements.
    const auto place = [&](size_t d, int64_t coordinate) -> int64_t {
        if (d >= file.extents.size()) return 0;
        return std::clamp<int64_t>(coordinate - input.region[d].min, 0, file.extents[d] - 1) *
               file.strides[d];
    };
    const halide_dimension_t row = row_of(dimensions);
    for_each_row(dimensions, [&](std::span<const int32_t> at, int64_t offset) {
        int64_t from = 0;
        for (size_t d = 1; d < at.size(); d++) from += place(d, at[d]);
        std::byte *to = first + offset * bytes;
        for (int32_t i = 0; i < row.extent; i++, to += std::ptrdiff_t{row.stride} * bytes)
            std::memcpy(
                to,
                file.values.data() +
                    (from + (dimensions.empty() ? 0 : place(0, int64_t{row.min} + i))) * bytes,
                static_cast<size_t>(bytes));
    });
}

}  // namespace cryolite

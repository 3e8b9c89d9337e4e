#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "autotune/runner/array_file.h"

static_assert(std::endian::native == std::endian::little);

namespace cryolite {
namespace {

// The value of a key in a header, which is a Python dictionary: {'descr': '<f4', 'fortran_order': False, ...}.
std::string_view value_of(std::string_view header, std::string_view key) {
    for (const char quote : {'\'', '"'}) {
        const std::string quoted = quote + std::string(key) + quote;
        size_t at = header.find(quoted);
        if (at == header.npos) continue;
        at = header.find(':', at + quoted.size());
        if (at == header.npos) continue;
        at = header.find_first_not_of(' ', at + 1);
        if (at != header.npos) return header.substr(at);
    }
    return "";
}

// '<f4': little-endian float of 4 bytes.
std::optional<halide_type_t> type_of(std::string_view description) {
    if (description.size() < 4 || (description[0] != '\'' && description[0] != '"')) return {};
    const char order = description[1], kind = description[2];
    const int bytes = std::atoi(std::string(description.substr(3, 2)).c_str());
    if (order == '>' || (order != '|' && order != '<' && order != '=')) return {};
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return {};
    const auto bits = static_cast<uint8_t>(8 * bytes);
    switch (kind) {
        case 'f':
            if (bytes == 1) return {};
            return halide_type_t(halide_type_float, bits);
        case 'i': return halide_type_t(halide_type_int, bits);
        case 'u': return halide_type_t(halide_type_uint, bits);
        case 'b': return halide_type_t(halide_type_uint, 8);
        default: return {};
    }
}

// (1080, 1920)
std::optional<std::vector<int64_t>> shape_of(std::string_view text) {
    if (text.empty() || text[0] != '(') return {};
    const size_t end = text.find(')');
    if (end == text.npos) return {};
    std::vector<int64_t> shape;
    std::string number;
    for (const char c : text.substr(1, end)) {
        if (std::isdigit(static_cast<unsigned char>(c))) {
            number += c;
        } else if (c == ',' || c == ')') {
            if (number.size() > 10) return {};
            if (!number.empty()) shape.push_back(std::atoll(number.c_str()));
            number.clear();
        } else if (c != ' ') {
            return {};
        }
    }
    return shape;
}

uint32_t little_endian(const unsigned char *bytes, int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; i++) value |= static_cast<uint32_t>(bytes[i]) << (8 * i);
    return value;
}

}  // namespace

Result<FileArray> read_npy(const std::string &path) {
    constexpr uint32_t longest_header = 1 << 16;
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{"cannot be read"};
    unsigned char start[8] = {}, length_bytes[4] = {};
    file.read(reinterpret_cast<char *>(start), sizeof start);
    const int version = start[6];
    if (!file || std::string_view(reinterpret_cast<char *>(start), 6) != "\x93NUMPY" ||
        version < 1 || version > 3)
        return Error{"is no .npy file of version 1 to 3"};
    const int length_size = version == 1 ? 2 : 4;
    file.read(reinterpret_cast<char *>(length_bytes), length_size);
    const uint32_t length = little_endian(length_bytes, length_size);
    if (!file || length > longest_header) return Error{"has a header that is damaged"};
    std::string header(length, ' ');
    file.read(header.data(), length);
    const auto shape = shape_of(value_of(header, "shape"));
    const std::string_view order = value_of(header, "fortran_order"),
                           description = value_of(header, "descr");
    const bool is_fortran = order.starts_with("True");
    if (!file || !shape || description.empty() || (!is_fortran && !order.starts_with("False")))
        return Error{"has a header that is damaged"};
    const auto type = type_of(description);
    if (!type)
        return Error{
            "holds values of a type that Halide does not have, or of another byte order: convert "
            "it "
            "with array.astype()"};
    // Axis a of n is dimension n - 1 - a. C's order has the last axis innermost, Fortran's the first.
    FileArray array{
        *type, {shape->rbegin(), shape->rend()}, std::vector<int64_t>(shape->size()), {}};
    int64_t count = 1;
    for (size_t k = 0; k < shape->size(); k++) {
        const size_t d = is_fortran ? shape->size() - 1 - k : k;
        array.strides[d] = count;
        if (array.extents[d] > 0 &&
            count > std::numeric_limits<int32_t>::max() * int64_t{64} / array.extents[d])
            return Error{"is larger than any buffer"};
        count *= array.extents[d];
    }
    array.values.resize(static_cast<size_t>(count) * static_cast<size_t>(type->bytes()));
    file.read(reinterpret_cast<char *>(array.values.data()),
              static_cast<std::streamsize>(array.values.size()));
    if (!file) return Error{"ends before its last value"};
    return array;
}

}  // namespace cryolite

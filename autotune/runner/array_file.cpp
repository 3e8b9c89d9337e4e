#include "autotune/runner/array_file.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "autotune/runner/element.h"

namespace cryolite {
namespace {

// Of a picture: whole numbers of 8 or 16 bits, of which the largest is white.
FileArray as_type(const FileArray &picture, halide_type_t type) {
    if (picture.type == type) return picture;
    FileArray converted{type, picture.extents, picture.strides, {}};
    const auto from = static_cast<size_t>(picture.type.bytes()),
               to = static_cast<size_t>(type.bytes());
    const size_t count = picture.values.size() / from;
    const double scale =
        (is_float(type) ? 1 : largest_of(type)) / (picture.type.bits == 8 ? 255 : 65535);
    converted.values.resize(count * to);
    for (size_t i = 0; i < count; i++) {
        uint16_t value = 0;
        if (from == 1)
            value = static_cast<uint8_t>(picture.values[i]);
        else
            std::memcpy(&value, picture.values.data() + i * from, sizeof value);
        write_element(converted.values.data() + i * to, type, value * scale);
    }
    return converted;
}

}  // namespace

Result<FileArray> read_array_file(const std::string &path, halide_type_t type, ReadPicture png) {
    std::string end = std::filesystem::path(path).extension().string();
    std::ranges::transform(end, end.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool is_npy = end == ".npy", is_png = end == ".png",
               is_pnm = end == ".pgm" || end == ".ppm";
    if (!is_npy && !is_png && !is_pnm)
        return Error{"'" + path + "' is no .npy, .png, .pgm or .ppm file"};
    if (is_png && png == nullptr)
        return Error{"'" + path +
                     "' cannot be read here: mode=top_k takes .npy, .pgm and .ppm files, "
                     "and `cryolite tune` .png files too"};
    Result<FileArray> read = is_npy ? read_npy(path) : is_png ? png(path) : read_pnm(path);
    if (!read.ok()) return Error{"'" + path + "' " + read.error().message};
    if (!is_npy) return as_type(*read, type);
    // Files know no bool of their own but a byte.
    const bool is_bool = type.code == halide_type_uint && type.bits == 1;
    if (read->type != type && !(is_bool && read->type == halide_type_t(halide_type_uint, 8)))
        return Error{"'" + path + "' holds " + type_name(read->type) + " and must hold " +
                     type_name(type) + ": convert it with array.astype()"};
    read->type = type;
    return read;
}

}  // namespace cryolite

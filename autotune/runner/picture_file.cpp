#include <png.h>

#include <cctype>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "autotune/runner/array_file.h"

namespace cryolite {
namespace {

// Rows of pixels, channels innermost, become planes.
FileArray planar(int64_t width, int64_t height, int64_t channels, int bits,
                 const std::vector<unsigned char> &rows) {
    const auto type = halide_type_t(halide_type_uint, static_cast<uint8_t>(bits));
    FileArray array{type, {width, height}, {1, width}, {}};
    if (channels > 1) {
        array.extents.push_back(channels);
        array.strides.push_back(width * height);
    }
    array.values.resize(rows.size());
    const auto bytes = static_cast<size_t>(bits / 8);
    const auto pixels = static_cast<size_t>(width * height), each = static_cast<size_t>(channels);
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < each; c++)
            std::memcpy(array.values.data() + (c * pixels + p) * bytes,
                        rows.data() + (p * each + c) * bytes, bytes);
    return array;
}

// Both formats have the more significant byte first.
void swap_bytes(std::vector<unsigned char> &rows) {
    for (size_t i = 0; i + 1 < rows.size(); i += 2) std::swap(rows[i], rows[i + 1]);
}

struct PngReader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

// libpng leaves its functions by longjmp, which skips destructors: none of the objects here begins after setjmp.
bool read_png_rows(FILE *file, PngReader &reader, std::vector<unsigned char> &rows) {
    if (setjmp(png_jmpbuf(reader.png))) return false;
    png_init_io(reader.png, file);
    png_read_info(reader.png, reader.info);
    png_set_expand(reader.png);  // palettes and fewer bits than 8
    const int passes = png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    const size_t row_bytes = png_get_rowbytes(reader.png, reader.info);
    const size_t height = png_get_image_height(reader.png, reader.info);
    rows.resize(row_bytes * height);
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++)
            png_read_row(reader.png, rows.data() + y * row_bytes, nullptr);
    return true;
}

void be_silent(png_structp, png_const_charp) {}
[[noreturn]] void leave(png_structp png, png_const_charp) { png_longjmp(png, 1); }

// The next number of a header, over spaces and comments. -1: there is none.
int64_t header_number(std::istream &file) {
    for (int c = file.peek(); c == '#' || std::isspace(c); c = file.peek()) {
        if (c != '#') {
            file.get();
            continue;
        }
        std::string comment;
        std::getline(file, comment);
    }
    int64_t value = -1;
    if (!(file >> value)) return -1;
    return value;
}

}  // namespace

Result<FileArray> read_png(const std::string &path) {
    const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
    if (!file) return Error{"cannot be read"};
    PngReader reader;
    reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, leave, be_silent);
    if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
    std::vector<unsigned char> rows;
    if (reader.info == nullptr || !read_png_rows(file.get(), reader, rows))
        return Error{"is no .png file, or is damaged"};
    const int bits = png_get_bit_depth(reader.png, reader.info);
    if (bits == 16) swap_bytes(rows);
    return planar(png_get_image_width(reader.png, reader.info),
                  png_get_image_height(reader.png, reader.info),
                  png_get_channels(reader.png, reader.info), bits, rows);
}

Result<FileArray> read_pnm(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{"cannot be read"};
    char magic[2] = {};
    file.read(magic, sizeof magic);
    const bool is_grey = magic[1] == '5';
    const int64_t width = header_number(file), height = header_number(file),
                  white = header_number(file);
    constexpr int64_t longest_side = 1 << 20;
    if (!file || magic[0] != 'P' || (!is_grey && magic[1] != '6') || width < 1 || height < 1 ||
        width > longest_side || height > longest_side)
        return Error{"is no binary .pgm or .ppm file (P5 or P6)"};
    if (white != 255 && white != 65535)
        return Error{"has " + std::to_string(white) +
                     " as its largest value: only 255 and 65535 are understood"};
    file.get();  // the one space after the header
    const int bits = white == 255 ? 8 : 16;
    const int64_t channels = is_grey ? 1 : 3;
    std::vector<unsigned char> rows(static_cast<size_t>(width * height * channels * bits / 8));
    file.read(reinterpret_cast<char *>(rows.data()), static_cast<std::streamsize>(rows.size()));
    if (!file) return Error{"ends before its last pixel"};
    if (bits == 16) swap_bytes(rows);
    return planar(width, height, channels, bits, rows);
}

}  // namespace cryolite

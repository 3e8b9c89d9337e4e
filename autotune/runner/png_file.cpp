#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <memory>

#include "autotune/runner/array_file.h"
#include "autotune/runner/picture_rows.h"

namespace cryolite {
namespace {

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

Result<FileArray> read_array_file(const std::string &path, halide_type_t type) {
    return read_array_file(path, type, read_png);
}

}  // namespace cryolite

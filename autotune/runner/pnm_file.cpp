#include <cctype>
#include <fstream>

#include "autotune/runner/array_file.h"
#include "autotune/runner/picture_rows.h"

namespace cryolite {
namespace {

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

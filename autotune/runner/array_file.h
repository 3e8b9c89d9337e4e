// Files that hold the values of an input.
//
// .npy   NumPy's format, versions 1 to 3. The last axis of the array is the first dimension of the input, as in
//        halide.Buffer(array): an array of 1080 rows and 1920 columns is an input of 1920 x 1080. The type must be the
//        input's.
// .png   8 or 16 bits a channel, grey or colours: x, y, and c if there is more than one channel.
// .pgm, .ppm   binary (P5, P6), 8 or 16 bits.
// Pictures become the input's type: of whole numbers the largest is white, of floats 1 is.
#pragma once

#include <HalideRuntime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cryolite {

struct FileArray {
    halide_type_t type;
    std::vector<int64_t> extents;  // [dimension]
    std::vector<int64_t> strides;  // [dimension], in elements
    std::vector<std::byte> values;
};

// A file's values as elements of `type`. Errors name the file.
Result<FileArray> read_array_file(const std::string &path, halide_type_t type);
// The same for a program that may lack libpng: null: a .png is an error.
using ReadPicture = Result<FileArray> (*)(const std::string &path);
Result<FileArray> read_array_file(const std::string &path, halide_type_t type, ReadPicture png);

// The contents of inputs, by their names.
using InputFiles = std::map<std::string, FileArray>;

// Those of one format. Errors: what is wrong with the file, without its name.
Result<FileArray> read_npy(const std::string &path);
Result<FileArray> read_png(const std::string &path);
Result<FileArray> read_pnm(const std::string &path);

}  // namespace cryolite

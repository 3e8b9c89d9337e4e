// The container of weights files: https://github.com/huggingface/safetensors (format).
//     8 bytes: the length n of the header, little endian
//     n bytes: JSON: {"__metadata__": {KEY: TEXT, ...},
//                     NAME: {"dtype": "F32", "shape": [...], "data_offsets": [a, b]}, ...}
//     the tensors' bytes, without gaps, in the order of their offsets
// Here all tensors hold floats of 32 bits, little endian.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cryolite {

struct Tensor {
    std::vector<int64_t> shape;
    std::vector<float> values;  // row by row

    bool operator==(const Tensor &) const = default;
};

struct Safetensors {
    std::map<std::string, std::string> metadata;
    std::map<std::string, Tensor> tensors;

    bool operator==(const Safetensors &) const = default;
};

std::string safetensors_bytes(const Safetensors &file);

// The bytes may be anything. Errors begin with a verb: "is shorter than its header says". No byte outside of the text
// is read, and no more memory is taken than a small multiple of the file.
Result<Safetensors> parse_safetensors(std::string_view bytes);

}  // namespace cryolite

#include "code/stage/vector_geometry.h"

#include <cmath>

namespace cryolite {

int bits_of(TypeClass t) {
    switch (t) {
        case TypeClass::Int8: return 8;
        case TypeClass::Int16:
        case TypeClass::Float16: return 16;
        case TypeClass::Int64:
        case TypeClass::Float64: return 64;
        case TypeClass::Bool: return 8;
        default: return 32;
    }
}

double vectors(const Machine &machine, int bits, int lanes) {
    return std::ceil(lanes * bits / 8.0 / machine.vector_bytes);
}

bool has_masks(const Machine &machine, int bits) {
    return machine.vector_bytes >= 64 || (machine.vector_bytes >= 32 && bits >= 32);
}

}  // namespace cryolite

#include "machine/tensor_types.h"

namespace cryolite::tensorcore {

namespace {

bool is_byte(Element element) { return element == Element::I8 || element == Element::U8; }

}  // namespace

int bytes_of(Element element) {
    if (is_byte(element)) return 1;
    return element == Element::TF32 ? 4 : 2;
}

const char *name_of(Element element) {
    switch (element) {
        case Element::F16: return "f16";
        case Element::BF16: return "bf16";
        case Element::I8: return "i8";
        case Element::U8: return "u8";
        case Element::TF32: return "tf32";
    }
    return "";
}

const char *name_of(Sum sum) {
    switch (sum) {
        case Sum::F32: return "f32";
        case Sum::F16: return "f16";
        case Sum::I32: return "i32";
    }
    return "";
}

Precision precision_of(const ProductTypes &types) {
    return types.rows == Element::TF32 ? Precision::Tf32 : Precision::Exact;
}

bool is_multiplied(const ProductTypes &types) {
    switch (types.sum) {
        case Sum::F32: return types.rows == types.columns && !is_byte(types.rows);
        case Sum::F16: return types.rows == Element::F16 && types.columns == Element::F16;
        case Sum::I32: return is_byte(types.rows) && is_byte(types.columns);
    }
    return false;
}

int least_capability(const ProductTypes &types) {
    return types.rows == Element::BF16 || types.rows == Element::TF32 ? 80 : 75;
}

}  // namespace cryolite::tensorcore

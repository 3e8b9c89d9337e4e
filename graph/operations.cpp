#include "graph/operations.h"

#include <cassert>

namespace cryolite {

TypeClass type_class(ScalarType type) {
    switch (type.kind) {
        case ScalarType::Kind::Float:
            return type.bits <= 16   ? TypeClass::Float16
                   : type.bits <= 32 ? TypeClass::Float32
                                     : TypeClass::Float64;
        case ScalarType::Kind::BFloat: return TypeClass::Float16;
        case ScalarType::Kind::Handle: return TypeClass::Int64;
        case ScalarType::Kind::Int:
        case ScalarType::Kind::UInt: break;
    }
    if (type.bits == 1) return TypeClass::Bool;
    return type.bits <= 8    ? TypeClass::Int8
           : type.bits <= 16 ? TypeClass::Int16
           : type.bits <= 32 ? TypeClass::Int32
                             : TypeClass::Int64;
}

const char *name(OpKind kind) {
    switch (kind) {
        case OpKind::Add: return "add";
        case OpKind::Multiply: return "multiply";
        case OpKind::Divide: return "divide";
        case OpKind::Modulo: return "modulo";
        case OpKind::MinMax: return "min_max";
        case OpKind::Compare: return "compare";
        case OpKind::Select: return "select";
        case OpKind::Bitwise: return "bitwise";
        case OpKind::Cast: return "cast";
        case OpKind::SquareRoot: return "square_root";
        case OpKind::Transcendental: return "transcendental";
        case OpKind::ExternCall: return "extern_call";
        case OpKind::Count: break;
    }
    assert(false);
    return "";
}

const char *name(TypeClass type) {
    switch (type) {
        case TypeClass::Int8: return "int8";
        case TypeClass::Int16: return "int16";
        case TypeClass::Int32: return "int32";
        case TypeClass::Int64: return "int64";
        case TypeClass::Float16: return "float16";
        case TypeClass::Float32: return "float32";
        case TypeClass::Float64: return "float64";
        case TypeClass::Bool: return "bool";
        case TypeClass::Count: break;
    }
    assert(false);
    return "";
}

double OpHistogram::total() const {
    double sum = 0;
    for (const auto &row : count) {
        for (double c : row) sum += c;
    }
    return sum;
}

void OpHistogram::add_scaled(const OpHistogram &other, double factor) {
    for (size_t k = 0; k < count.size(); k++) {
        for (size_t t = 0; t < count[k].size(); t++) count[k][t] += factor * other.count[k][t];
    }
}

OperationGroup undivided(const OpHistogram &ops, size_t num_loops) {
    OperationGroup group;
    group.depends_on.assign(num_loops, true);
    group.loaded = true;
    for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++)
        for (size_t t = 0; t < static_cast<size_t>(TypeClass::Count); t++)
            if (const double n = ops.count[k][t]; n > 0)
                group.operations.push_back({static_cast<OpKind>(k), static_cast<TypeClass>(t), n});
    return group;
}

}  // namespace cryolite

#include "graph/operations.h"

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

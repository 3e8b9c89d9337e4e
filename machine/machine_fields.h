// The table of a Machine's fields, and of a Gpu's: one line a field, from which come the keys of a
// machine file, what `cryolite machine show` prints, the errors and docs/machine.md. A field that is
// added to the struct and not to its table does not compile.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/gpu.h"
#include "machine/machine.h"

namespace cryolite {

struct FieldText {
    std::string_view name, unit, doc;
    // How `cryolite machine calibrate` measures it; empty: it does not, and the preset's stays.
    std::string_view measured;
    bool may_be_zero = false;  // nothing may be negative, infinite or NaN
};

template <typename Owner>
struct Field {
    FieldText text;
    std::variant<int Owner::*, int64_t Owner::*, double Owner::*> member;
};

std::span<const Field<Machine>> machine_fields();
std::span<const Field<CacheLevel>> cache_fields();
std::span<const Field<ArithmeticCosts>> arithmetic_fields();
std::span<const Field<CoreCosts>> core_fields();
std::span<const Field<Gpu>> gpu_fields();

// One number of a described computer. Points into it.
struct FieldValue {
    std::string key;  // "hertz", "vector.float_add", "caches[0].size_bytes"
    const FieldText *text;
    std::variant<int *, int64_t *, double *> number;

    double as_double() const;
    std::string digits() const;  // read back, the same number to the bit
    // Why the number cannot be right, as the end of a sentence that begins with the key; or "".
    std::string complaint() const;
};

// Every number, in the order in which a file holds them: the plain fields, vector, scalar, core, caches.
std::vector<FieldValue> values_of(Machine &machine);
std::vector<FieldValue> values_of(GpuSpeeds &speeds);
std::vector<FieldValue> values_of(Gpu &gpu);

// Why nothing should be scheduled for this Machine, as a sentence that names a key; or "".
std::string what_is_wrong(const Machine &machine);

// The tables as one of Markdown, for docs/machine.md; scalar. has the same keys as vector.
std::string machine_fields_markdown();

}  // namespace cryolite

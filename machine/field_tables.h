// What the tables of machine_fields.cpp and gpu_fields.cpp are made and read with. For these two files alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/machine_fields.h"

namespace cryolite {

// How many members an aggregate has: the most initialisers that it takes.
struct Anything {
    template <typename T>
    operator T() const;
};
template <typename Aggregate, typename... Initialisers>
consteval size_t member_count() {
    if constexpr (requires { Aggregate{Initialisers{}..., Anything{}}; })
        return member_count<Aggregate, Initialisers..., Anything>();
    else
        return sizeof...(Initialisers);
}

inline constexpr std::string_view bytes = "bytes", cycles = "cycles", lines = "lines",
                                  seconds = "s", rate = "bytes/cycle";

// Adds the fields of one owner, under keys that begin with the prefix.
template <typename Owner>
void append(std::vector<FieldValue> &values, const std::string &prefix,
            std::span<const Field<Owner>> fields, Owner &owner) {
    for (const Field<Owner> &f : fields)
        values.push_back(
            {prefix + std::string(f.text.name), &f.text,
             std::visit(
                 [&](auto member) -> decltype(FieldValue::number) { return &(owner.*member); },
                 f.member)});
}

}  // namespace cryolite

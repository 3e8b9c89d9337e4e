// Which sides of what a kernel's Funcs are stored in are constants in the compiled code: the strides of the
// dimensions around such a side are known, and so is whether two addresses are one.
#pragma once

#include <map>

#include "code/kernel/kernel_code.h"

namespace cryolite {

class ConstantSides {
public:
    ConstantSides() = default;  // of no kernel
    // code must outlive it.
    explicit ConstantSides(const KernelCode &code) : code_(&code) {}

    // Of what the Func is stored in, in dimension d. Funcs of other kernels and at root have no such side.
    // A side is constant where it has a bound (storage_bounds.h), or where all that is needed of it, through
    // inlined Funcs and through others whose sides are constants, is a constant part of the iteration of
    // the loop that it is stored in: no clamp, no size of the image and no guarded last part has a say.
    bool is_constant(FuncId f, size_t d) const;

private:
    bool compute(const FuncNest &placed, size_t d) const;
    bool needs_a_constant_part(const StageCode &reader, const LoadGroup &load, LoopName site,
                               size_t d) const;
    bool walks_a_constant_part(const StageCode &reader, size_t l, LoopName site) const;
    bool is_walked_in_whole_parts(const StageCode &reader, size_t l) const;
    bool is_of_constant_extent(const StageCode &reader, size_t l) const;

    const KernelCode *code_ = nullptr;
    mutable std::map<std::pair<FuncId, size_t>, bool> known_;  // asked for before
};

}  // namespace cryolite

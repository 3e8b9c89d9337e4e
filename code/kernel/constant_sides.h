// Which sides of the storage of a kernel's Funcs are constants in the compiled code. The compiler knows the strides of
// the dimensions around such a side. It can then tell whether two addresses are equal.
#pragma once

#include <map>
#include <tuple>

#include "code/kernel/kernel_code.h"

namespace cryolite {

class ConstantSides {
public:
    // code must outlive it.
    explicit ConstantSides(const KernelCode &code) : code_(&code) {}

    // Whether the storage of the Func has a constant side in dimension d. At root it has one if the region of the Func
    // is the same at all sizes (constant_regions.h). Inside of loops a side is constant if it has a bound
    // (storage_bounds.h). It is also constant if one iteration of the loop at store_at always needs a part of constant
    // length, over all readers. Readers read directly, through inlined Funcs, or through Funcs whose own sides are
    // constants. No clamp, no size of the image and no guarded last part may influence that length.
    bool is_constant(FuncId f, size_t d) const;

    // Whether the stride of dimension d is a constant: the sides of all dimensions that lie inside it are. Those of an
    // input or output are if the user has said so (Func::strides).
    bool has_constant_stride(FuncId f, size_t d) const;

    // Whether all productions of a Func inside another's loop are guarded in dimension d, since the last one ends where
    // the image does. Halide cuts the last iteration of such a loop off, and the others need no guard. It does not
    // where two loops together decide which iteration is the last. The storage may have a constant side all the same.
    bool ends_at_any_size(FuncId f, size_t d) const;

private:
    // Whether one iteration of the site, which is around the Func's loops, needs a part of constant length of it.
    bool is_constant_part(FuncId f, size_t d, LoopName site) const;
    bool needs_constant_parts_at(FuncId f, size_t d, LoopName site) const;  // remembered
    bool needs_constant_parts(FuncId f, size_t d, LoopName site) const;     // over all its readers
    bool needs_a_constant_part(const StageCode &reader, const LoadGroup &load, LoopName site,
                               size_t d) const;
    bool begins_at_multiples(const StageCode &reader, size_t l, LoopName site, int64_t of) const;
    bool walks_a_constant_part(const StageCode &reader, size_t l, LoopName site) const;
    bool is_walked_in_whole_parts(const StageCode &reader, size_t l) const;
    bool is_of_constant_extent(const StageCode &reader, size_t l) const;

    const KernelCode *code_;
    // Answers so far: of is_constant(), and of is_constant_part() where the Func is stored deeper inside.
    mutable std::map<std::pair<FuncId, size_t>, bool> known_;
    mutable std::map<std::tuple<FuncId, size_t, LoopName>, bool> parts_;
};

}  // namespace cryolite

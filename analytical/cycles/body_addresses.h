// The addresses that one body computes, keeps and loads anew.
#pragma once

#include <span>

#include "code/kernel/kernel_storage.h"
#include "code/kernel/known_addresses.h"
#include "code/kernel/stage_code.h"
#include "machine/machine.h"

namespace cryolite {

struct BodyAddresses {
    // On indices, for the addresses of uneven rows (code/kernel/uneven_rows.h).
    OpHistogram operations;
    // Of those, addresses that are computed before a loop around the body, and how many of them one body uses.
    double ahead = 0, used_ahead = 0;
    // Addresses that one body loads. Those that do not fit in the registers live on the stack. Loads of one address
    // follow each other in the order of the expression, and not of the addresses. So each loads it anew.
    double loaded = 0;

    // Those computed ahead that find no register are stored at each of three steps: the product, its extension to 64
    // bits, and the address. The next two steps load them. (`loaded` counts the loads of the address itself.)
    double spill_cycles(const Machine &machine) const;
};

// per_body: how often the body does each of ExpandedStage::loads. loads: about how many instructions those are.
BodyAddresses body_addresses(const LoopNest &schedule, const Machine &machine,
                             const StageCode &code, std::span<const double> per_body, double loads,
                             const KnownAddresses &known, const KernelStorage &storage);

}  // namespace cryolite

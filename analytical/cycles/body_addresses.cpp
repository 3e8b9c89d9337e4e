#include "analytical/cycles/body_addresses.h"

#include <algorithm>

#include "analytical/cycles/body_operations.h"
#include "code/kernel/uneven_rows.h"

namespace cryolite {
namespace {

// What a body computes for one load from uneven rows that uses `used` addresses.
void add_computed(const UnevenRows &rows, double used, BodyAddresses &out) {
    constexpr TypeClass index = TypeClass::Int32;
    const double computed = used / rows.runs;
    out.operations.at(OpKind::Multiply, index) += computed;
    // The index of the row; ahead also the sign extension and the sum with the Func's address.
    out.operations.at(OpKind::Add, index) += rows.ahead ? 3 * computed : computed;
    if (!rows.ahead) return;
    out.ahead += computed;
    out.used_ahead += used;
}

double share_without_register(const Machine &machine, double addresses) {
    return std::max(0.0, 1 - machine.address_registers / std::max(1.0, addresses));
}

}  // namespace

double BodyAddresses::spill_cycles(const Machine &machine) const {
    return ahead * share_without_register(machine, used_ahead) *
           (3 * machine.scalar.store + 2 * machine.scalar.load);
}

BodyAddresses body_addresses(const LoopNest &schedule, const Machine &machine,
                             const StageCode &code, std::span<const double> per_body, double loads,
                             const KnownAddresses &known, const KernelStorage &storage) {
    BodyAddresses out;
    double kept = 0, uses = 0;
    for (size_t i = 0; i < per_body.size(); i++) {
        const LoadGroup &load = code.body->loads[i];
        if (load.is_self || storage.in_registers.contains(load.producer)) continue;
        const double addresses = addresses_of_load(schedule, code, load, storage.sides);
        const UnevenRows rows = uneven_rows(schedule, code, load, storage.sides);
        if (rows.runs > 0) add_computed(rows, std::min(per_body[i], addresses), out);
        if (rows.runs > 0 && !rows.ahead) continue;  // computed beside the load, and not kept
        const double share = share_of_runs(load, true, code.inner, loads, known);
        kept += share * std::min(per_body[i], addresses);
        if (addresses > 0) uses += share * per_body[i];
    }
    out.loaded = uses * share_without_register(machine, kept);
    return out;
}

}  // namespace cryolite

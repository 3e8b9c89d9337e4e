#include "analytical/stage_cycles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "analytical/access_cycles.h"
#include "analytical/address_translation.h"
#include "analytical/body_operations.h"
#include "analytical/dot_products.h"
#include "analytical/fetched_code.h"
#include "analytical/joined_accesses.h"
#include "analytical/loop_cycles.h"
#include "analytical/operand_registers.h"
#include "analytical/shared_lines.h"
#include "analytical/store_forwarding.h"
#include "code/kernel/known_addresses.h"
#include "code/kernel/uneven_rows.h"
#include "code/stage/split_tails.h"
#include "code/stage/unrolled_code.h"

namespace cryolite {
namespace {

bool is_float(TypeClass type) {
    return type == TypeClass::Float16 || type == TypeClass::Float32 || type == TypeClass::Float64;
}

// The two kinds of float operations that have units of their own (CoreCosts::float_units_apart).
bool runs_as_sum(OpKind kind) {
    return kind == OpKind::Add || kind == OpKind::MinMax || kind == OpKind::Compare ||
           kind == OpKind::Cast;
}
bool runs_as_product(OpKind kind) { return kind == OpKind::Multiply || kind == OpKind::Select; }

double cycles_of(const ArithmeticCosts &c, OpKind kind, TypeClass type) {
    switch (kind) {
        case OpKind::Add: return is_float(type) ? c.float_add : c.integer_simple;
        case OpKind::Multiply:
            if (is_float(type)) return c.float_multiply;
            return type == TypeClass::Int8    ? c.integer_multiply_8
                   : type == TypeClass::Int16 ? c.integer_multiply_16
                   : type == TypeClass::Int64 ? c.integer_multiply_64
                                              : c.integer_multiply_32;
        case OpKind::Divide:
        case OpKind::Modulo: return is_float(type) ? c.float_divide : c.integer_divide;
        case OpKind::MinMax:
        case OpKind::Compare:
        case OpKind::Select:
        case OpKind::Bitwise: return is_float(type) ? c.float_add : c.integer_simple;
        case OpKind::Cast: return c.cast;
        case OpKind::SquareRoot: return c.float_square_root;
        case OpKind::Transcendental: return c.transcendental;
        case OpKind::BitCount: return c.bit_count;
        case OpKind::DivideByValue:  // of each element: arithmetic_cycles()
        case OpKind::ExternCall:
        case OpKind::Count: return 0;
    }
    return 0;
}

struct BodyCycles {
    double arithmetic = 0, latency = 0;
    double loads = 0, stores = 0, spills = 0;
    void add_to(StageCycles &sum, double times) const {
        sum.arithmetic += times * arithmetic;
        sum.dependence += times * latency;
        sum.loads += times * loads;
        sum.stores += times * stores;
        sum.spills += times * spills;
    }
};

// Per unrolled loop: whether neighbouring copies load anew the values that both need.
UnrolledFlags loads_apart(const LoopNest &schedule, const StageCode &code, const LoadGroup &load,
                          const ConstantSides &sides) {
    UnrolledFlags apart;
    for (const UnrolledLoop &u : code.inner.unrolled)
        apart.push_back(load.count > 1 && load.depends_on[u.dim] &&
                        !neighbours_meet(schedule, code, load, u.dim, sides));
    return apart;
}

// How often one body does the load. Copies under conditions of their own share no loads, except sums that they pass on
// in registers.
double loads_per_body(const Stage &stage, const LoadGroup &load, const InnerLoops &in,
                      const UnrolledFlags &apart, const KnownAddresses &known) {
    double loads = repeats_per_body(load, in, apart) * kept_of_copies(stage, load, in);
    for (const UnrolledLoop &u : in.unrolled) {
        const StageLoop &loop = stage.loops[u.dim];
        const bool passed_on = loop.is_reduction && load.is_self && known.sums_in_registers;
        if (loop.in_predicate && !load.depends_on[u.dim] && !passed_on) loads *= u.factor;
    }
    return loads;
}

// About how many load instructions one body has. per_body: how often it does each of ExpandedStage::loads.
double loads_of_body(const Machine &machine, const StageGraph &graph, const ExpandedStage &body,
                     std::span<const double> per_body, int vector_dim, int lanes,
                     double per_gathered_element) {
    double loads = 0;
    for (size_t i = 0; i < body.loads.size(); i++) {
        const LoadGroup &load = body.loads[i];
        const Func &producer = graph.func(load.producer);
        const int bits = producer.values.empty() ? 32 : producer.values[0].bits;
        const bool is_vector = lanes > 1 && load.depends_on[static_cast<size_t>(vector_dim)];
        const bool scattered = is_vector && load.scattered[static_cast<size_t>(vector_dim)];
        const double each = !is_vector  ? 1
                            : scattered ? lanes * per_gathered_element
                                        : vectors(machine, bits, lanes);
        loads += each * per_body[i];
    }
    return loads;
}

// Cycles that one copy of the body waits for its own results. The copies behind it fill part of the wait: as many
// copies overlap as the core looks ahead. The last copy of a run must look past other stages.
double waiting_cycles(const Machine &machine, const ExpandedStage &body, int lanes,
                      const OtherStages &between) {
    const double instructions = instructions_of_copy(machine, body, lanes);
    const auto share = [&](double ahead) {
        return std::min(1.0, ahead / machine.core.instructions_ahead);
    };
    const double last = std::min(1.0, 1 / between.copies_of_run);
    return body.longest_chain *
           ((1 - last) * share(instructions) + last * share(instructions + between.instructions));
}

// The share of the body's runs that the predicate lets pass. With masked lanes, a vector runs if any of its lanes may
// pass. Halide skips the vectors that lie outside the bounds of a plain predicate, and no others.
double share_of_bodies(const Stage &stage, const Func &func, const InnerLoops &in, int lanes,
                       bool masked_lanes) {
    if (!masked_lanes) return stage.passing_share;
    if (!stage.predicate_is_plain) return 1;
    const auto d = static_cast<size_t>(stage.loops[static_cast<size_t>(in.vector_dim)].func_dim);
    const double extent = static_cast<double>(std::max<int64_t>(1, func.root_region[d].extent()));
    // On the border, half of the lanes are outside on average.
    return std::min(1.0, stage.passing_share + lanes / (2 * extent));
}

// The share of the body's runs in which the load is done: the predicate's own loads are done in all.
double load_passing(const LoadGroup &load, double passing) {
    const double own = load.count > 0 ? std::min(1.0, load.of_predicate / load.count) : 0;
    return own + (1 - own) * passing;
}

// What one body computes of the addresses of uneven rows (code/kernel/uneven_rows.h).
struct ComputedAddresses {
    OpHistogram operations;
    double addresses = 0;               // computed ahead
    double needed = 0;                  // of these, by one body
    SmallVector<bool, 16> beside_load;  // of each load: its addresses are, so that none is kept

    // Those that find no register are stored at each of three steps: the product, its extension to 64 bits, and the
    // address. The next two steps load them. (loaded_addresses() counts the loads of the address itself.)
    double spill_cycles(const Machine &machine) const {
        const double spilled =
            addresses * std::max(0.0, 1 - machine.address_registers / std::max(1.0, needed));
        return spilled * (3 * machine.scalar.store + 2 * machine.scalar.load);
    }
};

ComputedAddresses computed_addresses(const LoopNest &schedule, const StageCode &code,
                                     std::span<const double> per_body,
                                     const KernelStorage &storage) {
    ComputedAddresses out;
    constexpr TypeClass index = TypeClass::Int32;
    for (size_t i = 0; i < per_body.size(); i++) {
        out.beside_load.push_back(false);
        const LoadGroup &load = code.body->loads[i];
        if (load.is_self || storage.in_registers.contains(load.producer)) continue;
        const UnevenRows rows = uneven_rows(schedule, code, load, storage.sides);
        if (rows.runs == 0) continue;
        const double needed =
            std::min(per_body[i], addresses_of_load(schedule, code, load, storage.sides));
        const double computed = needed / rows.runs;
        out.operations.at(OpKind::Multiply, index) += computed;
        // The index of the row; ahead also the sign extension and the sum with the Func's address.
        out.operations.at(OpKind::Add, index) += rows.ahead ? 3 * computed : computed;
        out.beside_load[i] = !rows.ahead;
        if (!rows.ahead) continue;
        out.addresses += computed;
        out.needed += needed;
    }
    return out;
}

// How often a body loads the address of a load. Addresses that do not fit in the registers live on the stack. Loads of
// one address follow each other in the order of the expression, and not of the addresses. So each loads it anew.
double loaded_addresses(const Machine &machine, const LoopNest &schedule, const StageCode &code,
                        std::span<const double> per_body, double loads, const KnownAddresses &known,
                        const ComputedAddresses &computed, const KernelStorage &storage) {
    double addresses = 0, uses = 0;
    for (size_t i = 0; i < per_body.size(); i++) {
        const LoadGroup &load = code.body->loads[i];
        if (load.is_self || computed.beside_load[i] || storage.in_registers.contains(load.producer))
            continue;
        const double share = share_of_runs(load, true, code.inner, loads, known);
        const double here = addresses_of_load(schedule, code, load, storage.sides);
        addresses += share * std::min(per_body[i], here);
        if (here > 0) uses += share * per_body[i];
    }
    return uses * std::max(0.0, 1 - machine.address_registers / std::max(1.0, addresses));
}

// Cycles of one body: all unrolled copies of one vector. apart: as for body_arithmetic().
BodyCycles body_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                       int lanes, const std::vector<UnrolledFlags> &apart, const BorderLoop &border,
                       const KnownAddresses &known, const KernelStorage &storage,
                       const OtherStages &between) {
    const StageNest &nest = *code.nest;
    const ExpandedStage &body = *code.body;
    const InnerLoops &in = code.inner;
    const Stage &stage = schedule.graph().stage(nest.stage);
    const Func &func = schedule.graph().func(stage.func);
    BodyCycles c;
    const int vector_dim = lanes == 1 ? -1 : in.vector_dim;
    const bool masked_lanes = lanes > 1 && known.masked_lanes;
    SmallVector<double, 16> per_body;     // how often it does each load
    SmallVector<double, 16> under_masks;  // and the elements that masks take apart
    double all_under_masks = 0;
    for (size_t i = 0; i < body.loads.size(); i++) {
        per_body.push_back(loads_per_body(stage, body.loads[i], in, apart[i], known));
        under_masks.push_back(masked_lanes ? elements_under_masks(machine, schedule, body,
                                                                  body.loads[i], vector_dim, lanes)
                                           : 0);
        all_under_masks += per_body[i] * under_masks[i];
    }
    const double loads =
        loads_of_body(machine, schedule.graph(), body, per_body, vector_dim, lanes, 1);
    // Only the runs, or the copies, that the predicate lets pass are done.
    const double passing = share_of_bodies(stage, func, in, lanes, masked_lanes);
    // The copies of a dot product run as one.
    const bool is_joined = in.joined > 1 && lanes > 1;
    const bool is_dot = is_joined && !joins_points(stage, in) && stage.dot;
    const double copies_run = passing * in.unroll_product / (is_dot ? in.joined : 1);
    // Joined points fill vectors together.
    const int filled = is_joined && !is_dot ? in.joined : 1;
    BodyOperations all = body_operations(stage, body, in, lanes, loads, apart, known, false);
    const double dot_cycles = is_dot ? take_dot_products(machine, *stage.dot, in, lanes, all) : 0;
    const BodyOperations tests = body_operations(stage, body, in, lanes, loads, apart, known, true);
    const ComputedAddresses addresses = computed_addresses(schedule, code, per_body, storage);
    const double instructions = all.instructions(machine, lanes) +
                                tests.instructions(machine, lanes) +
                                instructions_of(machine, addresses.operations, 1) +
                                loads_of_body(machine, schedule.graph(), body, per_body, vector_dim,
                                              lanes, instructions_per_gathered_element) +
                                all_under_masks * instructions_per_masked_element;
    // The units that multiply indices run beside those of vectors.
    c.arithmetic = std::max(
        {passing * (all.cycles(machine, lanes, filled) + dot_cycles) + tests.cycles(machine, lanes),
         passing * arithmetic_cycles(machine, addresses.operations, 1),
         fetch_cycles(machine, instructions)});
    // A shorter wait hides behind the arithmetic.
    if (copies_run * body.longest_chain > c.arithmetic)
        c.latency = copies_run * waiting_cycles(machine, body, lanes, between) *
                    kept_of_code(stage, body, in);
    double accumulators = 1;
    for (const UnrolledLoop &u : in.unrolled)
        if (!stage.loops[u.dim].is_reduction) accumulators *= u.factor;
    const int value_bits = func.values.empty() ? 32 : func.values[0].bits;
    double registers = 0;  // of the sums, each with all elements of its tuple
    for (const ScalarType &value : func.values)
        registers += accumulators / filled * vectors(machine, value.bits, lanes * filled);
    double runs_between_stores = 0;  // of a sum that a register holds; 0: none does
    const bool picks = lanes > 1 && picks_from_two(machine);
    // Copies that pass sums on in registers load and store them once, whichever of the copies run.
    const bool passes_on =
        known.steps_in_place > 1 && std::ranges::any_of(in.unrolled, [&](const UnrolledLoop &u) {
            return stage.loops[u.dim].in_predicate;
        });
    for (size_t i = 0; i < body.loads.size(); i++) {
        const LoadGroup &load = body.loads[i];
        double cycles =
            storage.in_registers.contains(load.producer) ? 0
            : is_joined && load.depends_on[static_cast<size_t>(in.joined_dim)]
                ? joined_load_cycles(machine, schedule, stage, load, in, lanes, storage.sides)
                : load_cycles(machine, schedule, stage.id, load, vector_dim, lanes, border,
                              in.lane_step, picks ? loads_together(schedule, load, in) : 1);
        const std::vector<ScalarType> &values = schedule.graph().func(load.producer).values;
        const int bits = values.empty() ? 32 : values[0].bits;
        // Each lane of what all joined points share is repeated.
        if (filled > 1 && load.depends_on[static_cast<size_t>(in.vector_dim)] &&
            !load.depends_on[static_cast<size_t>(in.joined_dim)])
            cycles += vectors(machine, bits, lanes * filled) * machine.vector.shuffle;
        if (lanes > 1 && is_packed(schedule, nest, load))
            cycles /= accesses_per_vector(machine, bits, lanes);
        cycles += load_mask_cycles(machine, under_masks[i]);
        if (load.is_self && stage.index > 0) {
            const double runs = runs_in_registers(stage, load, in);
            const bool reduces = runs > 1;
            if (reduces && known.sums_in_registers &&
                registers <= machine.core.usable_register_share * machine.vector_registers) {
                runs_between_stores = runs;
                cycles /= runs;
                // Sums that find no register beside the operands stay in memory between two steps.
                const double spilled = is_joined
                                           ? 0
                                           : registers - machine.vector_registers +
                                                 operand_registers(machine, body, in, value_bits);
                c.spills = std::max(0.0, spilled) * machine.core.spill_cycles;
                c.latency =
                    std::max(c.latency, machine.core.accumulate_latency_cycles *
                                                (copies_run / std::max(1.0, accumulators)) +
                                            (spilled > 0 ? machine.core.store_forward_cycles : 0));
            } else if (reduces) {
                const double forward = masked_lanes ? machine.core.masked_store_forward_cycles
                                                    : machine.core.store_forward_cycles;
                c.latency = std::max(c.latency,
                                     passing * (forward + machine.core.accumulate_latency_cycles));
            } else if (masked_lanes) {
                // The next vector to be loaded often shares a line with the masked lanes, and waits as well.
                c.latency = std::max(c.latency, passing * machine.core.masked_store_forward_cycles);
            } else if (load.gather) {
                c.latency = std::max(c.latency, passing * machine.core.same_place_share *
                                                    machine.core.store_forward_cycles * lanes);
            }
            // The copies of a reduction that is unrolled whole add to one sum, in their order: LLVM reorders
            // additions of integers alone. The next body begins as far as the core looks ahead.
            if (!reduces && known.steps_in_place > 1 && is_float(type_class(func.values[0])))
                c.latency = std::max(
                    c.latency, passing * machine.core.accumulate_latency_cycles *
                                   known.steps_in_place *
                                   std::min(1.0, instructions / machine.core.instructions_ahead));
            if (runs_between_stores == 0 && !passes_on) cycles *= passing;
        } else {
            const double share = share_of_runs(load, true, in, loads, known);
            const double done = load_passing(load, passing);
            cycles *= done * share;
            if (!storage.in_registers.contains(load.producer))
                c.loads +=
                    done * share * machine.page_lookup_cycles *
                    std::min(per_body[i] * lanes, pages_asked_for(machine, schedule, load, in));
        }
        c.loads += per_body[i] * cycles;
    }
    // The units that load vectors load them, too.
    c.loads +=
        passing * machine.vector.load *
        loaded_addresses(machine, schedule, code, per_body, loads, known, addresses, storage);
    // A body whose sums do not fit in the registers spills them.
    if (registers > machine.vector_registers)
        c.spills = (registers - machine.vector_registers) * machine.core.spill_cycles;
    const bool reduces_in_register = runs_between_stores > 0;
    double store = store_cycles(schedule, machine, stage, in, lanes, known) * accumulators;
    if (masked_lanes)
        store += store_mask_cycles(machine, schedule, stage, vector_dim, lanes) * accumulators;
    const double steps = in.unroll_product / accumulators / known.steps_in_place;
    c.stores = store * (reduces_in_register ? 1 / runs_between_stores
                        : passes_on         ? steps
                                            : passing * steps);
    if (storage.in_registers.contains(func.id)) c.stores = 0;
    // An update that stays in memory writes its lines again and again.
    if (stage.index > 0 && !reduces_in_register)
        c.stores += passing * steps * registers * machine.core.shared_line_cycles *
                    share_on_shared_lines(schedule, nest, machine.line_bytes());
    // Loads and stores have units of their own. In a pure stage they do not overlap, since the store waits for the
    // loads. A sum that stays in memory stores values that were loaded long before, so only a share of the
    // shorter side stays exposed.
    if (stage.index > 0 && !reduces_in_register) {
        const bool loads_hide = c.loads < c.stores + c.spills;
        (loads_hide ? c.loads : c.stores) *= machine.core.exposed_sums_share;
        if (!loads_hide) c.spills *= machine.core.exposed_sums_share;
    }
    c.spills += passing * addresses.spill_cycles(machine);
    if (known.guarded_vectors) c.stores += machine.core.guarded_vector_cycles * in.unroll_product;
    return c;
}

// Of the last vector of a row that ends within it: Halide computes it whole, with masks for its loads and stores.
KnownAddresses masked(KnownAddresses known) {
    known.masked_lanes = true;
    known.sums_in_registers = false;  // LLVM moves no masked access out of a loop
    return known;
}

// Of a part that may end within its unrolled copies: each store of a sum has a condition.
KnownAddresses guarded(KnownAddresses known) {
    known.sums_in_registers = false;
    return known;
}

}  // namespace

double arithmetic_cycles(const Machine &machine, const OpHistogram &ops, int lanes) {
    std::array<double, static_cast<size_t>(TypeClass::Count)> of_type{};
    for (const auto &of_kind : ops.count)
        for (size_t t = 0; t < of_type.size(); t++) of_type[t] += of_kind[t];
    double cycles = 0;
    for (size_t t = 0; t < of_type.size(); t++) {
        if (of_type[t] == 0) continue;  // as most types of a stage
        const TypeClass type = static_cast<TypeClass>(t);
        const double whole = lanes == 1 ? 1 : vectors(machine, bits_of(type), lanes);
        const ArithmeticCosts &c = lanes == 1 ? machine.scalar : machine.vector;
        double sums = 0, products = 0, others = 0;
        for (size_t k = 0; k < static_cast<size_t>(OpKind::Count); k++) {
            const OpKind kind = static_cast<OpKind>(k);
            const double n = ops.at(kind, type);
            if (n == 0) continue;
            if (kind == OpKind::ExternCall)
                cycles += n * lanes * c.extern_call_scalar;
            else if (kind == OpKind::DivideByValue)
                cycles += n * lanes * c.integer_divide_by_value;
            else
                (runs_as_sum(kind)       ? sums
                 : runs_as_product(kind) ? products
                                         : others) += n * cycles_of(c, kind, type);
        }
        // An add after a multiply becomes one fused operation, done by what multiplies.
        if (type == TypeClass::Float32 || type == TypeClass::Float64)
            sums -= std::min(ops.at(OpKind::Add, type), ops.at(OpKind::Multiply, type)) *
                    std::min(c.float_add, c.float_multiply) * machine.core.fused_share;
        const double beside =
            is_float(type) ? machine.core.float_units_apart * std::min(sums, products) : 0;
        cycles += (sums + products + others - beside) * whole;
    }
    return cycles;
}

StageCycles stage_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                         const KernelStorage &storage, const OtherStages &between) {
    const StageGraph &graph = schedule.graph();
    const Stage &stage = *code.stage;
    const StageNest &nest = *code.nest;
    const ExpandedStage &body = *code.body;
    const Func &func = graph.func(stage.func);
    const InnerLoops &in = code.inner;
    const BorderLoop border = border_loop(stage, func, nest);
    const KnownAddresses known = known_addresses(schedule, code, storage.sides);

    double iterations = 1;  // full vectors per row
    double ends = 0;        // 1 if rows end within a vector
    double rows = 1;
    for (size_t d = 0; d < stage.loops.size(); d++) {
        const double extent =
            static_cast<double>(computed_extent(graph, nest, d, code.holds_others));
        if (static_cast<int>(d) != in.vector_dim) {
            rows *= extent;
            continue;
        }
        iterations = std::floor(extent / in.lanes);
        ends = extent > iterations * in.lanes ? 1 : 0;
    }
    std::vector<UnrolledFlags> apart;
    apart.reserve(body.loads.size());
    for (const LoadGroup &load : body.loads)
        apart.push_back(loads_apart(schedule, code, load, storage.sides));
    const BodyCycles vector_body =
        body_cycles(schedule, machine, code, in.lanes, apart, border, known, storage, between);
    const double bodies = rows * iterations / in.unroll_product;
    StageCycles out;
    out.copies = in.code_copies();
    out.code_operations = code_operations(stage, body, in);
    vector_body.add_to(out, bodies * (1 - known.guarded_share));
    if (known.guarded_share > 0)
        body_cycles(schedule, machine, code, in.lanes, apart, border, guarded(known), storage,
                    between)
            .add_to(out, bodies * known.guarded_share);
    const double end_bodies = rows / in.unroll_product * ends;
    if (end_bodies > 0)
        body_cycles(schedule, machine, code, in.lanes, apart, border, masked(known), storage,
                    between)
            .add_to(out, end_bodies);
    if (!storage.in_registers.contains(func.id) && waits_for_stores(schedule, code, end_bodies > 0))
        out.dependence = std::max(out.dependence, machine.core.masked_store_forward_cycles);
    out.loops += loop_cycles(machine, graph, nest, storage.sides);
    // A square that is turned whole, or a Func that stays in registers, has no loops: its code is part of the body
    // around it.
    if ((known.turns_squares || storage.in_registers.contains(func.id)) && in.serial.empty())
        out.loops = 0;
    // Tests run beside the bodies. The ends of iterations do not: after a jump a core begins to fetch anew.
    const ConditionCycles conditions = condition_cycles(machine, graph, nest);
    out.arithmetic = std::max(out.arithmetic, conditions.tests);
    out.loops += conditions.surprises + machine.core_exposed_share * conditions.tests;
    out.loops += end_bodies * machine.loop_iteration_cycles;
    return out;
}

}  // namespace cryolite

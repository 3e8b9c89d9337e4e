#include "analytical/cycles/body_cycles.h"

#include <algorithm>
#include <span>

#include "analytical/cycles/access_cycles.h"
#include "analytical/cycles/arithmetic_cycles.h"
#include "analytical/cycles/body_addresses.h"
#include "analytical/cycles/body_operations.h"
#include "analytical/cycles/dot_products.h"
#include "analytical/cycles/fetched_code.h"
#include "analytical/cycles/joined_accesses.h"
#include "analytical/cycles/loop_cycles.h"
#include "analytical/cycles/operand_registers.h"
#include "analytical/cycles/recurrence_cycles.h"
#include "analytical/cycles/repeated_values.h"
#include "analytical/cycles/scattered_copies.h"
#include "analytical/memory/address_translation.h"
#include "analytical/memory/shared_lines.h"
#include "code/stage/unrolled_code.h"

namespace cryolite {
namespace {

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

class Body {
public:
    Body(const LoopNest &schedule, const Machine &machine, const StageCode &code,
         const std::vector<UnrolledFlags> &apart, const BorderLoop &border,
         const KnownAddresses &known, const KernelStorage &storage, const OtherStages &between)
        : schedule_(schedule),
          machine_(machine),
          code_(code),
          apart_(apart),
          border_(border),
          known_(known),
          storage_(storage),
          between_(between) {
        count_loads();
        count_sums();
    }

    BodyCycles cycles() {
        const BodyAddresses addresses =
            body_addresses(schedule_, machine_, code_, per_body_, loads_, known_, storage_);
        add_arithmetic(addresses.operations);
        for (size_t i = 0; i < body_.loads.size(); i++) add_load(i);
        // The units that load vectors load them, too.
        c_.loads += passing_ * machine_.vector.load * addresses.loaded;
        const RecurrenceCycles recurrence =
            recurrence_cycles(schedule_, machine_, code_, known_, storage_.sides, instructions_);
        wait(passing_ * recurrence.waits);
        add_stores();
        hide_sums_in_memory();
        c_.spills += passing_ * addresses.spill_cycles(machine_);
        c_.surprises = surprise_cycles(machine_, schedule_.graph(), stage_) * surprising_lanes_ +
                       passing_ * recurrence.surprises;
        if (known_.guarded_vectors)
            c_.stores += machine_.core.guarded_vector_cycles * in_.unroll_product;
        return c_;
    }

private:
    bool in_registers(FuncId f) const { return storage_.in_registers.contains(f); }
    bool reduces_in_register() const { return runs_between_stores_ > 0; }

    void count_loads() {
        for (size_t i = 0; i < body_.loads.size(); i++) {
            per_body_.push_back(loads_per_body(stage_, body_.loads[i], in_, apart_[i], known_));
            under_masks_.push_back(masked_lanes_
                                       ? elements_under_masks(machine_, schedule_, body_,
                                                              body_.loads[i], vector_dim_, lanes_)
                                       : 0);
            all_under_masks_ += per_body_[i] * under_masks_[i];
            // The first branch on a lane's mask foretells the others. Where rows end is no surprise.
            if (masked_lanes_ && stage_.loops[static_cast<size_t>(vector_dim_)].in_predicate)
                surprising_lanes_ = std::max(surprising_lanes_, per_body_[i] * under_masks_[i]);
        }
        loads_ =
            loads_of_body(machine_, schedule_.graph(), body_, per_body_, vector_dim_, lanes_, 1);
        if (func_.values.size() == 1) return;
        // Of its sum each element needs but its own.
        SmallVector<double, 16> of_others = per_body_;
        for (size_t i = 0; i < of_others.size(); i++)
            if (body_.loads[i].is_self) of_others[i] = 0;
        repeats_ = repeats_of_values(
            static_cast<double>(func_.values.size()),
            loads_of_body(machine_, schedule_.graph(), body_, of_others, vector_dim_, lanes_, 1));
    }

    void count_sums() {
        for (const UnrolledLoop &u : in_.unrolled)
            if (!stage_.loops[u.dim].is_reduction) accumulators_ *= u.factor;
        for (const ScalarType &value : func_.values)
            registers_ += accumulators_ / filled_ * vectors(machine_, value.bits, lanes_ * filled_);
    }

    // Arithmetic with that on indices, and waits for its results.
    void add_arithmetic(const OpHistogram &indices) {
        BodyOperations all =
            body_operations(stage_, body_, in_, lanes_, loads_, apart_, known_, false);
        const double dot_cycles =
            is_dot_ ? take_dot_products(machine_, *stage_.dot, in_, lanes_, all) : 0;
        const BodyOperations tests =
            body_operations(stage_, body_, in_, lanes_, loads_, apart_, known_, true);
        instructions_ = repeats_ * all.instructions(machine_, lanes_) +
                        tests.instructions(machine_, lanes_) +
                        instructions_of(machine_, indices, 1) +
                        loads_of_body(machine_, schedule_.graph(), body_, per_body_, vector_dim_,
                                      lanes_, instructions_per_gathered_element) +
                        all_under_masks_ * instructions_per_masked_element;
        // The units that multiply indices run beside those of vectors.
        c_.arithmetic =
            std::max({passing_ * repeats_ * (all.cycles(machine_, lanes_, filled_) + dot_cycles) +
                          tests.cycles(machine_, lanes_),
                      passing_ * arithmetic_cycles(machine_, indices, 1),
                      fetch_cycles(machine_, instructions_)});
        // A shorter wait hides behind the arithmetic.
        if (copies_run_ * body_.longest_chain > c_.arithmetic)
            c_.latency = copies_run_ * waiting_cycles(machine_, body_, lanes_, between_) *
                         kept_of_code(stage_, body_, in_);
    }

    // Into how many loads Halide takes one of the group apart, of every n-th lane each. Of 2 * (x / 2), lanes two apart
    // are two elements apart; side by side, each would be loaded by itself. Halide 21 does so where it divides by 2, 3
    // or 4, but not where several stores become one, as of colours that lie side by side.
    int parts_of(const LoadGroup &load) const {
        if (lanes_ == 1 || in_.lane_step > 1 || known_.interleaved > 1) return 1;
        constexpr int most_parts = 4;
        const auto v = static_cast<size_t>(vector_dim_);
        int64_t run = load.repeating.empty() ? 1 : load.repeating[v].run;
        for (const std::vector<int64_t> &runs : load.runs)
            if (runs[v] != 1) run = run == 1 || run == runs[v] ? runs[v] : 0;
        const auto parts = static_cast<int>(run);
        return parts > 1 && parts <= most_parts && lanes_ % parts == 0 && parts < lanes_ ? parts
                                                                                         : 1;
    }

    // Cycles of one load of the group.
    double cycles_of_load(size_t i) const {
        const LoadGroup &load = body_.loads[i];
        const int parts = parts_of(load);
        double cycles =
            in_registers(load.producer) ? 0
            : is_joined_ && load.depends_on[static_cast<size_t>(in_.joined_dim)]
                ? joined_load_cycles(machine_, schedule_, stage_, load, in_, lanes_, storage_.sides)
                : parts * load_cycles(machine_, schedule_, stage_.id, load, vector_dim_,
                                      lanes_ / parts, border_, in_.lane_step * parts,
                                      lanes_ > 1 && picks_from_two(machine_)
                                          ? loads_together(schedule_, load, in_)
                                          : 1);
        const std::vector<ScalarType> &values = schedule_.graph().func(load.producer).values;
        const int bits = values.empty() ? 32 : values[0].bits;
        // Each lane of what all joined points share is repeated.
        if (filled_ > 1 && load.depends_on[static_cast<size_t>(in_.vector_dim)] &&
            !load.depends_on[static_cast<size_t>(in_.joined_dim)])
            cycles += vectors(machine_, bits, lanes_ * filled_) * machine_.vector.shuffle;
        if (lanes_ > 1 && is_packed(schedule_, *code_.nest, load))
            cycles /= accesses_per_vector(machine_, bits, lanes_);
        return cycles + load_mask_cycles(machine_, under_masks_[i]);
    }

    void add_load(size_t i) {
        const LoadGroup &load = body_.loads[i];
        double cycles = cycles_of_load(i);
        if (load.is_self && stage_.index > 0) {
            cycles = cycles_of_sum(load, cycles);
        } else {
            const double done = load_passing(load, passing_);
            const double share = share_of_runs(load, true, in_, loads_, known_);
            cycles *= repeats_ * done * share;
            if (scattered_) cycles *= loads_left(*scattered_, schedule_, stage_, load);
            if (!in_registers(load.producer))
                c_.loads += done * share * machine_.page_lookup_cycles *
                            std::min(per_body_[i] * lanes_,
                                     pages_asked_for(machine_, schedule_, load, in_));
        }
        c_.loads += per_body_[i] * cycles;
    }

    // What is left of the cycles of a load of the stage's own sum, which registers may hold; and the waits for sums.
    double cycles_of_sum(const LoadGroup &load, double cycles) {
        const double runs = runs_in_registers(stage_, load, in_);
        const bool reduces = runs > 1;
        if (reduces && known_.sums_in_registers &&
            registers_ <= machine_.core.usable_register_share * machine_.vector_registers) {
            runs_between_stores_ = runs;
            cycles /= runs;
            hold_sums();
        } else if (reduces) {
            const double forward = masked_lanes_ ? machine_.core.masked_store_forward_cycles
                                                 : machine_.core.store_forward_cycles;
            // In each step that does not pass the sum on.
            wait(passing_ * steps_through_memory() * (forward + cycles_of_step()));
        } else if (masked_lanes_) {
            // The next vector to be loaded often shares a line with the masked lanes, and waits as well.
            wait(passing_ * machine_.core.masked_store_forward_cycles);
        } else if (load.gather) {
            // One lane or step after the other.
            const double steps = scattered_ ? scattered_->copies : lanes_;
            wait(passing_ * machine_.core.same_place_share * machine_.core.store_forward_cycles *
                 steps);
        }
        // The copies of a reduction that is unrolled whole add to one sum, in their order: LLVM reorders
        // additions of integers alone. The next body begins as far as the core looks ahead.
        if (!reduces && !stage_.recurrence && known_.steps_in_place > 1 &&
            is_float(type_class(func_.values[0])))
            wait(passing_ * machine_.core.accumulate_latency_cycles * known_.steps_in_place *
                 std::min(1.0, instructions_ / machine_.core.instructions_ahead));
        return reduces_in_register() || passes_on_ ? cycles : cycles * passing_;
    }

    // From one value of a sum to the next. Steps of more than an addition, as of an iterated map, wait longer.
    double cycles_of_step() const {
        return std::max(machine_.core.accumulate_latency_cycles, stage_.recurrence_chain);
    }

    // Steps of the body that go through memory. The products of a dot product are one step, whoever passes it on.
    double steps_through_memory() const {
        const double in_place = is_dot_ ? in_.joined : 1;
        return in_.unroll_product / accumulators_ / std::max(known_.steps_in_place, in_place);
    }

    void wait(double cycles) { c_.latency = std::max(c_.latency, cycles); }

    // Sums that find no register beside the operands stay in memory between two steps.
    void hold_sums() {
        const int value_bits = func_.values.empty() ? 32 : func_.values[0].bits;
        const double spilled = is_joined_ ? 0
                                          : registers_ - machine_.vector_registers +
                                                operand_registers(machine_, body_, in_, value_bits);
        c_.spills = std::max(0.0, spilled) * machine_.core.spill_cycles;
        wait(cycles_of_step() * (copies_run_ / std::max(1.0, accumulators_)) +
             (spilled > 0 ? machine_.core.store_forward_cycles : 0));
    }

    // Copies of reduction loops that stand around copies of the sums.
    double steps_around_sums() const {
        double steps = 1;
        bool is_around = false;
        for (const UnrolledLoop &u : in_.unrolled) {
            const bool is_step = stage_.loops[u.dim].is_reduction;
            if (is_step && is_around) steps *= u.factor;
            is_around |= !is_step && u.factor > 1;
        }
        return steps;
    }

    void add_stores() {
        // A body whose sums do not fit in the registers spills them, anew in each step that walks through all of them.
        if (registers_ > machine_.vector_registers)
            c_.spills = steps_around_sums() * (registers_ - machine_.vector_registers) *
                        machine_.core.spill_cycles;
        double store =
            store_cycles(schedule_, machine_, stage_, in_, lanes_, known_) * accumulators_;
        if (masked_lanes_)
            store +=
                store_mask_cycles(machine_, schedule_, stage_, vector_dim_, lanes_) * accumulators_;
        const double steps = steps_through_memory();
        c_.stores = store * (reduces_in_register() ? 1 / runs_between_stores_
                             : passes_on_          ? steps
                                                   : passing_ * steps);
        if (in_registers(func_.id)) c_.stores = 0;
        // An update that stays in memory writes its lines again and again.
        if (stage_.index > 0 && !reduces_in_register())
            c_.stores += passing_ * steps * registers_ * machine_.core.shared_line_cycles *
                         share_on_shared_lines(schedule_, *code_.nest, machine_.line_bytes());
    }

    // Loads and stores have units of their own. In a pure stage they do not overlap, since the store waits for the
    // loads. A sum that stays in memory stores values that were loaded long before, so only a share of the shorter side
    // stays exposed.
    void hide_sums_in_memory() {
        if (stage_.index == 0 || reduces_in_register()) return;
        const bool loads_hide = c_.loads < c_.stores + c_.spills;
        (loads_hide ? c_.loads : c_.stores) *= machine_.core.exposed_sums_share;
        if (!loads_hide) c_.spills *= machine_.core.exposed_sums_share;
    }

    const LoopNest &schedule_;
    const Machine &machine_;
    const StageCode &code_;
    const std::vector<UnrolledFlags> &apart_;
    const BorderLoop &border_;
    const KnownAddresses &known_;
    const KernelStorage &storage_;
    const OtherStages &between_;

    const ExpandedStage &body_ = *code_.body;
    const InnerLoops &in_ = code_.inner;
    const Stage &stage_ = *code_.stage;
    const Func &func_ = schedule_.graph().func(stage_.func);
    const int lanes_ = in_.lanes;
    const int vector_dim_ = lanes_ == 1 ? -1 : in_.vector_dim;
    const bool masked_lanes_ = lanes_ > 1 && known_.masked_lanes;
    // The share of its runs, or of its copies, that the predicate lets pass. Only those are done.
    const double passing_ = share_of_bodies(stage_, func_, in_, lanes_, masked_lanes_);
    const std::optional<ScatteredCopies> scattered_ = scattered_copies(stage_, in_, lanes_);
    // The copies of a dot product run as one.
    const bool is_joined_ = in_.joined > 1 && lanes_ > 1;
    const bool is_dot_ = is_joined_ && !joins_points(stage_, in_) && stage_.dot;
    const double copies_run_ = passing_ * in_.unroll_product / (is_dot_ ? in_.joined : 1);
    // Joined points fill vectors together.
    const int filled_ = is_joined_ && !is_dot_ ? in_.joined : 1;
    // Copies that pass sums on in registers load and store them once, whichever of the copies run.
    const bool passes_on_ = known_.steps_in_place > 1 &&
                            std::ranges::any_of(in_.unrolled, [&](const UnrolledLoop &u) {
                                return stage_.loops[u.dim].in_predicate;
                            });

    SmallVector<double, 16> per_body_;     // how often it does each load
    SmallVector<double, 16> under_masks_;  // and the elements of each that masks take apart
    double all_under_masks_ = 0;
    double surprising_lanes_ = 0;  // whose masks are branches
    double loads_ = 0;             // instructions, about
    double repeats_ = 1;           // repeats_of_values()
    double instructions_ = 0;      // in all, but for stores
    double accumulators_ = 1;      // points
    double registers_ = 0;         // of the sums, each with all elements of its tuple

    double runs_between_stores_ = 0;  // of a sum that a register holds; 0: none does
    BodyCycles c_;
};

}  // namespace

BodyCycles body_cycles(const LoopNest &schedule, const Machine &machine, const StageCode &code,
                       const std::vector<UnrolledFlags> &apart, const BorderLoop &border,
                       const KnownAddresses &known, const KernelStorage &storage,
                       const OtherStages &between) {
    return Body(schedule, machine, code, apart, border, known, storage, between).cycles();
}

}  // namespace cryolite

#include "featurize/gpu/stage_mapping.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "code/regions/box_motions.h"
#include "code/stage/split_tails.h"
#include "featurize/gpu/vectors.h"
#include "schedule/func_nest.h"

namespace cryolite {
namespace {

// No resampling has finer fractions. Beyond this a fraction counts as whole elements.
constexpr int64_t most_divisor = 4096;

Rational whole(int64_t v) { return {v, 1}; }
Rational negative(Rational r) { return {-r.numerator, r.denominator}; }
int64_t floor_of(Rational r) {
    const int64_t quotient = r.numerator / r.denominator;
    return quotient - (r.numerator % r.denominator < 0 ? 1 : 0);
}

// A loop around the stage: its own, or of a Func that the stage is computed in.
struct Around {
    const LoopLevel *level;
    bool own;
    int64_t middle() const { return (std::max<int64_t>(1, level->extent) - 1) / 2; }
};

// Loads, or stores, of a producer with equal coefficients.
struct Indices {
    FuncId producer;
    int value = 0;
    bool is_store = false;
    bool gather = false;
    const std::vector<std::vector<Rational>> &coefficient;  // by producer dimension and stage loop
    std::vector<std::vector<Rational>> offsets;             // by load and producer dimension
};

// The place of a Func in memory.
struct Storage {
    GpuMemory memory = GpuMemory::Global;
    Box box;
    std::vector<int64_t> steps;                     // elements between neighbours, by dimension
    std::vector<LoopName> around;                   // loops that the Func is stored in
    std::vector<std::optional<BoxMotion>> motions;  // how these loops move its box
};

class StageMapper {
public:
    StageMapper(const LoopNest &nest, StageExpander &expander, StageId stage,
                std::span<const GpuKernel> kernels)
        : nest_(nest),
          graph_(nest.graph()),
          stage_(graph_.stage(stage)),
          own_(nest.stage_nest(stage)),
          placed_(nest.at(stage_.func)),
          expander_(expander),
          kernels_(kernels) {}

    std::optional<MappedStage> run() {
        collect_loops();
        const auto is_block = [](const Around &a) { return a.level->kind == LoopKind::GpuBlock; };
        const auto first = std::ranges::find_if(around_, is_block);
        if (first == around_.end()) return std::nullopt;
        for (const GpuKernel &k : kernels_)
            if (k.stage == first->level->name.stage) out_.kernel = k;
        first_ = static_cast<size_t>(first - around_.begin());
        add_loops();
        add_accesses();
        if (has_no_guards(first->level->name.stage)) join_neighbours(out_.mapping);
        return std::move(out_);
    }

private:
    // --- loops ---
    void collect_loops() {
        if (placed_.compute_at) {
            for (LoopName name : nest_.enclosing(*placed_.compute_at)) {
                const StageNest &of = nest_.stage_nest(name.stage);
                around_.push_back({&of.loops[static_cast<size_t>(nest_.position(name))], false});
            }
            motions_ = motions_of(stage_.func);
        }
        for (const LoopLevel &l : own_.loops) around_.push_back({&l, true});
    }

    // Whether the copies of unrolled bodies stand under no guards in the kernel of stage `lead`.
    bool has_no_guards(StageId lead) const {
        const StageNest &nest = nest_.stage_nest(lead);
        if (shifts_inwards(graph_, nest)) return true;
        const bool holds = holds_others(nest_, lead);
        for (size_t d = 0; d < graph_.stage(lead).loops.size(); d++)
            if (is_guarded(graph_, nest, d, holds)) return false;
        return true;
    }

    // The innermost thread loop of a stage is x.
    int thread_dim(LoopName loop) const {
        const StageNest &of = nest_.stage_nest(loop.stage);
        int dim = 0;
        for (auto l = of.loops.rbegin(); l != of.loops.rend() && l->name != loop; ++l)
            dim += l->kind == LoopKind::GpuThread;
        return dim;
    }

    void add_loops() {
        GpuMapping &m = out_.mapping;
        for (size_t i = 0; i < first_; i++) {
            out_.launches *= static_cast<double>(around_[i].level->extent);
            m.host_loops.push_back(std::max<int64_t>(1, around_[i].level->extent));
        }
        if (placed_.store_at) m.realisation_depth = nest_.enclosing(*placed_.store_at).size();
        for (size_t i = first_; i < around_.size(); i++) {
            const LoopLevel &level = *around_[i].level;
            GpuLoop loop;
            loop.extent = std::max<int64_t>(1, level.extent);
            switch (level.kind) {
                case LoopKind::GpuBlock: loop.role = GpuLoopRole::Block; break;
                case LoopKind::GpuThread:
                    loop.role = GpuLoopRole::Thread;
                    loop.thread_dim = thread_dim(level.name);
                    break;
                case LoopKind::Unrolled: loop.role = GpuLoopRole::Unrolled; break;
                default: loop.role = GpuLoopRole::Serial; break;
            }
            const bool is_mapped =
                loop.role == GpuLoopRole::Block || loop.role == GpuLoopRole::Thread;
            if (!around_[i].own && !is_mapped) m.productions *= static_cast<double>(loop.extent);
            m.loops.push_back(loop);
        }
        m.block_threads = out_.kernel.threads;
        m.block_shared_bytes = static_cast<double>(out_.kernel.shared_bytes);
        add_thread_bytes(m);
    }

    // The stage whose threads are around `at`, if any.
    std::optional<StageId> threads_around(std::optional<LoopName> at) const {
        for (; at; at = nest_.at(graph_.stage(at->stage).func).compute_at)
            if (has_kind(nest_.stage_nest(at->stage), LoopKind::GpuThread)) return at->stage;
        return std::nullopt;
    }

    // Of all Funcs stored in the threads of this stage.
    void add_thread_bytes(GpuMapping &m) const {
        std::optional<StageId> threads = threads_around(placed_.compute_at);
        if (has_kind(own_, LoopKind::GpuThread)) threads = stage_.id;
        if (!threads) return;
        for (FuncId f : computed_inside(nest_, graph_.stage(*threads).func)) {
            const FuncNest &placed = nest_.at(f);
            if (level_of(nest_, placed.compute_at) != KernelLevel::Thread ||
                threads_around(placed.compute_at) != threads)
                continue;
            const double bytes = points(placed.store_region) * graph_.func(f).bytes_per_point();
            m.thread_bytes += bytes;
            if (!is_rolled(f)) m.register_bytes += bytes;
        }
    }

    // --- accesses ---
    void add_accesses() {
        for (const LoadGroup &load : expander_.expand(nest_, stage_.id).loads) {
            const bool gather = load.gather || !load.wrapped.empty();
            Indices indices{load.producer,          load.value,  false, gather,
                            load.exact_coefficient, load.offsets};
            if (gather) indices.offsets.resize(static_cast<size_t>(std::max(1.0, load.count)));
            add(indices);
        }
        for (size_t value = 0; value < graph_.func(stage_.func).values.size(); value++)
            add_store(value);
        for (GpuAccess &a : out_.mapping.accesses)
            if (a.memory == GpuMemory::Register) a.in_local_memory = is_in_local_memory(a);
    }

    bool is_in_local_memory(const GpuAccess &a) const {
        const std::vector<GpuLoop> &loops = out_.mapping.loops;
        for (size_t l = 0; l < loops.size(); l++)
            if (loops[l].role == GpuLoopRole::Serial && loops[l].extent > 1 && moves(a, l))
                return true;
        return a.gather || is_rolled(FuncId(static_cast<size_t>(a.buffer / buffers_per_func)));
    }

    // Whether one of the Func's own stages walks over it in loops that stay loops.
    bool is_rolled(FuncId f) const {
        return std::ranges::any_of(nest_.at(f).stages, [&](const StageNest &stage) {
            return std::ranges::any_of(stage.loops, [&](const LoopLevel &l) {
                const auto dim = static_cast<size_t>(l.name.dim);
                return l.kind == LoopKind::Serial && l.extent > 1 &&
                       !graph_.stage(stage.stage).loops[dim].is_reduction;
            });
        });
    }

    void add_store(size_t value) {
        const size_t dims = graph_.func(stage_.func).dims.size(), loops = stage_.loops.size();
        std::vector<std::vector<Rational>> coefficient(dims, std::vector<Rational>(loops));
        std::vector<Rational> offset(dims);
        bool scatter = false;
        for (size_t d = 0; d < dims; d++) {
            if (value >= stage_.stores.size()) {
                for (size_t l = 0; l < loops; l++)
                    if (stage_.loops[l].func_dim == static_cast<int>(d))
                        coefficient[d][l] = whole(1);
                continue;
            }
            const IndexMap &index = stage_.stores[value].index[d];
            scatter |= !index.affine || index.data_dependent;
            for (size_t l = 0; l < index.coefficient.size(); l++)
                coefficient[d][l] = index.coefficient[l];
            offset[d] = index.offset;
        }
        add({stage_.func, static_cast<int>(value), true, scatter, coefficient, {offset}});
    }

    Storage storage_of(FuncId f) const {
        const Func &func = graph_.func(f);
        Storage s;
        s.box = func.root_region;
        const bool placed = !func.is_input() && nest_.decided(f);
        if (placed && nest_.at(f).placement == Placement::At) {
            const FuncNest &n = nest_.at(f);
            s.box = n.store_region;
            if (n.store_at) s.around = nest_.enclosing(*n.store_at);
            if (n.store_at == n.compute_at) s.motions = motions_of(f);
            switch (level_of(nest_, n.compute_at)) {
                case KernelLevel::Host: break;
                case KernelLevel::Block: s.memory = GpuMemory::Shared; break;
                case KernelLevel::Thread: s.memory = GpuMemory::Register; break;
            }
        }
        s.steps.assign(s.box.size(), 1);
        int64_t step = 1;
        for (int d : nest_.storage_order(f)) {
            const auto dim = static_cast<size_t>(d);
            s.steps[dim] = step;
            int64_t extent = std::max<int64_t>(1, s.box[dim].extent());
            if (placed && d == 0) {
                const int64_t unit = storage_alignment(nest_, f);
                extent = (extent + unit - 1) / unit * unit;
            }
            step *= extent;
        }
        return s;
    }

    // Points by which an iteration of a loop around moves stage loop l.
    Rational motion_of(size_t l, const Around &around) const {
        const LoopLevel &level = *around.level;
        if (around.own) return whole(level.name.dim == static_cast<int>(l) ? level.span : 0);
        const int dim = stage_.loops[l].func_dim;
        if (dim < 0) return whole(0);
        return motion_in(motions_[static_cast<size_t>(dim)], level);
    }

    // Of a Func that is computed in a loop.
    const std::vector<std::optional<BoxMotion>> &motions_of(FuncId f) const {
        const auto [known, fresh] = known_motions_.try_emplace(f);
        if (fresh) known->second = box_motions(nest_, f, *nest_.at(f).compute_at);
        return known->second;
    }

    // Points by which an iteration of the loop moves the box. The loop may also move other loops that move the box: the
    // starts of the loops of Funcs that are computed inside of it.
    Rational motion_in(const std::optional<BoxMotion> &motion, const LoopLevel &level) const {
        Rational sum = whole(0);
        if (!motion) return sum;
        for (const auto &[loop, by] : motion->by) {
            if (loop.stage == level.name.stage && loop.dim == level.name.dim)
                sum = sum + by * whole(level.span);
            const Stage &stage = graph_.stage(loop.stage);
            const std::optional<LoopName> site = nest_.at(stage.func).compute_at;
            const int dim = stage.loops[static_cast<size_t>(loop.dim)].func_dim;
            if (site && dim >= 0 && loop.stage != level.name.stage)
                sum = sum + by * motion_in(motions_of(stage.func)[static_cast<size_t>(dim)], level);
        }
        return sum;
    }

    // One dimension of an index: its start, for the first load, and its movement by the loops.
    struct Walk {
        Rational start;
        std::vector<Rational> by;    // per loop of the mapping
        std::vector<Rational> host;  // per loop on the host
        bool fractional() const {
            return std::ranges::any_of(by, [](Rational r) { return r.denominator != 1; });
        }
    };

    Walk walk(const std::vector<Rational> &coefficient, const Storage &storage, size_t d) const {
        Walk w;
        w.start = whole(-storage.box[d].min);
        for (size_t l = 0; l < coefficient.size(); l++)
            w.start = w.start + coefficient[l] * whole(own_.range[l].min);
        for (size_t i = 0; i < around_.size(); i++) {
            const Around &a = around_[i];
            Rational by = whole(0);
            for (size_t l = 0; l < coefficient.size(); l++)
                if (!coefficient[l].is_zero()) by = by + coefficient[l] * motion_of(l, a);
            const bool moves_storage =
                std::ranges::find(storage.around, a.level->name) != storage.around.end();
            // Regions are those in mid-range of the loops around them. The mapping is of the block at the origin.
            if (a.own && moves_storage) w.start = w.start + by * whole(a.middle());
            if (!a.own && !moves_storage) w.start = w.start + by * whole(-a.middle());
            if (moves_storage) {
                const bool known = d < storage.motions.size() && storage.motions[d];
                by = known ? by + negative(motion_in(storage.motions[d], *a.level)) : whole(0);
            }
            (i >= first_ ? w.by : w.host).push_back(by);
        }
        return w;
    }

    void add(const Indices &indices) {
        const Func &producer = graph_.func(indices.producer);
        const Storage storage = storage_of(indices.producer);
        const int bytes = producer.values[static_cast<size_t>(indices.value)].bytes();
        GpuAccess access;
        access.memory = storage.memory;
        access.is_store = indices.is_store;
        access.buffer =
            static_cast<int>(indices.producer.index()) * buffers_per_func + indices.value;
        access.allocation_bytes = points(storage.box) * bytes;
        access.element_bytes = bytes;
        access.strides.assign(out_.mapping.loops.size(), 0);
        access.offsets.assign(indices.offsets.size(), 0);
        access.gather = indices.gather;
        if (indices.gather) {
            out_.mapping.accesses.push_back(std::move(access));
            return;
        }
        std::vector<Walk> walks;
        for (size_t d = 0; d < producer.dims.size(); d++) {
            walks.push_back(walk(indices.coefficient[d], storage, d));
            add_host_walks(access, walks[d], storage.steps[d]);
        }
        // Loads whose fractions start differently become accesses of their own.
        std::map<std::vector<int64_t>, GpuAccess> by_start;
        for (const std::vector<Rational> &offset : indices.offsets) {
            std::vector<int64_t> starts;
            int64_t element = 0;
            GpuAccess one = access;
            for (size_t d = 0; d < walks.size(); d++) {
                const Rational start = walks[d].start + offset[d];
                if (walks[d].fractional() && add_fraction(one, walks[d], start, storage.steps[d])) {
                    starts.push_back(one.fractions.back().offset);
                    continue;
                }
                element += floor_of(start) * storage.steps[d];
                for (size_t l = 0; l < walks[d].by.size(); l++)
                    one.strides[l] += floor_of(walks[d].by[l]) * storage.steps[d];
            }
            auto [it, fresh] = by_start.try_emplace(std::move(starts), std::move(one));
            if (fresh) it->second.offsets.clear();
            it->second.offsets.push_back(element);
        }
        for (auto &[starts, one] : by_start) {
            std::ranges::sort(one.offsets);
            one.offsets.erase(std::ranges::unique(one.offsets).begin(), one.offsets.end());
            out_.mapping.accesses.push_back(std::move(one));
        }
    }

    void add_host_walks(GpuAccess &access, const Walk &walk, int64_t step) const {
        for (size_t l = 0; l < walk.host.size(); l++) {
            const Rational by = walk.host[l];
            const int64_t extent = out_.mapping.host_loops[l];
            if (by.is_zero() || extent <= 1) continue;
            if (by.denominator == 1) {
                access.host_walks.push_back({l, by.numerator * step, extent});
                continue;
            }
            const int64_t moved = std::abs(by.numerator) * (extent - 1);
            access.host_walks.push_back({l, by.numerator < 0 ? -step : step,
                                         (moved + by.denominator - 1) / by.denominator + 1});
        }
    }

    static bool add_fraction(GpuAccess &access, const Walk &walk, Rational start, int64_t step) {
        int64_t divisor = 1;
        for (const Rational &by : walk.by) {
            divisor = std::lcm(divisor, by.denominator);
            if (divisor > most_divisor) return false;
        }
        GpuFraction f;
        f.step = step;
        f.divisor = divisor;
        f.offset = floor_of(start * whole(divisor));
        for (const Rational &by : walk.by) f.strides.push_back(floor_of(by * whole(divisor)));
        access.fractions.push_back(std::move(f));
        return true;
    }

    const LoopNest &nest_;
    const StageGraph &graph_;
    const Stage &stage_;
    const StageNest &own_;
    const FuncNest &placed_;
    StageExpander &expander_;
    const std::span<const GpuKernel> kernels_;
    std::vector<Around> around_;  // outermost first
    size_t first_ = 0;            // index of the first loop in the kernel
    std::vector<std::optional<BoxMotion>> motions_;
    mutable std::map<FuncId, std::vector<std::optional<BoxMotion>>> known_motions_;
    MappedStage out_;
};

}  // namespace

std::optional<MappedStage> map_stage_to_gpu(const LoopNest &nest, StageExpander &expander,
                                            StageId stage, std::span<const GpuKernel> kernels) {
    return StageMapper(nest, expander, stage, kernels).run();
}

}  // namespace cryolite

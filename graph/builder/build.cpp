// Assembles a StageGraph from the analyses in the other build_*.cpp files.
#include "graph/builder/build.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <set>

#include "graph/builder/accesses.h"
#include "graph/builder/alignment.h"
#include "graph/builder/channels.h"
#include "graph/builder/copies.h"
#include "graph/builder/dot_products.h"
#include "graph/builder/layout.h"
#include "graph/builder/locks.h"
#include "graph/builder/loops.h"
#include "graph/builder/operations.h"
#include "graph/builder/overcompute.h"
#include "graph/builder/periods.h"
#include "graph/builder/predicates.h"
#include "graph/builder/regions.h"
#include "graph/builder/root_regions.h"
#include "graph/builder/specialization.h"
#include "graph/builder/strahler.h"
#include "graph/builder/user_loops.h"
#include "graph/facts/races.h"
#include "graph/facts/shared_clamps.h"
#include "graph/facts/spared_points.h"
#include "graph/halide/estimates.h"
#include "graph/halide/pipeline_view.h"
#include "graph/halide/vanishing_calls.h"
#include "graph/hash/algorithm_hash.h"

namespace cryolite {
namespace {

class GraphBuilder {
public:
    GraphBuilder(const std::vector<ir::Function> &outputs,
                 const std::map<std::string, std::string> &other_names)
        : outputs_(outputs),
          other_names_(other_names),
          view_(view_pipeline(outputs)),
          locked_(locked_funcs(view_, other_names)),
          estimates_(view_),
          alignment_(view_) {
        std::vector<std::string> producers_first;
        for (const FuncView &f : view_.funcs) producers_first.push_back(f.name());
        std::reverse(producers_first.begin(), producers_first.end());
        value_bounds_ = ir::compute_function_value_bounds(producers_first, view_.copies);
    }

    BuiltGraph build() {
        check_output_estimates();
        for (const FuncView &f : view_.funcs) add_func(f);
        for (const InputView &i : view_.inputs) add_input(i);
        for (const FuncView &f : view_.funcs) add_stages(f);
        restrict_extern_inputs();
        apply_locks();
        find_shifted_vectors();
        keep_deciding_channels(funcs_, stages_, edges_);
        fill_root_regions(funcs_, stages_, edges_, view_, estimates_);
        find_spared_points(funcs_, stages_, edges_);
        limit_specialization(funcs_, stages_, edges_);
        keep_predicates_narrow();
        keep_reads_of_outputs_unaligned();
        fill_passing_shares();
        apply_user_schedules(view_, locked_, funcs_, stages_, edges_);

        BuiltGraph built{StageGraph(std::move(funcs_), std::move(stages_), std::move(edges_),
                                    algorithm_hash(outputs_)),
                         {},
                         std::move(warnings_)};
        for (const FuncView &f : view_.funcs) built.functions.push_back(f.original);
        built.functions.resize(view_.funcs.size() + view_.inputs.size());
        return built;
    }

private:
    void check_output_estimates() const {
        for (const ir::Function &output : outputs_) {
            const FuncView &f = view_.funcs[func_index(output.name())];
            for (int d = 0; d < output.dimensions(); d++) {
                if (!estimates_.func_dimension(f, d)) fail_missing_func_estimate(f, d);
            }
        }
    }

    size_t func_index(const std::string &name) const {
        return static_cast<size_t>(view_.func_by_name.at(name));
    }

    // The id of a Func or an input.
    FuncId id_of(const std::string &name) const {
        if (const auto f = view_.func_by_name.find(name); f != view_.func_by_name.end()) {
            return FuncId(f->second);
        }
        return FuncId(view_.funcs.size() + static_cast<size_t>(view_.input_by_name.at(name)));
    }

    void set_dimensions(Func &func, std::vector<std::string> dims) {
        func.dims = std::move(dims);
        func.root_region.resize(func.dims.size());
        func.may_overcompute.resize(func.dims.size(), false);
        for (size_t d = 0; d < func.dims.size(); d++)
            func.storage_order.push_back(static_cast<int>(d));
    }

    void add_func(const FuncView &f) {
        Func func;
        func.id = FuncId(funcs_.size());
        const auto other_name = other_names_.find(f.name());
        func.name = other_name == other_names_.end() ? f.name() : other_name->second;
        func.role = f.is_output ? FuncRole::Output : FuncRole::Intermediate;
        set_dimensions(func, f.original.args());
        for (const Halide::Type &t : f.original.output_types())
            func.values.push_back(scalar_type(t));
        for (int d = 0; d < f.original.dimensions(); d++) {
            func.bounded_by_user.push_back(has_bounded_extent(f, d));
            func.constant_by_user.push_back(has_constant_bounds(f, d));
        }
        func.is_extern = f.copy.has_extern_definition();
        func.can_inline = !f.is_output && f.copy.can_be_inlined();
        func.root_only = f.is_output || func.is_extern;
        func.may_specialize = !f.is_output || !calls_vanish(f.original);
        func.is_trivial = f.copy.is_pure() && copies_values(f.stages[0]);

        const std::vector<ir::StorageDim> &storage = f.original.schedule().storage_dims();
        for (size_t i = 0; i < storage.size() && i < func.dims.size(); i++) {
            const auto d = std::find(func.dims.begin(), func.dims.end(), storage[i].var);
            if (d != func.dims.end())
                func.storage_order[i] = static_cast<int>(d - func.dims.begin());
        }
        if (f.is_output) set_layout(func, known_strides(f));
        funcs_.push_back(std::move(func));
    }

    void add_input(const InputView &i) {
        Func func;
        func.id = FuncId(funcs_.size());
        func.name = i.name;
        func.role = FuncRole::Input;
        std::vector<std::string> dims;
        for (int d = 0; d < i.dimensions; d++) dims.push_back("_" + std::to_string(d));
        set_dimensions(func, std::move(dims));
        func.values.push_back(scalar_type(i.type));
        set_layout(func, known_strides(i));
        funcs_.push_back(std::move(func));
    }

    static void set_layout(Func &func, std::vector<int64_t> strides) {
        func.storage_order = storage_order_of(strides);
        func.strides = std::move(strides);
    }

    void add_stages(const FuncView &f) {
        const FuncId func = id_of(f.name());
        for (size_t k = 0; k < f.stages.size(); k++) {
            Stage stage;
            stage.id = StageId(stages_.size());
            stage.func = func;
            stage.index = static_cast<int>(k);
            stage.loops = stage_loops(f, k, estimates_, value_bounds_, warnings_);
            for (StageLoop &loop : stage.loops) loop.channels = channels_of_loop(f, loop);
            note_periods(f.stages[k], stage.loops);
            stage.has_predicate = f.stages[k].predicate.defined();
            if (stage.has_predicate) stage.conditions = loop_conditions(f.stages[k], stage.loops);
            stage.predicate_is_plain =
                stage.has_predicate && is_plain_predicate(f.stages[k].predicate);
            stage.predicate_narrows =
                stage.has_predicate &&
                narrows_loops(f, f.stages[k], stage.loops, estimates_, value_bounds_);
            stage.is_undefined = is_undefined(f.stages[k]);
            if (k > 0) stage.dot = dot_product(f.stages[k], f.name());
            std::vector<FoundGroup> found;
            if (f.copy.has_extern_definition() && k == 0) {
                stage.ops.at(OpKind::ExternCall, type_class(funcs_[func.index()].values[0])) = 1;
            } else {
                StageOperations operations = stage_operations(f.stages[k], stage.loops, f.name());
                stage.ops = operations.total;
                found = std::move(operations.groups);
                stage.strahler_number = strahler_number(f.stages[k]);
                stage.longest_chain = operations.longest_chain;
                stage.recurrence_chain = operations.recurrence_chain;
            }
            StageAccesses accesses = stage_accesses(f.stages[k], stage.loops, estimates_);
            stage.stores = std::move(accesses.stores);
            for (auto &[name, region] : stage_regions(f, k, estimates_, value_bounds_)) {
                Edge edge;
                edge.id = EdgeId(edges_.size());
                edge.consumer = stage.id;
                edge.producer = id_of(name);
                edge.accesses = std::move(accesses.loads[name]);
                edge.region = std::move(region);
                edge.is_self = edge.producer == func;
                stage.incoming.push_back(edge.id);
                if (!edge.is_self) funcs_[edge.producer.index()].outgoing.push_back(edge.id);
                edges_.push_back(std::move(edge));
            }
            add_operation_groups(stage, std::move(found), accesses.sites);
            funcs_[func.index()].stages.push_back(stage.id);
            if (k > 0) find_reduction_vectors(stage);
            keep_output_loads_unaligned(f, funcs_[func.index()], stage);
            stages_.push_back(std::move(stage));
        }
    }

    int64_t channels_of_loop(const FuncView &view, const StageLoop &loop) const {
        if (loop.is_reduction || loop.func_dim < 0) return 0;
        const Func &func = funcs_[func_index(view.name())];
        const std::optional<Interval> estimate =
            func.is_output() ? estimates_.func_dimension(view, loop.func_dim) : std::nullopt;
        return channels_of(func, static_cast<size_t>(loop.func_dim), stages_, edges_, estimate);
    }

    // Adds the groups. Those that follow a call get its edge and access.
    void add_operation_groups(Stage &stage, std::vector<FoundGroup> found,
                              const std::vector<CallSite> &sites) const {
        for (FoundGroup &f : found) {
            if (f.follows.defined()) {
                const Expr call = estimates_.apply(f.follows);
                const auto site = std::ranges::find_if(
                    sites, [&](const CallSite &s) { return ir::graph_equal(s.call, call); });
                for (size_t e = 0; site != sites.end() && e < stage.incoming.size(); e++)
                    if (edges_[stage.incoming[e].index()].producer == id_of(site->name)) {
                        f.group.edge = static_cast<int>(e);
                        f.group.access = static_cast<int>(site->access);
                    }
            }
            stage.operation_groups.push_back(std::move(f.group));
        }
    }

    void find_reduction_vectors(Stage &stage) const {
        // Halide keeps the order of loops that are not reorderable, and the vector loop is the innermost.
        bool may_be_innermost = true;
        for (size_t l = 0; l < stage.loops.size(); l++) {
            StageLoop &loop = stage.loops[l];
            if (!loop.is_reduction) continue;
            if (!loop.parallelizable && is_race_free_in_order(stage, edges_, l)) {
                loop.race_free_in_order = true;
                loop.vectorizable = may_be_innermost;
            }
            if (loop.parallelizable || loop.race_free_in_order)
                loop.walked_dim = dim_walked_by(stage, l);
            may_be_innermost = may_be_innermost && loop.reorderable;
        }
    }

    // For an update that loads from its own output (see builder/alignment.h). Its loops start at the buffer's min, so
    // that Halide knows the index relative to the min within a row. What hides it:
    // - A split at an odd place of an extent that is known at run time only.
    // - The loop of another dimension with unknown stride, unless that loop is unrolled and the simplifier finds
    //   that all mins cancel out. It finds this if it knows one of the mins.
    void keep_output_loads_unaligned(const FuncView &view, const Func &func, Stage &stage) const {
        if (func.role != FuncRole::Output || stage.index == 0 || func.storage_order.empty()) return;
        bool reads_itself = false;
        for (EdgeId e : stage.incoming)
            reads_itself |= edges_[e.index()].is_self && !edges_[e.index()].accesses.empty();
        if (!reads_itself) return;
        const bool knows_min = alignment_.knows_a_min(view);
        for (StageLoop &loop : stage.loops) {
            const int d = loop.func_dim;
            // If a min is known, so is the index at which a reduction loop starts.
            if (loop.is_reduction && knows_min) loop.vectorizable = false;
            if (d < 0 || (d != func.storage_order[0] && !has_known_stride(view, d))) continue;
            if (!knows_min && rows_start_anywhere(view, stage.loops, d)) continue;
            if (!has_free_extent(view, d))
                loop.hidden_by_stride_of = dimension_of_free_stride(view, d);
            loop.taken_for_aligned = (has_free_extent(view, d) || loop.hidden_by_stride_of >= 0) &&
                                     has_odd_stride(view, d);
            loop.vectorizable = loop.vectorizable && loop.taken_for_aligned;
        }
    }

    // For stages of other Funcs that load from an output. No split hides the address wherever such a Func may be
    // computed, so it gets no vectors. If it were inlined, its loads would be in its readers' loops, so it is not
    // inlined. Where it must be, or where Halide may inline it beside a user's schedule, its readers get no vectors.
    void keep_reads_of_outputs_unaligned() {
        const bool all_ours = std::ranges::all_of(locked_, &std::string::empty);
        std::vector<std::vector<bool>> exposed(funcs_.size());
        for (size_t i = view_.funcs.size(); i-- > 0;) {
            Func &func = funcs_[i];
            if (func.role == FuncRole::Output)
                exposed[i] = alignment_.exposed_dimensions(view_.funcs[i]);
            for (StageId s : func.stages) {
                Stage &stage = stages_[s.index()];
                if (!forbid_aligned_vectors(stage, edges_, exposed) || !func.can_inline) continue;
                func.can_inline = func.inline_only || !all_ours;
                if (!func.can_inline) continue;
                exposed[i].resize(func.dims.size());
                for (const StageLoop &loop : stage.loops)
                    if (!loop.vectorizable && loop.func_dim >= 0)
                        exposed[i][static_cast<size_t>(loop.func_dim)] = true;
            }
        }
    }

    // Keeps Funcs at root of which a predicate spares an update points. There Halide first narrows the update's loops
    // by the predicate, then asks what they need. If the Func is inlined or computed inside, Halide does not narrow
    // them, and needs more of an input than the unscheduled pipeline reads.
    void keep_predicates_narrow() {
        for (const Edge &edge : edges_) {
            Func &producer = funcs_[edge.producer.index()];
            if (!edge.predicate_spares || producer.role != FuncRole::Intermediate) continue;
            if (producer.inline_only || copies_an_input(producer) ||
                std::ranges::all_of(producer.may_overcompute, std::identity()))
                continue;
            producer.root_only = true;
            producer.can_inline = false;
        }
    }

    void fill_passing_shares() {
        for (Stage &stage : stages_) {
            if (!stage.has_predicate) continue;
            const Func &func = funcs_[stage.func.index()];
            Intervals ranges;
            for (const StageLoop &loop : stage.loops)
                ranges.push_back(loop.is_reduction
                                     ? loop.range
                                     : func.root_region[static_cast<size_t>(loop.func_dim)]);
            const StageView &view =
                view_.funcs[func.id.index()].stages[static_cast<size_t>(stage.index)];
            const PassingShare share =
                passing_share(view, stage.loops, ranges, estimates_, value_bounds_);
            stage.passing_share = share.all;
            stage.loaded_share = share.loaded;
        }
    }

    bool copies_an_input(const Func &func) const {
        if (!func.is_trivial || func.stages.size() != 1) return false;
        for (EdgeId e : stages_[func.stages[0].index()].incoming)
            if (funcs_[edges_[e.index()].producer.index()].role != FuncRole::Input) return false;
        return true;
    }

    // An extern stage reads whole buffers through pointers: its inputs stay at root.
    void restrict_extern_inputs() {
        for (const FuncView &f : view_.funcs) {
            for (const Halide::ExternFuncArgument &a : f.copy.extern_arguments()) {
                if (!a.is_func()) continue;
                Func &input = funcs_[func_index(ir::Function(a.func).name())];
                input.root_only = true;
                input.can_inline = false;
            }
        }
    }

    void apply_locks() {
        const auto overcomputable =
            overcomputable_dimensions(view_, locked_, estimates_, value_bounds_);
        for (size_t i = 0; i < view_.funcs.size(); i++) {
            Func &func = funcs_[i];
            func.may_overcompute = overcomputable[i];
            if (locked_[i].empty()) continue;
            func.locked = true;
            func.locked_because = locked_[i];
            func.root_only = true;
            func.can_inline = false;
        }
    }

    void find_shifted_vectors() {
        std::vector<std::vector<bool>> shared(view_.funcs.size());
        bool any = false;
        for (size_t f = 0; f < view_.funcs.size(); f++) {
            for (size_t d = 0; d < funcs_[f].dims.size(); d++)
                shared[f].push_back(
                    shares_hand_clamps(funcs_, stages_, edges_, FuncId(f), static_cast<int>(d)));
            any |= std::ranges::find(shared[f], true) != shared[f].end();
        }
        if (!any) return;
        const auto before =
            dimensions_that_may_begin_before(view_, locked_, estimates_, value_bounds_);
        for (size_t f = 0; f < view_.funcs.size(); f++)
            for (size_t d = 0; d < shared[f].size(); d++)
                funcs_[f].shifts_vectors.push_back(shared[f][d] && before[f][d]);
    }

    const std::vector<ir::Function> &outputs_;
    const std::map<std::string, std::string> &other_names_;
    PipelineView view_;
    const std::vector<std::string> locked_;  // from locked_funcs()
    Estimates estimates_;
    OutputAlignment alignment_;
    ir::FuncValueBounds value_bounds_;
    std::vector<Func> funcs_;
    std::vector<Stage> stages_;
    std::vector<Edge> edges_;
    std::vector<std::string> warnings_;
};

}  // namespace

Result<BuiltGraph> build_graph(const std::vector<Halide::Internal::Function> &outputs,
                               const Halide::Target &,
                               const std::map<std::string, std::string> &other_names) {
    try {
        return GraphBuilder(outputs, other_names).build();
    } catch (const BuildFailure &failure) {
        return Error{failure.message};
    } catch (const Halide::Error &error) {
        return Error{std::string("Halide refuses the pipeline: ") + error.what()};
    }
}

}  // namespace cryolite

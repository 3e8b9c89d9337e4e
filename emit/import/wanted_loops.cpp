#include "emit/import/wanted_loops.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cryolite {
namespace {

namespace ir = Halide::Internal;

// A loop before it is brought into form.
struct RawLoop {
    LoopPart part;
    LoopKind kind;
    std::string shown;  // the variable, as people write it
    // Of fused loops the innermost has the name of them all.
    std::vector<std::string> variables = {};
    bool follows = false;  // one of fused loops, and not the outermost of them
    int32_t woven = 1;
    bool is_joined = false;
};

std::string directive_of(LoopKind kind, const std::string &variable) {
    const char *method = kind == LoopKind::Parallel     ? "parallel"
                         : kind == LoopKind::Vectorized ? "vectorize"
                         : kind == LoopKind::Unrolled   ? "unroll"
                                                        : "serial";
    return std::string(method) + "(" + variable + ")";
}

// vectorize(x, 8) names its inner loop "v12" or the like, after how many there were before. People know it as x.
std::string shown_name(const std::string &variable, const LoopPart &part, const Stage &stage) {
    const std::string name = own_name(variable);
    const bool is_numbered = name.size() > 1 && name[0] == 'v' &&
                             name.find_first_not_of("0123456789", 1) == std::string::npos;
    return is_numbered ? stage.loops[static_cast<size_t>(part.dim)].name : name;
}

LoopKind kind_of(const ir::Dim &dim, DifferenceNotes &notes) {
    const bool on_host =
        dim.device_api == Halide::DeviceAPI::None || dim.device_api == Halide::DeviceAPI::Host;
    if (on_host) switch (dim.for_type) {
            case ir::ForType::Serial: return LoopKind::Serial;
            case ir::ForType::Parallel: return LoopKind::Parallel;
            case ir::ForType::Vectorized: return LoopKind::Vectorized;
            case ir::ForType::Unrolled: return LoopKind::Unrolled;
            default: break;
        }
    notes.left_out("loop " + own_name(dim.var), "runs on a device; serial instead");
    return LoopKind::Serial;
}

class Former {
public:
    Former(const Func &func, const Stage &stage, DifferenceNotes &notes)
        : func_(func), stage_(stage), notes_(notes) {}

    WantedLoops form(std::vector<RawLoop> raw, WantedLoops wanted) {
        raw_ = std::move(raw);
        one_vector_innermost();
        parallel_outermost();
        whole_part_first();
        std::vector<bool> started(stage_.loops.size(), false);
        for (RawLoop &loop : raw_) {
            const auto dim = static_cast<size_t>(loop.part.dim);
            const int64_t count = (loop.part.points + loop.part.span - 1) / loop.part.span;
            wanted.loops.push_back({loop.part.dim, started[dim] ? count : 0, loop.kind, loop.woven,
                                    loop.is_joined, std::move(loop.variables)});
            started[dim] = true;
        }
        return wanted;
    }

private:
    // A vector holds single points of its dimension, and it is the innermost loop. A serial or unrolled loop inside a
    // vector loop changes places with it: Halide's code is the same.
    void one_vector_innermost() {
        std::optional<size_t> taken;
        for (size_t i = 0; i < raw_.size(); i++) {
            if (raw_[i].kind != LoopKind::Vectorized) continue;
            if (!taken || is_better_vector(raw_[i], raw_[*taken])) taken = i;
        }
        if (!taken) return;
        std::optional<size_t> joined = joined_inside(*taken);
        if (!joined)
            if (const std::optional<size_t> around = vector_around(*taken)) {
                joined = taken;
                taken = around;
            }
        for (size_t i = 0; i < raw_.size(); i++) {
            if (i == *taken || raw_[i].kind != LoopKind::Vectorized) continue;
            if (i != joined) {
                make_unrolled(raw_[i]);
                continue;
            }
            raw_[i].kind = LoopKind::Unrolled;
            raw_[i].is_joined = true;
        }
        weave(*taken);
        if (raw_[*taken].part.points > 0 && raw_[*taken].part.span > 1)
            notes_.approximated(directive_of(LoopKind::Vectorized, raw_[*taken].shown),
                                "a vector of points that lie " +
                                    std::to_string(raw_[*taken].part.span) +
                                    " apart; a vector of neighbours instead");
        RawLoop vector = std::move(raw_[*taken]);
        raw_.erase(raw_.begin() + static_cast<std::ptrdiff_t>(*taken));
        raw_.push_back(std::move(vector));
        // Beside the vector, outside of it.
        const auto beside = std::ranges::find_if(raw_, &RawLoop::is_joined);
        if (beside != raw_.end()) std::rotate(beside, beside + 1, raw_.end() - 1);
    }

    // The vector loop inside of another vector, whose iterations it joins in each lane: single points of another
    // dimension, or a reduction that it adds up, a dot product. No dot product where loops of the stage are parallel.
    std::optional<size_t> joined_inside(size_t vector) const {
        if (is_reduction(raw_[vector])) return std::nullopt;
        const bool parallel = std::ranges::any_of(
            raw_, [](const RawLoop &l) { return l.kind == LoopKind::Parallel; });
        for (size_t i = vector + 1; i < raw_.size(); i++) {
            if (raw_[i].kind != LoopKind::Vectorized) continue;
            if (is_reduction(raw_[i])) {
                if (stage_.dot && !parallel) return i;
            } else if (raw_[i].part.span == 1 && raw_[i].part.dim != raw_[vector].part.dim) {
                return i;
            }
        }
        return std::nullopt;
    }

    // The next vector loop around another one, over single points of another dimension.
    std::optional<size_t> vector_around(size_t vector) const {
        if (is_reduction(raw_[vector]) || raw_[vector].part.span != 1) return std::nullopt;
        for (size_t i = vector; i-- > 0;)
            if (raw_[i].kind == LoopKind::Vectorized && !is_reduction(raw_[i]) &&
                raw_[i].part.span == 1 && raw_[i].part.dim != raw_[vector].part.dim)
                return i;
        return std::nullopt;
    }

    bool is_reduction(const RawLoop &loop) const {
        return stage_.loops[static_cast<size_t>(loop.part.dim)].is_reduction;
    }

    // A vector of points that lie apart, and inside of it an unrolled loop over those between: woven vectors.
    void weave(size_t vector) {
        LoopPart &lanes = raw_[vector].part;
        if (lanes.points == 0 || lanes.span == 1) return;
        for (size_t i = vector + 1; i < raw_.size(); i++) {
            const RawLoop &between = raw_[i];
            if (between.kind != LoopKind::Unrolled || between.part.dim != lanes.dim ||
                between.part.span != 1 || between.part.points != lanes.span)
                continue;
            raw_[vector].woven = static_cast<int32_t>(lanes.span);
            lanes.span = 1;
            raw_.erase(raw_.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
    }

    // Vectors along the innermost dimension of the storage come first, else the innermost vector loop.
    bool is_better_vector(const RawLoop &loop, const RawLoop &than) const {
        const auto is_dense = [&](const RawLoop &l) {
            return !func_.storage_order.empty() &&
                   stage_.loops[static_cast<size_t>(l.part.dim)].func_dim == func_.storage_order[0];
        };
        if (is_reduction(loop) != is_reduction(than)) return is_reduction(than);
        return is_dense(loop) || !is_dense(than);
    }

    void make_unrolled(RawLoop &loop) {
        loop.kind = LoopKind::Unrolled;
        notes_.approximated(directive_of(LoopKind::Vectorized, loop.shown),
                            "a second vector loop; unrolled instead");
    }

    // The outermost loops are parallel, or one loop of an update inside of those that carry values.
    void parallel_outermost() {
        bool outermost = true, may_begin = stage_.index > 0;
        std::string first;
        for (RawLoop &loop : raw_) {
            if (loop.kind != LoopKind::Parallel) {
                outermost = false;
                continue;
            }
            if (!outermost && !may_begin) {
                loop.kind = LoopKind::Serial;
                notes_.left_out(directive_of(LoopKind::Parallel, loop.shown),
                                "inside a serial loop; serial instead");
                continue;
            }
            may_begin = false;
            if (!first.empty() && !loop.follows)
                notes_.approximated(
                    directive_of(LoopKind::Parallel, loop.shown),
                    "inside the parallel loop " + first + "; fused with it instead");
            if (first.empty()) first = loop.shown;
        }
    }

    // Where the hand schedule walks the parts of a dimension in another order than from the largest to the smallest,
    // the loops keep their places and their numbers of iterations, and walk contiguous parts. The loop over the whole
    // dimension must come first.
    void whole_part_first() {
        for (size_t dim = 0; dim < stage_.loops.size(); dim++) {
            std::vector<RawLoop *> parts;
            for (RawLoop &loop : raw_)
                if (static_cast<size_t>(loop.part.dim) == dim) parts.push_back(&loop);
            int64_t points = 0;
            bool turned = false;
            for (const RawLoop *loop : parts) {
                // Of the vector loop a note is there already.
                if (loop->kind == LoopKind::Vectorized) continue;
                turned |= loop->part.points > points && points > 0;
                turned |= loop->part.points == 0 && loop != parts.front();
                points = loop->part.span;
            }
            if (turned)
                notes_.approximated("reorder", "parts of " + own_name(stage_.loops[dim].name) +
                                                   " in another order than from large to small; "
                                                   "contiguous parts instead");
            for (RawLoop *loop : parts) {
                if (loop->part.points > 0 || loop == parts.front()) continue;
                if (loop->kind == LoopKind::Vectorized)
                    std::swap(loop->part, parts.front()->part);
                else
                    std::swap(*loop, *parts.front());
            }
        }
    }

    const Func &func_;
    const Stage &stage_;
    DifferenceNotes &notes_;
    std::vector<RawLoop> raw_;
};

}  // namespace

void remove_loop(WantedLoops &wanted, size_t position) {
    WantedLoop gone = std::move(wanted.loops[position]);
    wanted.loops.erase(wanted.loops.begin() + static_cast<std::ptrdiff_t>(position));
    auto &heirs = position > 0 ? wanted.loops[position - 1].variables : wanted.around;
    heirs.insert(heirs.end(), gone.variables.begin(), gone.variables.end());
    if (gone.count > 0) return;
    const auto next = std::find_if(wanted.loops.begin(), wanted.loops.end(),
                                   [&](const WantedLoop &l) { return l.dim == gone.dim; });
    if (next != wanted.loops.end()) next->count = 0;
}

WantedLoops wanted_loops(const Func &func, const Stage &stage, const ir::StageSchedule &schedule,
                         const StageVariables &variables, DifferenceNotes &notes) {
    for (const std::string &split : variables.inexact)
        notes.approximated(split, "the nearest split that our space has instead");
    WantedLoops wanted;
    std::vector<RawLoop> raw;
    std::map<int, LoopKind>
        hiding;  // by dimension: the kind of the loop that only hides an alignment
    const std::vector<ir::Dim> &dims = schedule.dims();  // innermost first; the last is no loop
    for (size_t i = dims.empty() ? 0 : dims.size() - 1; i-- > 0;) {
        const LoopKind kind = kind_of(dims[i], notes);
        if (const auto hides = variables.hides_alignment.find(dims[i].var);
            hides != variables.hides_alignment.end())
            hiding[hides->second] = kind;
        const auto found = variables.parts.find(dims[i].var);
        const LoopParts parts = found == variables.parts.end() ? LoopParts{} : found->second;
        for (size_t p = 0; p < parts.size(); p++)
            raw.push_back({parts[p], kind, shown_name(dims[i].var, parts[p], stage), {}, p > 0});
        (raw.empty() ? wanted.around : raw.back().variables).push_back(dims[i].var);
    }
    // The loop inside stands for both.
    for (RawLoop &loop : raw) {
        const auto kind = hiding.find(loop.part.dim);
        if (kind == hiding.end()) continue;
        if (kind->second == LoopKind::Parallel) loop.kind = LoopKind::Parallel;
        hiding.erase(kind);
    }
    return Former(func, stage, notes).form(std::move(raw), std::move(wanted));
}

}  // namespace cryolite

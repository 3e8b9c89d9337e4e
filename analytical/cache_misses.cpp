#include "analytical/cache_misses.h"

#include <algorithm>

#include "code/kernel/kernels.h"

namespace cryolite {
namespace {

// Counts of boxes are averages. A count that grows by less than this factor counts as unchanged.
constexpr double same = 1.01;

class Misses {
public:
    Misses(const StageGraph &graph, const Machine &machine, const KernelWork &work, size_t cache)
        : graph_(graph),
          work_(work),
          cache_(cache),
          line_bytes_(machine.caches[cache].line_bytes),
          ways_(machine.caches[cache].ways),
          sets_(static_cast<double>(sets_of(machine.caches[cache]))) {}

    double of_stage(const StageWork &w) const {
        if (w.code->stage->is_undefined) return 0;
        double lines = brought_in(w, w.stores);
        if (w.code->stage->index > 0) lines -= left_before(w, w.stores);
        for (const Accesses &r : w.reads)
            if (r.producer != w.code->stage->func)
                lines += of_read(w, r);  // the stores count a Func's reads of itself
        return std::max(0.0, lines);
    }

private:
    double of_read(const StageWork &w, const Accesses &r) const {
        const double lines = brought_in(w, r);
        if (graph_.func(r.producer).is_input()) return lines;
        const auto member = work_.members().find(r.producer);
        if (member == work_.members().end() || member->second.compute_loop < 0)
            return std::max(0.0, lines - left_before(w, r));
        return lines * (1 - kept_beside(0, work_.working_lines(member->second.compute_loop)));
    }

    // The share of a Func's lines that stays while `others` more lines are touched. `together` of the Func's lines lie
    // in each set. The others spread evenly over all sets. A line stays as long as its set has room.
    double kept_beside(double together, double others) const {
        return std::clamp(ways_ + 1 - together - others / sets_, 0.0, 1.0);
    }

    // Lines of a Func at root that an earlier stage has left in the cache for this stage. Between the write and the
    // first touch lie as many lines as the Func has: the rest of the earlier pass and the beginning of this one. On
    // average, half of all other lines of this pass lie between as well.
    double left_before(const StageWork &w, const Accesses &t) const {
        const double all = t.lines[0].lines;
        size_t pass = w.code->stack.size();
        while (pass > 0 && same * t.lines[pass].lines < all) pass--;
        double around = 0;
        if (pass > 0) {
            around = work_.working_lines(w.code->stack[pass - 1].id);
        } else {
            for (const Accesses &r : w.reads) around += r.lines[0].lines;
            around += w.stores.lines[0].lines;
        }
        return all * kept_beside(0, (all + std::max(around, all)) / 2);
    }

    // Lines touched in one run of stack loop p. Storage inside the loop is the same memory in each iteration.
    double lines_in_run(const StageWork &w, const Accesses &t, size_t p) const {
        const double lines = t.lines[p].lines;
        const auto member = work_.members().find(t.producer);
        if (member == work_.members().end() || member->second.compute_loop < 0) return lines;
        const int store_loop = member->second.store_loop;
        bool inside = store_loop < 0;
        for (size_t q = p; q < w.code->stack.size(); q++)
            inside |= w.code->stack[q].id == store_loop;
        return inside ? std::min(lines, member->second.allocated_bytes / line_bytes_ + 1) : lines;
    }

    bool repeated(const StageWork &w, const Accesses &t, size_t p) const {
        return lines_in_run(w, t, p) <= same * lines_in_run(w, t, p + 1);
    }

    // The share of lines that stay from one iteration of stack loop p to the next.
    double kept(const StageWork &w, const Accesses &t, size_t p) const {
        while (p + 1 < w.code->stack.size() && repeated(w, t, p + 1)) p++;
        const TouchedLines &inner = t.lines[p + 1];
        const double others = std::max(0.0, work_.working_lines(w.code->stack[p].id) - inner.lines);
        const SetLoads &loads = inner.set_loads[cache_];
        double share = 0;
        for (size_t n = 1; n < loads.size(); n++)
            share += loads[n] * kept_beside(static_cast<double>(n), others);
        return share;
    }

    double brought_in(const StageWork &w, const Accesses &t) const {
        const auto if_kept_inside = [&](size_t p) {
            return lines_in_run(w, t, p) * w.code->runs[p];
        };
        size_t p = w.code->stack.size();
        double lines = if_kept_inside(p), share = 1;
        for (; p > 0 && share > 0; p--) {
            share *= kept(w, t, p - 1);
            lines += share * (if_kept_inside(p - 1) - if_kept_inside(p));
        }
        return lines;
    }

    const StageGraph &graph_;
    const KernelWork &work_;
    const size_t cache_;
    const double line_bytes_, ways_, sets_;
};

}  // namespace

std::vector<double> cache_misses(const StageGraph &graph, const Machine &machine,
                                 const KernelWork &work) {
    std::vector<double> sums;
    for (size_t c = 0; c < machine.caches.size(); c++) {
        const Misses misses(graph, machine, work, c);
        double sum = 0;
        for (const StageWork &w : work.stages()) sum += misses.of_stage(w);
        sums.push_back(sum);
    }
    return sums;
}

std::vector<double> cache_misses(const LoopNest &nest, const Machine &machine) {
    const StageGraph &graph = nest.graph();
    StageExpander expander(graph);
    FootprintWalker walker(graph);
    std::vector<double> misses(machine.caches.size(), 0);
    for (const Kernel &kernel : kernels_of(nest, expander)) {
        const KernelWork work(graph, machine, expander, walker, nest, kernel.members,
                              KernelWork::Counts::BytesAndLines);
        if (work.too_large()) return {};
        const std::vector<double> of_kernel = cache_misses(graph, machine, work);
        for (size_t c = 0; c < misses.size(); c++) misses[c] += of_kernel[c];
    }
    return misses;
}

}  // namespace cryolite

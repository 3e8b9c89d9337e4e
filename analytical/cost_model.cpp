#include "analytical/cost_model.h"

#include <algorithm>

#include "analytical/gpu/stage_terms.h"
#include "base/hash.h"

namespace cryolite {
namespace {

// Visits the kernels of a nest in id order: those of `near` from the place `from` on, with the changed ones replaced.
template <typename Roots, typename Costs, typename Visit>
void for_each_kernel(const CostedNest &near, size_t from, const Roots &roots, const Costs &costs,
                     Visit visit) {
    size_t changed = 0;
    const auto visit_changed_before = [&](FuncId end) {
        for (; changed < roots.size() && (!end.valid() || roots[changed] < end); changed++)
            if (costs[changed]) visit(*costs[changed]);
    };
    for (size_t k = from; k < near.kernels.size(); k++) {
        const FuncId root = near.kernels[k].members.front();
        visit_changed_before(root);
        const bool is_changed = changed < roots.size() && roots[changed] == root;
        if (!is_changed) visit(near.kernels[k]);
    }
    visit_changed_before(FuncId());
}

auto kernel_at(const CostedNest &near, FuncId root) {
    return std::ranges::lower_bound(near.kernels, root, {},
                                    [](const KernelCosts &k) { return k.members.front(); });
}

// Bytes that the terms hold on the heap.
int64_t bytes_of(const KernelTerms &terms) {
    return static_cast<int64_t>(sizeof(KernelTerms) + terms.stages.size() * sizeof(StageTerms) +
                                terms.rows.size() * sizeof(FeatureRow));
}

int64_t bytes_of(const TouchedFuncs &touched) {
    return static_cast<int64_t>(sizeof(TouchedFuncs) +
                                (touched.by_host.size() + touched.by_device.size()) *
                                    sizeof(FuncId));
}

}  // namespace

CostModel::CostModel(const StageGraph &graph, Hardware hardware, int64_t memo_bytes,
                     KernelMemo memo, CostNoise noise)
    : graph_(graph),
      kernel_cost_(graph, hardware),
      gpu_(hardware.gpu),
      rule_(gpu_ ? gpu::overlap_rule(gpu_->speeds) : overlap_rule(*hardware.cpu)),
      memo_bytes_(memo_bytes),
      keeps_(memo),
      noise_(noise),
      undecided_blocks_(graph, *hardware.cpu) {}

Allocations CostModel::undecided(const LoopNest &nest) const {
    Allocations all(kernel_cost_.machine());
    all.add_undecided(undecided_blocks_.sum(nest),
                      undecided_blocks_.block_at(undecided_blocks_.largest(nest)));
    return all;
}

Allocations CostModel::undecided(const LoopNest &nest, const CostedNest &near,
                                 const ChangedKernels &changed) const {
    double bytes = near.undecided_bytes;  // whole numbers: sums are exact in any order
    size_t from = near.largest_undecided;
    for (FuncId f : changed.funcs) {
        if (!near.nest.decided(f)) bytes -= undecided_blocks_.bytes(f);
        if (nest.decided(f)) continue;
        bytes += undecided_blocks_.bytes(f);
        from = 0;
    }
    Allocations all(kernel_cost_.machine());
    all.add_undecided(bytes, undecided_blocks_.block_at(undecided_blocks_.largest(nest, from)));
    return all;
}

uint64_t CostModel::structure_of(const LoopNest &nest, const Kernel &kernel) {
    Hasher h;
    for (FuncId f : kernel.members) {
        h.add(static_cast<uint64_t>(f.value)).add(std::string_view("computes"));
        for (StageId s : graph_.func(f).stages)
            for (FuncId g : kernel_cost_.expander().expand(nest, s).inlined)
                h.add(static_cast<uint64_t>(g.value));
    }
    return h.value();
}

void CostModel::begin(CostNoise noise) {
    noise_ = noise;
    kernels_evaluated_ = kernels_remembered_ = memos_emptied_ = 0;
    funcs_priced_ = 0;
}

void CostModel::correct_by(std::shared_ptr<const Correction> correction) {
    if (correction == given_) return;
    given_ = std::move(correction);
    correction_ = given_ ? given_ : std::make_shared<NoCorrection>();
    correction_number_++;
}

KernelTerms CostModel::counted(const LoopNest &nest, const Kernel &kernel) {
    kernels_evaluated_++;
    return kernel_cost_.evaluate(nest, kernel.members, correction_->reads_rows());
}

KernelCosts CostModel::costs_of(const Kernel &kernel, const KernelTerms &terms) const {
    const PricedKernel price = priced(terms, *correction_, rule_);
    return {kernel.members,  price.seconds,     terms.peak_bytes, terms.compiling,
            terms.too_large, price.allocations, terms.touched};
}

KernelCosts CostModel::disturbed(KernelCosts costs, uint64_t structure, uint64_t key_hash) const {
    costs.seconds *= noise_.disturbance(structure, key_hash);
    return costs;
}

void CostModel::price_anew(Entry &entry, const LoopNest &nest, const Kernel &kernel) {
    entry.priced_by = correction_number_;
    if (!entry.terms) {
        entry.costs = costs_of(kernel, counted(nest, kernel));
        return;
    }
    if (correction_->reads_rows() && entry.terms->rows.empty()) {
        memo_bytes_used_ -= bytes_of(*entry.terms);
        *entry.terms = counted(nest, kernel);
        memo_bytes_used_ += bytes_of(*entry.terms);
    }
    entry.costs = costs_of(kernel, *entry.terms);
}

CostModel::Entry CostModel::counted_entry(const LoopNest &nest, Kernel kernel) {
    KernelTerms terms = counted(nest, kernel);
    KernelCosts costs = costs_of(kernel, terms);
    Entry e{std::move(kernel.key), std::move(costs), correction_number_, nullptr, {}};
    memo_bytes_used_ += static_cast<int64_t>(sizeof(Entry) + 64 + e.key.size() * sizeof(uint64_t));
    if (e.costs.touched) memo_bytes_used_ += bytes_of(*e.costs.touched);
    if (keeps_ == KernelMemo::Terms) {
        e.terms = std::make_unique<KernelTerms>(std::move(terms));
        memo_bytes_used_ += bytes_of(*e.terms);
    }
    return e;
}

KernelCosts CostModel::remembered(const LoopNest &nest, Kernel kernel) {
    const uint64_t hash = hash_of(kernel);
    const bool disturbs = noise_.factor != 1;
    if (keeps_ == KernelMemo::Nothing) {
        KernelCosts costs = costs_of(kernel, counted(nest, kernel));
        return disturbs ? disturbed(std::move(costs), structure_of(nest, kernel), hash) : costs;
    }
    auto [it, last] = memo_.equal_range(hash);
    while (it != last && it->second.key != kernel.key) ++it;
    if (it == last) {
        // Before the entry takes the kernel.
        std::optional<uint64_t> structure;
        if (disturbs) structure = structure_of(nest, kernel);
        it = memo_.emplace(hash, counted_entry(nest, std::move(kernel)));
        it->second.structure = structure;
    } else {
        kernels_remembered_++;
        if (it->second.priced_by != correction_number_) price_anew(it->second, nest, kernel);
        if (disturbs && !it->second.structure) it->second.structure = structure_of(nest, kernel);
    }
    const Entry &e = it->second;
    return disturbs ? disturbed(e.costs, *e.structure, hash) : e.costs;
}

void CostModel::forget() {
    memo_.clear();
    kernel_cost_.expander().forget();
    memo_bytes_used_ = 0;
}

void CostModel::forget_beyond_limit() {
    if (memo_bytes_used_ + kernel_cost_.expander().memo_bytes() <= memo_bytes_) return;
    forget();
    memos_emptied_++;
}

ChangedKernels CostModel::changed(const LoopNest &nest, const CostedNest &near) {
    ChangedKernels which =
        changed_kernels(near.nest, nest, [&](FuncId root) -> std::span<const FuncId> {
            const auto k = kernel_at(near, root);
            if (k == near.kernels.end() || k->members.front() != root) return {};
            return {k->members.data(), k->members.size()};
        });
    for (const auto &members : which.members) funcs_priced_ += members.size();
    return which;
}

CostModel::Changes CostModel::changes(const LoopNest &nest, const CostedNest &near) {
    Changes c;
    c.which = changed(nest, near);
    c.costs.resize(c.which.roots.size());
    for (size_t i = 0; i < c.costs.size(); i++)
        if (!c.which.members[i].empty())
            c.costs[i] = remembered(
                nest, kernel_of(nest, std::move(c.which.members[i]), kernel_cost_.expander()));
    return c;
}

ScheduleTime CostModel::evaluate(const LoopNest &nest) {
    forget_beyond_limit();
    ScheduleTime out;
    Allocations all = undecided(nest);
    Copies copies(nest, gpu_);
    std::vector<KernelAllocations> allocations;
    for (Kernel &k : kernels_of(nest, kernel_cost_.expander())) {
        const KernelCosts t = remembered(nest, std::move(k));
        copies.add(t.touched);
        out.seconds += t.seconds;
        out.peak_bytes += t.peak_bytes;
        out.too_large |= t.too_large;
        out.compiling += t.compiling;
        allocations.push_back(t.allocations);
        all.add(t.allocations);
    }
    for (const KernelAllocations &a : allocations) out.seconds += all.fault_seconds(a);
    out.seconds += copies.seconds();
    return out;
}

ScheduleTime CostModel::evaluate(const LoopNest &nest, const CostedNest &near) {
    if (keeps_ == KernelMemo::Nothing) {
        // Counts funcs_priced(). The search paces itself by it, so it must not depend on what is remembered.
        changed(nest, near);
        return evaluate(nest);
    }
    forget_beyond_limit();
    const Changes c = changes(nest, near);
    const auto &roots = c.which.roots;
    const size_t first =
        roots.empty() ? near.kernels.size()
                      : static_cast<size_t>(kernel_at(near, roots[0]) - near.kernels.begin());
    ScheduleTime out;
    out.seconds = near.seconds_before[first];
    for_each_kernel(near, first, roots, c.costs,
                    [&](const KernelCosts &k) { out.seconds += k.seconds; });
    out.peak_bytes = near.peak_bytes;
    out.compiling = near.compiling;
    kernels_remembered_ += near.kernels.size();
    size_t num_too_large = near.num_too_large;
    for (size_t i = 0; i < roots.size(); i++) {
        const auto before = kernel_at(near, roots[i]);
        if (before != near.kernels.end() && before->members.front() == roots[i]) {
            out.peak_bytes -= before->peak_bytes;
            out.compiling -= before->compiling;
            kernels_remembered_--;
            num_too_large -= before->too_large;
        }
        if (!c.costs[i]) continue;
        out.peak_bytes += c.costs[i]->peak_bytes;
        out.compiling += c.costs[i]->compiling;
        num_too_large += c.costs[i]->too_large;
    }
    out.too_large = num_too_large > 0;
    Allocations all = undecided(nest, near, c.which);
    for_each_kernel(near, 0, roots, c.costs, [&](const KernelCosts &k) { all.add(k.allocations); });
    for_each_kernel(near, 0, roots, c.costs,
                    [&](const KernelCosts &k) { out.seconds += all.fault_seconds(k.allocations); });
    if (!gpu_) return out;
    Copies copies(nest, gpu_);
    for_each_kernel(near, 0, roots, c.costs, [&](const KernelCosts &k) { copies.add(k.touched); });
    out.seconds += copies.seconds();
    return out;
}

std::shared_ptr<const CostedNest> CostModel::costed(const LoopNest &nest, const CostedNest *near) {
    forget_beyond_limit();
    auto out = std::make_shared<CostedNest>(CostedNest{nest, {}, {0.0}, 0, {}, 0, 0, 0});
    const auto add = [&](const KernelCosts &k) {
        out->kernels.push_back(k);
        out->seconds_before.push_back(out->seconds_before.back() + k.seconds);
        out->peak_bytes += k.peak_bytes;
        out->compiling += k.compiling;
        out->num_too_large += k.too_large;
    };
    if (near) {
        out->kernels.reserve(near->kernels.size() + 1);
        out->seconds_before.reserve(near->kernels.size() + 2);
        const Changes c = changes(nest, *near);
        for_each_kernel(*near, 0, c.which.roots, c.costs, add);
    } else {
        for (Kernel &k : kernels_of(nest, kernel_cost_.expander()))
            add(remembered(nest, std::move(k)));
    }
    out->undecided_bytes = undecided_blocks_.sum(nest);
    out->largest_undecided = undecided_blocks_.largest(nest);
    return out;
}

ScheduleTime CostModel::explain(const LoopNest &nest) {
    ScheduleTime out;
    Allocations all = undecided(nest);
    Copies copies(nest, gpu_);
    std::vector<KernelTerms> kernels;
    std::vector<KernelAllocations> allocations;
    for (const Kernel &k : kernels_of(nest, kernel_cost_.expander())) {
        kernels.push_back(counted(nest, k));
        const KernelTerms &terms = kernels.back();
        const PricedKernel price = priced(terms, *correction_, rule_);
        out.seconds += price.seconds;
        out.peak_bytes += terms.peak_bytes;
        out.too_large |= terms.too_large;
        out.compiling += terms.compiling;
        allocations.push_back(price.allocations);
        all.add(price.allocations);
        copies.add(terms.touched);
    }
    out.seconds += copies.seconds();
    for (size_t i = 0; i < kernels.size(); i++) {
        out.seconds += all.fault_seconds(allocations[i]);
        for (StageTime &t :
             explained(kernels[i], *correction_, rule_, all.fresh_root(allocations[i]),
                       all.fresh_loops(allocations[i])))
            out.stages.push_back(std::move(t));
    }
    for (const auto &[f, seconds] : copies.by_func()) {
        const auto first =
            std::ranges::find(out.stages, graph_.func(f).stages[0], &StageTime::stage);
        if (first == out.stages.end()) continue;
        first->raw[index(Term::Copies)] = first->corrected[index(Term::Copies)] = seconds;
        first->overlap = explained_overlap(first->corrected, first->target, rule_);
    }
    return out;
}

}  // namespace cryolite

#include "code/kernel/changed_kernels.h"

#include <algorithm>

namespace cryolite {
namespace {

template <typename Funcs>
void insert_sorted(Funcs &funcs, FuncId f) {
    const auto place = std::ranges::lower_bound(funcs, f);
    if (place == funcs.end() || *place != f) funcs.insert(place, &f, &f + 1);
}

}  // namespace

ChangedKernels changed_kernels(
    const LoopNest &before, const LoopNest &now,
    const std::function<std::span<const FuncId>(FuncId)> &members_before) {
    ChangedKernels changed;
    now.for_each_unshared(before, [&](FuncId f) {
        const bool was = before.decided(f), is = now.decided(f);
        if (was && is && before.at(f).hash == now.at(f).hash) return;
        if (was || is) changed.funcs.push_back(f);
    });
    for (FuncId f : changed.funcs)
        for (const LoopNest *nest : {&before, &now})
            for (FuncId root : roots_of(*nest, f)) insert_sorted(changed.roots, root);
    changed.members.resize(changed.roots.size());
    const auto place = [&](FuncId f) {
        if (!now.decided(f) || now.at(f).placement == Placement::Inline) return;
        const auto at = std::ranges::lower_bound(changed.roots, root_of(now, f));
        insert_sorted(changed.members[static_cast<size_t>(at - changed.roots.begin())], f);
    };
    for (FuncId root : changed.roots)
        for (FuncId f : members_before(root)) place(f);
    for (FuncId f : changed.funcs) place(f);
    return changed;
}

}  // namespace cryolite

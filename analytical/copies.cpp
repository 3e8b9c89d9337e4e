#include "analytical/copies.h"

#include <algorithm>
#include <set>

namespace cryolite {

void Copies::add(const std::shared_ptr<const TouchedFuncs> &kernel) {
    if (!gpu_ || !kernel) return;
    kernels_.push_back(kernel);
    host_touches_any_ |= !kernel->by_host.empty();
}

std::vector<std::pair<FuncId, double>> Copies::by_func() const {
    std::vector<std::pair<FuncId, double>> copied;
    if (!host_touches_any_) return copied;
    std::set<FuncId> by_host, by_device;
    for (const auto &k : kernels_) {
        by_host.insert(k->by_host.begin(), k->by_host.end());
        by_device.insert(k->by_device.begin(), k->by_device.end());
    }
    for (FuncId f : by_host) {
        if (!by_device.contains(f) || !nest_.decided(f)) continue;
        const Func &func = nest_.graph().func(f);
        const double bytes = points(func.root_region) * func.bytes_per_point();
        copied.emplace_back(f, bytes / gpu_->speeds.host_bytes_per_second);
    }
    return copied;
}

double Copies::seconds() const {
    double sum = 0;
    for (const auto &[f, seconds] : by_func()) sum += seconds;
    return sum;
}

}  // namespace cryolite

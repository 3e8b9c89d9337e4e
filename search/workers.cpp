#include "search/workers.h"

namespace cryolite {
namespace {

SearchStatistics statistics_of(Expander &expander) {
    SearchStatistics s = expander.statistics();
    s.kernels_evaluated = expander.model().kernels_evaluated();
    s.kernels_remembered = expander.model().kernels_remembered();
    s.funcs_priced = expander.model().funcs_priced();
    s.hit_memory_limit |= expander.model().memos_emptied() > 0;
    return s;
}

}  // namespace

Workers::Workers(size_t count, Make make) : make_(std::move(make)), expanders_(count) {
    for (auto &e : expanders_) e = make_();
}

uint64_t Workers::work() const {
    uint64_t sum = before_.funcs_priced;
    for (const auto &e : expanders_) sum += e->model().funcs_priced();
    return sum;
}

SearchStatistics Workers::statistics() const {
    SearchStatistics all = before_;
    for (const auto &e : expanders_) all.add(statistics_of(*e));
    return all;
}

void Workers::forget_memos() {
    before_ = statistics();
    for (auto &e : expanders_) {
        e->model().forget();
        e = make_();
    }
}

}  // namespace cryolite

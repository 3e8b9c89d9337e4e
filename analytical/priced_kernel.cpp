#include "analytical/priced_kernel.h"

namespace cryolite {
namespace {

std::span<const double> row_of(const KernelTerms &kernel, size_t stage) {
    if (stage >= kernel.rows.size()) return {};
    return kernel.rows[stage];
}

Terms corrected(const KernelTerms &kernel, size_t stage, const Correction &correction) {
    Terms terms = kernel.stages[stage].raw;
    correction.correct(row_of(kernel, stage), terms);
    return terms;
}

}  // namespace

PricedKernel priced(const KernelTerms &kernel, const Correction &correction,
                    const OverlapRule &rule) {
    PricedKernel out;
    out.allocations = kernel.allocations;
    for (size_t i = 0; i < kernel.stages.size(); i++) {
        Terms terms = corrected(kernel, i, correction);
        double &faults = terms[index(Term::PageFaults)];
        (kernel.stages[i].faults_in_loop ? out.allocations.loop_fault_seconds
                                         : out.allocations.root_fault_seconds) += faults;
        faults = 0;
        out.seconds += overlapped(terms, kernel.stages[i].target, rule);
    }
    return out;
}

std::vector<StageTime> explained(const KernelTerms &kernel, const Correction &correction,
                                 const OverlapRule &rule, double fresh_root, double fresh_loops) {
    std::vector<StageTime> times;
    for (size_t i = 0; i < kernel.stages.size(); i++) {
        StageTime &t = times.emplace_back(StageTime{kernel.stages[i], {}, 1, {}});
        t.corrected = corrected(kernel, i, correction);
        t.trust = correction.trust(row_of(kernel, i));
        const double fresh = t.faults_in_loop ? fresh_loops : fresh_root;
        t.raw[index(Term::PageFaults)] *= fresh;
        t.corrected[index(Term::PageFaults)] *= fresh;
        t.overlap = explained_overlap(t.corrected, t.target, rule);
    }
    return times;
}

}  // namespace cryolite

#include "bench/search_probe/variants.h"

namespace cryolite::bench {
namespace {

using O = SearchOptions;
using E = Effort;

int64_t half(int64_t value) { return std::max<int64_t>(1, value / 2); }

// How a batch of samples is drawn (OOPSLA 2021, section 6).
void greedy(Effort &e) {
    e.beam_size = e.passes = 1;
    e.refine = false;
}

constexpr Variant table[] = {
    {"full", "the search as it is", true, [](O &, E &) {}},
    {"two_threads", "on two threads", true, [](O &o, E &) { o.threads = 2; }},
    {"no_memo", "every kernel's cost computed anew", true,
     [](O &o, E &) { o.remember_kernels = false; }},
    {"no_structures", "the cheapest states go on, however alike", false,
     [](O &, E &e) { e.by_structure = false; }},
    {"no_structures_no_memo", "the cheapest states go on, every kernel's cost computed anew", false,
     [](O &o, E &e) { e.by_structure = o.remember_kernels = false; }},
    {"no_outlook", "no pass foresees what the next Funcs will cost", false,
     [](O &, E &e) { e.outlook = 0; }},
    {"no_freezing", "every pass decides every Func", false, [](O &, E &e) { e.frozen_share = 0; }},
    {"no_refine", "no hill climbing after a pass", false, [](O &, E &e) { e.refine = false; }},
    {"one_start", "hill climbing from the best end of a pass alone", false,
     [](O &, E &e) { e.starts = 1; }},
    {"no_moving", "hill climbing over loops alone, every Func where it is", false,
     [](O &, E &e) { e.redraw = Redraw::LoopsOnly; }},
    {"no_pace", "a beam as wide as asked for, whatever a state takes", false,
     [](O &, E &e) { e.work = Pace::unlimited; }},
    {"plans", "the strategies' plans are tried too", false, [](O &, E &) {}, true},
    {"one_pass", "one pass", false, [](O &, E &e) { e.passes = 1; }},
    {"beam_1", "the best state alone goes on", false, [](O &, E &e) { e.beam_size = 1; }},
    {"half_beam", "half as many states go on", false,
     [](O &, E &e) { e.beam_size = half(e.beam_size); }},
    {"half_tilings", "half as many tilings of each placement", false,
     [](O &, E &e) { e.tilings = half(e.tilings); }},
    {"greedy", "a beam of one, one pass, no hill climbing", false, [](O &, E &e) { greedy(e); }},
    {"greedy_no_memo", "the same with every kernel's cost computed anew", false,
     [](O &o, E &e) {
         greedy(e);
         o.remember_kernels = false;
     }},
};

}  // namespace

std::span<const Variant> variants() { return table; }

const Variant *find_variant(std::string_view name) {
    for (const Variant &v : table)
        if (v.name == name) return &v;
    return nullptr;
}

}  // namespace cryolite::bench

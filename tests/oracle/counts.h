// What happened in one run of a LoopNest, counted: for every stage and every loop around it what one
// run of that loop touches; productions, realisations and storage of every Func.
#pragma once

#include <map>
#include <vector>

#include "tests/oracle/interpreter.h"

namespace cryolite::oracle {

// Over all instances of something.
struct Sample {
    int64_t instances = 0, sum = 0, least = 0, most = 0;
    // Of the instance in mid-range; -1 where there is none.
    int64_t middle = -1;
    void add(int64_t value, bool is_middle);
};

// An element of a Func: its place in the root region, dimension 0 fastest, and its tuple's value.
struct Element {
    int64_t place = 0;
    int value = 0;
    auto operator<=>(const Element &) const = default;
};

// One Func's elements within one scope.
struct TouchCount {
    Sample unique;                // distinct elements per instance
    std::vector<Element> middle;  // those of the instance in mid-range
    Box middle_box;               // and all that might have been touched then
};

struct ScopeCount {
    Sample points;
    std::map<FuncId, TouchCount> reads;
    TouchCount writes;
};

struct StageCount {
    // The loops around the stage and its own, outermost first. scope[p] is one run of loop p, so that
    // scope[0] is the whole pipeline's run and scope.back() a point.
    std::vector<LoopName> loops;
    std::vector<LoopKind> kinds;
    std::vector<ScopeCount> scopes;
    std::map<FuncId, int64_t> loads;  // executed
    int64_t stores = 0;
    // Of the production in mid-range: iterations of every loop, and runs of the innermost one that are
    // as long as the nest says.
    std::vector<int64_t> middle_iterations;
    int64_t whole_innermost_runs = 0;
};

struct FuncCount {
    Sample produced;    // points of Production::computed
    Sample held;        // points of Realisation::held
    Sample held_bytes;  // with a window folded to the next power of two
    int64_t most_window = 0;
    Box middle_needed, middle_computed;
    bool middle_starts_window = false;
    Box middle_held;
    // What one iteration in mid-range of a loop needs of the Func, with what updates touch besides.
    std::map<LoopName, Box> needed_by;
};

struct Counts {
    std::vector<StageCount> stages;  // by StageId; empty where the stage is inlined
    std::vector<FuncCount> funcs;
    std::vector<Box> touched;  // by FuncId: over the whole run
    // Bytes of storage alive at once, of one thread.
    int64_t peak_bytes = 0, peak_bytes_in_loops = 0;
    std::string wrong;  // see interpret()
};

// Distinct elements are counted with Tails::Exact only: beyond the root regions there are none.
Counts count(const RandomGraph &subject, const LoopNest &nest, Tails tails);

}  // namespace cryolite::oracle

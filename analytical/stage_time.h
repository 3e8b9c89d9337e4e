// The predicted time of one stage, on a CPU or in a kernel of a GPU.
#pragma once

#include "analytical/overlap.h"
#include "graph/stage_graph.h"

namespace cryolite {

// What is counted of it, once.
struct StageTerms {
    StageId stage;
    TermTarget target = TermTarget::Cpu;
    Terms
        raw{};  // after the parallel speed-up; page faults as if all pages were fresh (allocations.h)
    bool faults_in_loop = false;  // its Func is stored in a loop, not at root
    double realisations = 1;      // of its Func; in a GPU's kernel the kernel's launches
    double speedup = 1;           // by which parallel loops divide core-bound time
    bool too_large = false;       // unrolled beyond reason
};

// What is made of it where a schedule is explained. Of page faults there are then those on fresh pages only.
struct StageTime : StageTerms {
    Terms corrected{};  // correction.h
    Overlap overlap;    // of `corrected`
    double seconds() const { return overlap.seconds; }
};

}  // namespace cryolite

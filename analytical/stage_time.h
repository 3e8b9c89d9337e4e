// The predicted time of one stage, on a CPU or in a kernel of a GPU.
#pragma once

#include "analytical/overlap.h"
#include "graph/stage_graph.h"

namespace cryolite {

// Counted once per stage; no correction or overlap changes it.
struct StageTerms {
    StageId stage;
    TermTarget target = TermTarget::Cpu;
    Terms
        raw{};  // after the parallel speed-up; page faults as if all pages were fresh (allocations.h)
    bool faults_in_loop = false;  // the Func is stored in a loop, not at root
    double realisations = 1;      // of the Func; in a GPU's kernel the kernel's launches
    double speedup = 1;           // parallel loops divide core-bound time by this
    bool too_large = false;       // unrolled beyond reason
};

// The time of a stage in an explained schedule. Its page faults, raw and corrected, are those on fresh pages only.
struct StageTime : StageTerms {
    Terms corrected{};  // correction.h
    double trust = 1;   // Correction::trust
    Overlap overlap;    // of `corrected`
    double seconds() const { return overlap.seconds; }
};

}  // namespace cryolite

// Carries out a plan action by action, through the one door of schedule/: what it refuses becomes
// the nearest thing that it takes, and a number in the report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "code/stage/expanded_stage.h"
#include "reference/stage_shape.h"
#include "reference/strategy.h"

namespace cryolite::strategies {

// Where a Func is wanted; sites from the inside out, each around the one before.
struct Place {
    std::vector<LoopName> sites;  // compute at the first; empty: root
    bool slides = false;          // stored one site further out, or at root
};

class Builder {
public:
    Builder(const StageGraph &graph, const Machine &machine)
        : graph_(graph), machine_(machine), nest_(graph), expander_(graph) {}

    const LoopNest &nest() const { return nest_; }
    const StageGraph &graph() const { return graph_; }
    const Machine &machine() const { return machine_; }
    StageExpander &expander() { return expander_; }

    // False: refused, or it would multiply its readers' work beyond reason.
    bool try_inline(FuncId f);
    void compute_root(FuncId f) { try_action(action::ComputeRoot{f}); }
    // A window that cannot slide is computed whole where it would be stored, as algorithm 4 does
    // along loops that nothing slides along. A site that is refused gives way to the next one
    // around it, in the end to root.
    void place(FuncId f, const Place &wanted);

    // Per level of the shape: the loop that it became; none where it has a single iteration.
    // Refused: a vector is left out; reduction loops that must keep their order are put back into
    // it; fewer loops run in parallel.
    std::vector<std::optional<LoopName>> shape(StageId stage, const StageShape &shape);
    void shape_plainly(StageId stage, const std::string &why);
    // Something else than the method asks for; counts the stage as adapted once it is shaped.
    void adapt(StageId stage, const std::string &how);
    void note(const std::string &text) { report_.notes.push_back(text); }

    StrategyResult finish() &&;

private:
    bool try_action(const Action &action);
    bool try_window(FuncId f, const Place &wanted);
    void moved(FuncId f, const std::string &where);
    void reorder(StageId stage, std::vector<LoopName> order);

    const StageGraph &graph_;
    const Machine &machine_;
    LoopNest nest_;
    StageExpander expander_;
    StrategyReport report_;
    std::vector<StageId> adapted_;
};

}  // namespace cryolite::strategies

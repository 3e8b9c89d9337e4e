// The two ways out for a list of scheduling calls: run on Halide's Funcs, or printed as C++.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <Halide.h>

#include "emit/schedule_call.h"
#include "graph/builder/build.h"

namespace cryolite {

// functions: one per Func of the graph, same index. Halide reports what it refuses by throwing.
void run_calls(const StageGraph &graph, std::span<const Halide::Internal::Function> functions,
               std::span<const ScheduleCall> calls);

// After run_calls(): leaves out the general case of what has a case for whole parts, where the estimates hold them.
void leave_out_small_sizes(const LoopNest &nest,
                           std::span<const Halide::Internal::Function> functions,
                           std::span<const ScheduleCall> calls);

// How the text names things. Identifiers are unique over the whole text and clash with no keyword.
class Identifiers {
public:
    Identifiers();
    std::string fresh(const std::string &halide_name);

private:
    std::vector<std::string> taken_;
};

// The calls as statements, Vars and RVars declared before them. `funcs`: the identifiers of the
// Funcs' handles, one per Func of the graph (empty for those that no call names).
std::string print_calls(const StageGraph &graph, std::span<const ScheduleCall> calls,
                        const std::vector<std::string> &funcs, Identifiers &identifiers,
                        const std::string &indent);

// The calls that divide a reduction, as a statement that declares the Func of partial results `partial`. func: the
// identifier of the divided Func's handle.
std::string print_division(const DivisionCalls &calls, const std::string &func,
                           const std::string &partial, const std::string &indent);

}  // namespace cryolite

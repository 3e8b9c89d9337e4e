#include "emit/emit.h"

#include <set>

#include "emit/algorithm_check.h"
#include "emit/emit_calls.h"
#include "emit/print_tile_kernels.h"

namespace cryolite {

namespace {

constexpr const char *indent = "    ";

// Handles for the Funcs that a call names, then the calls.
std::string statements(const BuiltGraph &built, const std::vector<ScheduleCall> &calls) {
    std::set<FuncId> named, partial;
    for (const DivisionCalls &d : built.divisions) {
        named.insert(built.graph.find(d.division.func));
        partial.insert(built.graph.find(d.partial));
    }
    for (const ScheduleCall &call : calls) {
        named.insert(built.graph.stage(call.stage).func);
        if (call.site) named.insert(built.graph.stage(*call.site).func);
    }
    Identifiers identifiers;
    std::vector<std::string> funcs(built.graph.funcs().size());
    std::string text;
    named.insert(partial.begin(), partial.end());
    for (FuncId f : named) {
        // Without what Halide has appended to make the name unique.
        const std::string &name = built.graph.func(f).name;
        funcs[f.index()] = identifiers.fresh(name.substr(0, name.find('$')));
        if (!partial.contains(f))
            text += indent + ("Func " + funcs[f.index()]) + " = cryolite_func(\"" + name + "\");\n";
    }
    for (const DivisionCalls &d : built.divisions)
        text += print_division(d, funcs[built.graph.find(d.division.func).index()],
                               funcs[built.graph.find(d.partial).index()], indent);
    return text + print_calls(built.graph, calls, funcs, identifiers, indent);
}

// nest: null for no schedule at all.
std::string source_of(const BuiltGraph &built, const std::vector<ScheduleCall> &calls,
                      const LoopNest *nest) {
    std::string text = statements(built, calls);
    if (nest != nullptr)
        text += print_tile_kernels(
            *nest, [&](FuncId f) { return "cryolite_func(\"" + built.graph.func(f).name + "\")"; },
            indent);
    if (text.empty()) text = indent + std::string("(void)cryolite_func;  // it is left as it is\n");
    return "const auto cryolite_schedule = [&](const auto &cryolite_func) {\n" + text +
           "};\n"
           "\n" +
           check_and_apply(built);
}

}  // namespace

Result<Emitted> emit(const BuiltGraph &built, const LoopNest &nest, SmallSizes small_sizes) {
    if (!nest.complete()) return Error{"the schedule leaves Funcs undecided"};
    const std::vector<ScheduleCall> calls = schedule_calls(nest);
    try {
        run_calls(built.graph, built.functions, calls);
        if (small_sizes == SmallSizes::Unchecked)
            leave_out_small_sizes(nest, built.functions, calls);
    } catch (const Halide::Error &error) {
        return Error{std::string("Halide refused the schedule: ") + error.what()};
    }
    return Emitted{source_of(built, calls, &nest)};
}

Emitted emit_nothing(const BuiltGraph &built) { return Emitted{source_of(built, {}, nullptr)}; }

std::string schedule_source(const BuiltGraph &built, const LoopNest &nest) {
    return source_of(built, schedule_calls(nest), &nest);
}

}  // namespace cryolite

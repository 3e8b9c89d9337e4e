#include "emit/emit.h"

#include <cctype>
#include <set>

#include "emit/algorithm_check.h"
#include "emit/emit_calls.h"
#include "graph/algorithm_hash.h"

namespace cryolite {

namespace {

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
    const std::vector<std::string> finds = find_expressions(built);
    std::string text;
    named.insert(partial.begin(), partial.end());
    for (FuncId f : named) {
        // Without what Halide has appended to make the name unique.
        const std::string &name = built.graph.func(f).name;
        funcs[f.index()] = identifiers.fresh(name.substr(0, name.find('$')));
        if (!partial.contains(f))
            text += "    Func " + funcs[f.index()] + " = " + finds[f.index()] + ";\n";
    }
    for (const DivisionCalls &d : built.divisions)
        text += print_division(d, funcs[built.graph.find(d.division.func).index()],
                               funcs[built.graph.find(d.partial).index()], "    ");
    return text + print_calls(built.graph, calls, funcs, identifiers, "    ");
}

std::string identifier_of(const std::string &name) {
    std::string text;
    for (char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return text;
}

Emitted source_of(const BuiltGraph &built, const std::vector<ScheduleCall> &calls) {
    // Halide writes this into a function whose parameters are `pipeline` and `target`.
    return Emitted{"    (void)target;\n" + local_algorithm_hash() +
                   "    const auto cryolite_hash = [](const "
                   "std::vector<::Halide::Internal::Function> &functions) {\n"
                   "        return CryoliteAlgorithmHash().of(functions);\n"
                   "    };\n" +
                   check_and_find(built, "cryolite_hash") + statements(built, calls)};
}

}  // namespace

Result<Emitted> emit(const BuiltGraph &built, const LoopNest &nest) {
    if (!nest.complete()) return Error{"the schedule leaves Funcs undecided"};
    const std::vector<ScheduleCall> calls = schedule_calls(nest);
    try {
        run_calls(built.graph, built.functions, calls);
    } catch (const Halide::Error &error) {
        return Error{std::string("Halide refused the schedule: ") + error.what()};
    }
    return source_of(built, calls);
}

Emitted emit_nothing(const BuiltGraph &built) { return source_of(built, {}); }

std::string schedule_header(const BuiltGraph &built, const LoopNest &nest,
                            const std::string &name) {
    const std::string identifier = identifier_of(name);
    return "// A schedule for " + name + ", made by Cryolite. Call apply_schedule_" + identifier +
           "(pipeline) once\n"
           "// the algorithm is defined; a pipeline whose algorithm is another is refused.\n"
           "#ifndef CRYOLITE_SCHEDULE_" +
           identifier +
           "\n"
           "#define CRYOLITE_SCHEDULE_" +
           identifier +
           "\n"
           "\n" +
           std::string(algorithm_hash_source()) +
           "\n"
           "inline void apply_schedule_" +
           identifier +
           "(const ::Halide::Pipeline &pipeline) {\n"
           "    using ::Halide::Func;\n"
           "    using ::Halide::RVar;\n"
           "    using ::Halide::TailStrategy;\n"
           "    using ::Halide::Var;\n" +
           check_and_find(built, "::cryolite_schedule::algorithm_hash") +
           statements(built, schedule_calls(nest)) +
           "}\n"
           "\n"
           "#endif\n";
}

}  // namespace cryolite

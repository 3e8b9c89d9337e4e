// A case of emit_cases.h on its pipeline, ready to be emitted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "code/legality/validate.h"
#include "emit/emit.h"
#include "schedule/trace_text.h"
#include "tests/emit/emit_cases.h"
#include "tests/schedule/pipelines.h"

namespace cryolite::testing {

// Halide makes names unique by a suffix: "out$3" is written "out" in the cases.
inline std::string with_actual_names(const StageGraph &graph, const std::string &text) {
    std::map<std::string, std::string> actual;
    for (const Func &f : graph.funcs()) actual[f.name.substr(0, f.name.find('$'))] = f.name;
    std::istringstream lines(text);
    std::string line, result;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string word;
        for (bool first = true; words >> word; first = false) {
            const size_t dot = word.rfind(".s");
            const std::string func = word.substr(0, dot);
            if (actual.count(func))
                word = actual[func] + (dot == word.npos ? "" : word.substr(dot));
            result += (first ? "" : " ") + word;
        }
        result += "\n";
    }
    return result;
}

struct Scheduled {
    SmallPipeline pipeline;
    BuiltGraph built;
    std::optional<LoopNest> nest;
};

inline std::unique_ptr<Scheduled> prepare(const EmitCase &of) {
    SmallPipeline p = make_pipeline(of.pipeline);
    Result<BuiltGraph> built =
        build_graph(p.functions(), Halide::get_jit_target_from_environment());
    if (!built) {
        ADD_FAILURE() << built.error().message;
        return nullptr;
    }
    auto result = std::make_unique<Scheduled>(Scheduled{p, std::move(*built), std::nullopt});
    const StageGraph &graph = result->built.graph;
    const std::string head = to_text(graph, {});
    const Result<Trace> trace = parse_trace(graph, head + with_actual_names(graph, of.trace));
    if (!trace) {
        ADD_FAILURE() << trace.error().message;
        return nullptr;
    }
    const Result<LoopNest, ReplayFailure> nest = replay(graph, *trace);
    if (!nest) {
        ADD_FAILURE() << "action " << nest.error().failed_at << ": " << name(nest.error().reason);
        return nullptr;
    }
    // What the case does not mention, such as the Func that wraps the input, is inlined.
    result->nest = *nest;
    for (const Func &f : graph.funcs()) {
        if (f.is_input() || result->nest->decided(f.id)) continue;
        result->nest = *cryolite::apply(*result->nest, action::Inline{f.id});
    }
    EXPECT_EQ(validate(*result->nest), "");
    return result;
}

}  // namespace cryolite::testing

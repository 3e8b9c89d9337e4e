#include "emit/scheduled_copy.h"

#include "emit/emit.h"
#include "graph/halide/pipeline_view.h"

namespace cryolite {

using Halide::Internal::Function;

Result<Halide::Pipeline> scheduled_copy(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                        const LoopNest *nest) try {
    const std::vector<Function> outputs = outputs_of(pipeline);
    auto [copied_outputs, copied] =
        Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs));
    BuiltGraph copy = built;
    for (Function &f : copy.functions) {
        if (!f.get_contents().defined()) continue;
        auto it = copied.find(f.name());
        if (it == copied.end()) return Error{"Func " + f.name() + " was not copied"};
        f = it->second;
    }
    if (nest != nullptr)
        if (auto emitted = emit(copy, *nest); !emitted.ok()) return emitted.error();
    std::vector<Halide::Func> funcs;
    for (const Function &f : copied_outputs) funcs.emplace_back(f);
    return Halide::Pipeline(funcs);
} catch (const Halide::Error &error) {
    return Error{error.what()};
}

}  // namespace cryolite

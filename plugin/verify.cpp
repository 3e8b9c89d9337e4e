#include "plugin/verify.h"

#include "schedule/emit.h"

namespace cryolite {

using Halide::Internal::Function;

std::string what_halide_refuses(const Halide::Pipeline &pipeline, const BuiltGraph &built,
                                const LoopNest &nest, const Halide::Target &target) {
    try {
        std::vector<Function> outputs;
        for (const Halide::Func &f : pipeline.outputs()) outputs.push_back(f.function());
        auto [copied_outputs, copied] =
            Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs));
        BuiltGraph copy = built;
        for (Function &f : copy.functions) {
            if (!f.get_contents().defined()) continue;
            auto it = copied.find(f.name());
            if (it == copied.end()) return "Func " + f.name() + " was not copied";
            f = it->second;
        }
        auto emitted = emit(copy, nest);
        if (!emitted.ok()) return emitted.error().message;
        std::vector<Halide::Func> funcs;
        for (const Function &f : copied_outputs) funcs.emplace_back(f);
        Halide::Pipeline scheduled(funcs);
        scheduled.compile_to_module(scheduled.infer_arguments(), "verify",
                                    target.without_feature(Halide::Target::NoBoundsQuery));
        return {};
    } catch (const Halide::Error &e) {
        return e.what();
    } catch (const std::exception &e) {
        return e.what();
    }
}

}  // namespace cryolite

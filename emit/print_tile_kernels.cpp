#include "emit/print_tile_kernels.h"

#include "code/legality/tile_kernels.h"

namespace cryolite {

namespace {

std::string text_of_tile(const tensorcore::Tile &tile) {
    std::string text;
    for (int number : tensorcore::numbers_of(tile))
        text += (text.empty() ? "{" : ", ") + std::to_string(number);
    return text + "}";
}

}  // namespace

std::string print_tile_kernels(const LoopNest &nest, const std::function<std::string(FuncId)> &func,
                               const std::string &indent) {
    const StageGraph &graph = nest.graph();
    std::string text;
    for (const TensorProduct &product : graph.products()) {
        const std::optional<StageId> lead = lead_of_product(nest, product);
        if (!lead) continue;
        const Stage &stage = graph.stage(product.stage);
        if (text.empty())
            text = indent +
                   "// What follows is computed on tensor cores, by kernels that a lowering pass "
                   "makes.\n" +
                   indent +
                   "// Include Cryolite's \"tensorcore/schedule_product.h\" before this file, and "
                   "link the\n" +
                   indent +
                   "// library cryolite_tensorcore. With autoscheduler.tensor_cores=off there is "
                   "nothing of it.\n" +
                   indent +
                   "std::vector<::cryolite::tensorcore::LoweredProduct> cryolite_products;\n";
        text += indent + "if (const auto product = ::cryolite::tensorcore::schedule_product(\n";
        text +=
            indent + "        {" + func(stage.func) + ", " + std::to_string(stage.index - 1) + ", ";
        text += *lead == product.stage ? "std::nullopt" : func(graph.stage(*lead).func);
        text += ", " + text_of_tile(nest.stage_nest(*lead).tile_kernel->tile);
        if (tensorcore::precision_of(product.types) == tensorcore::Precision::Tf32)
            text += ", ::cryolite::tensorcore::Precision::Tf32";
        text += "}, target);\n";
        text += indent + "    product.ok())\n" + indent +
                "    cryolite_products.push_back(*product);\n";
        text += indent + "else\n" + indent +
                "    throw ::Halide::CompileError(product.error().message + \"\\n\");\n";
    }
    if (!text.empty())
        text += indent + "::cryolite::tensorcore::add_pass(pipeline, cryolite_products, target);\n";
    return text;
}

}  // namespace cryolite

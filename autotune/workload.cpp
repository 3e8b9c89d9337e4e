#include "autotune/workload.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "graph/halide/pipeline_view.h"

namespace cryolite {
namespace {

using Halide::Internal::Function;
using nlohmann::json;

class ParameterFinder : public Halide::Internal::IRGraphVisitor {
public:
    std::map<std::string, Halide::Parameter> found;

private:
    using IRGraphVisitor::visit;
    void add(const Halide::Parameter &p) {
        if (p.defined()) found.emplace(p.name(), p);
    }
    void visit(const Halide::Internal::Variable *v) override { add(v->param); }
    void visit(const Halide::Internal::Call *c) override {
        IRGraphVisitor::visit(c);
        add(c->param);
    }
};

json region_of(const Box &box) {
    json region = json::array();
    for (const Interval &i : box) region.push_back({i.min, i.extent()});
    return region;
}

}  // namespace

std::map<std::string, Halide::Parameter> parameters_of(const Halide::Pipeline &pipeline) {
    const std::vector<Function> outputs = outputs_of(pipeline);
    ParameterFinder finder;
    for (const auto &[name, f] : Halide::Internal::build_environment(outputs)) {
        f.accept(&finder);
        if (!f.has_extern_definition()) continue;
        for (const Halide::ExternFuncArgument &a : f.extern_arguments()) {
            if (a.is_image_param()) finder.found.emplace(a.image_param.name(), a.image_param);
            if (a.is_expr()) a.expr.accept(&finder);
        }
    }
    for (const Function &f : outputs)
        for (const Halide::Parameter &p : f.output_buffers()) finder.found.erase(p.name());
    return finder.found;
}

std::string workload_text(const Halide::Pipeline &pipeline, const BuiltGraph &built) {
    json inputs = json::object(), outputs = json::object(), scalars = json::object();
    for (const Func &f : built.graph.funcs()) {
        if (f.is_input()) inputs[f.name] = region_of(f.root_region);
        if (f.role == FuncRole::Output) outputs[f.name] = region_of(f.root_region);
    }
    for (const auto &[name, p] : parameters_of(pipeline)) {
        if (p.is_buffer()) continue;
        std::ostringstream text;
        if (p.estimate().defined()) text << Halide::Internal::simplify(p.estimate());
        scalars[name] = text.str();
    }
    return json{{"inputs", inputs}, {"outputs", outputs}, {"scalars", scalars}}.dump();
}

}  // namespace cryolite

// cache_probe: schedules of small kernels, compiled to be counted by cachegrind, and what is predicted
// of their misses. Writes JSON to standard output. Its tasks:
//   list     the kernels, and the caches of the Machine that all is said for
//   draw     `count` cases of a kernel by `seed`: sizes, trace, prediction; compiled into `directory`
//   predict  the same cases anew, from a file that `draw` wrote, with nothing compiled
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/cache_probe/draw_order.h"
#include "bench/cache_probe/in_child.h"
#include "bench/cache_probe/kernels.h"
#include "bench/cache_probe/predictors.h"
#include "code/legality/apply.h"
#include "emit/emit.h"
#include "graph/builder/build.h"
#include "schedule/trace_text.h"

namespace cryolite::bench {
namespace {

using nlohmann::json;

// Valgrind 3.19 knows no AVX-512.
constexpr const char *target_name = "x86-64-linux-avx-avx2-fma-f16c-sse41-no_runtime";

struct Question {
    std::string task, kernel, cases, directory;
    uint64_t seed = 0;
    size_t count = 1;
};

template <typename T, typename E>
T or_throw(Result<T, E> result) {
    if (result.ok()) return std::move(result).value();
    if constexpr (std::is_same_v<E, Error>) {
        throw std::runtime_error(result.error().message);
    } else {
        throw std::runtime_error("action " + std::to_string(result.error().failed_at + 1) + ": " +
                                 name(result.error().reason));
    }
}

// A kernel of some size with its graph, which the nests refer to.
struct Subject {
    Subject(const KernelKind &kind, const std::vector<int64_t> &sizes)
        : pipeline(kind.make(sizes)),
          built(or_throw(build_graph({pipeline.output.function()}, Halide::Target(target_name)))) {}
    const StageGraph &graph() const { return built.graph; }

    KernelPipeline pipeline;
    BuiltGraph built;
};

json predictions(const LoopNest &nest) {
    json all = json::object();
    for (const Prediction &p : predict(nest, cachegrind_machine()))
        all[p.predictor] = p.misses ? json(*p.misses) : json();
    return all;
}

json buffer(const Func &func) {
    json extents = json::array();
    for (const Interval &i : func.root_region) extents.push_back(i.extent());
    const ScalarType type = func.values[0];
    return {{"type", (type.is_float() ? "f" : "u") + std::to_string(type.bits)},
            {"extents", extents}};
}

// In the order of the compiled function's arguments.
json buffers(const Subject &subject) {
    json list = json::array();
    for (const Halide::ImageParam &p : subject.pipeline.inputs)
        list.push_back(buffer(subject.graph().func(subject.graph().find(p.name()))));
    list.push_back(
        buffer(subject.graph().func(subject.graph().find(subject.pipeline.output.name()))));
    return list;
}

void compile(Subject &subject, const LoopNest &nest, const std::string &symbol,
             const std::string &directory) {
    or_throw(emit(subject.built, nest));
    std::vector<Halide::Argument> arguments(subject.pipeline.inputs.begin(),
                                            subject.pipeline.inputs.end());
    subject.pipeline.output.compile_to_object(directory + "/" + symbol + ".o", arguments, symbol,
                                              Halide::Target(target_name));
}

json draw_case(const KernelKind &kind, const Question &q, size_t number) {
    Random random = Random(q.seed).fork(kind.name, number);
    const std::vector<int64_t> sizes = draw_sizes(kind, random);
    Subject subject(kind, sizes);
    const LoopNest nest =
        draw_order(subject.graph(), cachegrind_machine().vector_bytes, random.fork("schedule"));
    const std::string symbol = std::string(kind.name) + "_" + std::to_string(number);
    json result = {{"symbol", symbol},
                   {"sizes", sizes},
                   {"trace", to_text(subject.graph(), trace_of(nest))},
                   {"buffers", buffers(subject)},
                   {"predicted", predictions(nest)}};
    if (!q.directory.empty()) compile(subject, nest, symbol, q.directory);
    return result;
}

json predict_case(const KernelKind &kind, const json &known) {
    const Subject subject(kind, known.at("sizes").get<std::vector<int64_t>>());
    const Trace trace =
        or_throw(parse_trace(subject.graph(), known.at("trace").get<std::string>()));
    return predictions(or_throw(replay(subject.graph(), trace)));
}

// What could not be done is {"failure": why}.
json in_own_process(const std::function<json()> &work) {
    const Result<std::string> text = in_child([&] { return work().dump(); });
    return text.ok() ? json::parse(*text) : json{{"failure", text.error().message}};
}

json list() {
    json kernels = json::array(), caches = json::array();
    for (const KernelKind &k : kernel_kinds())
        kernels.push_back({{"name", k.name}, {"doc", k.doc}});
    const Machine machine = cachegrind_machine();
    for (size_t i = 0; i < num_simulated_caches; i++) {
        const CacheLevel &c = machine.caches[i];
        caches.push_back(
            {{"size_bytes", c.size_bytes}, {"ways", c.ways}, {"line_bytes", c.line_bytes}});
    }
    return {{"kernels", kernels}, {"caches", caches}};
}

json answer(const Question &q) {
    if (q.task == "list") return list();
    const KernelKind *kind = find_kernel(q.kernel);
    if (!kind) throw std::runtime_error("there is no kernel '" + q.kernel + "'");
    json results = json::array();
    if (q.task == "draw") {
        if (!q.directory.empty()) {
            const std::string runtime = q.directory + "/runtime.o";
            in_own_process([&] {
                Halide::Target target(target_name);
                Halide::compile_standalone_runtime(
                    runtime, target.without_feature(Halide::Target::NoRuntime));
                return json();
            });
        }
        for (size_t i = 0; i < q.count; i++)
            results.push_back(in_own_process([&] { return draw_case(*kind, q, i); }));
    } else {
        std::ifstream file(q.cases);
        const json cases = json::parse(file, nullptr, false);
        if (!cases.is_array()) throw std::runtime_error("no list of cases in '" + q.cases + "'");
        for (const json &known : cases)
            results.push_back(in_own_process([&] { return predict_case(*kind, known); }));
    }
    return results;
}

}  // namespace
}  // namespace cryolite::bench

int main(int argc, char **argv) {
    cryolite::bench::Question q;
    CLI::App app("Cases for cachegrind, and what is predicted of them", "cache_probe");
    app.add_option("task", q.task, "list, draw or predict")
        ->required()
        ->check(CLI::IsMember({"list", "draw", "predict"}));
    app.add_option("--kernel", q.kernel, "of those that list names");
    app.add_option("--seed", q.seed, "of what is drawn");
    app.add_option("--count", q.count, "cases to draw");
    app.add_option("--directory", q.directory, "where objects are written; none: nothing compiled");
    app.add_option("--cases", q.cases, "file with the cases to predict");
    CLI11_PARSE(app, argc, argv);
    try {
        std::cout << cryolite::bench::answer(q).dump() << '\n';
    } catch (const std::exception &e) {
        std::cerr << "cache_probe: error: " << e.what() << '\n';
        return 1;
    }
    return 0;
}

#include "tests/semantics/random_user_schedule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "code/legality/apply.h"
#include "graph/builder/build.h"

namespace cryolite {

namespace {

using Halide::Internal::Function;
using Funcs = std::vector<Halide::Func>;
using Apply = std::function<void(const Funcs &)>;

constexpr auto guard = Halide::TailStrategy::GuardWithIf;

std::vector<Function> outputs_of(const RandomPipeline &pipeline) {
    std::vector<Function> outputs;
    for (const PipelineOutput &output : pipeline.outputs) outputs.push_back(output.func.function());
    return outputs;
}

Funcs handles(const std::vector<Function> &functions) {
    Funcs funcs;
    for (const Function &f : functions)
        funcs.push_back(f.get_contents().defined() ? Halide::Func(f) : Halide::Func());
    return funcs;
}

// The pipeline's Funcs once more, to try a schedule on.
class Copy {
public:
    Copy(const std::vector<Function> &outputs, const BuiltGraph &built) {
        auto [copied, by_name] =
            Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs));
        std::vector<Function> functions = built.functions;
        for (Function &f : functions)
            if (f.get_contents().defined()) f = by_name.at(f.name());
        funcs = handles(functions);
        for (const Function &f : copied) outputs_.emplace_back(f);
    }

    bool is_lowered() {
        Halide::Pipeline pipeline(outputs_);
        (void)pipeline.compile_to_module(pipeline.infer_arguments(), "alone",
                                         Halide::get_host_target());
        return true;
    }

    Funcs funcs;

private:
    std::vector<Halide::Func> outputs_;
};

std::string own_name(const std::string &variable) {
    return variable.substr(variable.rfind('.') + 1);
}

class Drawer {
public:
    Drawer(const RandomPipeline &pipeline, const BuiltGraph &built, Random random)
        : outputs_(outputs_of(pipeline)), built_(built), graph_(built.graph), random_(random) {}

    std::vector<UserDirectives> draw() {
        const size_t wanted = 1 + random_.below(4);
        for (size_t tries = 0; tries < 4 * wanted && accepted_.size() < wanted; tries++) {
            text_.clear();
            steps_.clear();
            try {
                Copy copy(outputs_, built_);
                for (const UserDirectives &d : accepted_) d.apply(copy.funcs);
                copy_ = &copy;
                draw_one();
                if (steps_.empty() || !copy.is_lowered()) continue;
            } catch (const Halide::Error &) {
                continue;  // a user would have to think again, too
            }
            accepted_.push_back({text_, [steps = steps_](const Funcs &funcs) {
                                     for (const Apply &step : steps) step(funcs);
                                 }});
        }
        return std::move(accepted_);
    }

private:
    // Says it, keeps it, and does it on the copy at hand.
    void add(const std::string &text, const Apply &step) {
        text_ += "  " + text + ";\n";
        steps_.push_back(step);
        step(copy_->funcs);
    }

    std::string name(size_t f) const { return graph_.func(FuncId(f)).name; }
    bool is_output(size_t f) const { return graph_.func(FuncId(f)).is_output(); }
    size_t any_func() { return random_.below(graph_.num_scheduled()); }

    std::set<size_t> readers_of(size_t f) const {
        std::set<size_t> readers;
        std::vector<size_t> todo{f};
        while (!todo.empty()) {
            const Func &func = graph_.func(FuncId(todo.back()));
            todo.pop_back();
            for (EdgeId e : func.outgoing) {
                const size_t reader = graph_.func_of(graph_.edge(e).consumer).id.index();
                if (readers.insert(reader).second) todo.push_back(reader);
            }
        }
        return readers;
    }

    // Of a stage's loops as scheduled so far, innermost first.
    std::vector<std::string> loops(size_t f, size_t stage) const {
        const Function function = copy_->funcs[f].function();
        const auto &definition =
            stage == 0 ? function.definition() : function.update(static_cast<int>(stage) - 1);
        std::vector<std::string> names;
        if (!definition.defined()) return names;
        for (const auto &dim : definition.schedule().dims()) names.push_back(own_name(dim.var));
        if (!names.empty()) names.pop_back();  // outside of all
        return names;
    }

    void draw_one() {
        const size_t kind = random_.below(100);
        if (kind < 40) return place_inside();
        if (kind < 55) return at_root();
        if (kind < 70) return shape_output();
        if (kind < 78) return together();
        if (kind < 86) return update();
        if (kind < 90) return specialised();
        if (kind < 95) return storage();
        if (kind < 98) return wrapper();
        const size_t f = any_func();
        add(name(f) + ".compute_inline()", [f](const Funcs &fs) { at(fs, f).compute_inline(); });
    }

    static Halide::Func at(const Funcs &funcs, size_t f) { return funcs[f]; }

    void compute_root(size_t f) {
        add(name(f) + ".compute_root()", [f](const Funcs &fs) { at(fs, f).compute_root(); });
    }

    // Splits, reorders, vectors, threads: of the pure definition.
    void shape(size_t f) {
        std::vector<std::string> outer, inner;
        for (const std::string &v : loops(f, 0)) {
            const std::string o = v + "o" + std::to_string(accepted_.size()),
                              i = v + "i" + std::to_string(accepted_.size());
            if (outer.size() + inner.size() >= 4 || !random_.chance(0.6)) {
                outer.push_back(v);
                continue;
            }
            const int factor = 1 << random_.between(1, 4);
            add(name(f) + ".split(" + v + ", " + o + ", " + i + ", " + std::to_string(factor) + ")",
                [=](const Funcs &fs) {
                    at(fs, f).split(Halide::Var(v), Halide::Var(o), Halide::Var(i), factor, guard);
                });
            outer.push_back(o);
            inner.push_back(i);
        }
        if (outer.empty()) return;
        if (random_.chance(0.7)) reorder(f, inner, outer);
        if (!inner.empty() && random_.chance(0.5)) {
            const std::string v = inner[0];
            const bool unrolls = random_.chance(0.2);
            add(name(f) + (unrolls ? ".unroll(" : ".vectorize(") + v + ")", [=](const Funcs &fs) {
                if (unrolls)
                    at(fs, f).unroll(Halide::Var(v));
                else
                    at(fs, f).vectorize(Halide::Var(v));
            });
        }
        std::string last = outer.back();
        if (outer.size() > 1 && random_.chance(0.25)) {
            const std::string a = outer[outer.size() - 2], b = last;
            last = "both" + std::to_string(accepted_.size());
            add(name(f) + ".fuse(" + a + ", " + b + ", " + last + ")", [=](const Funcs &fs) {
                at(fs, f).fuse(Halide::Var(a), Halide::Var(b), Halide::Var(last));
            });
        }
        if (random_.chance(0.5))
            add(name(f) + ".parallel(" + last + ")",
                [=](const Funcs &fs) { at(fs, f).parallel(Halide::Var(last)); });
    }

    void reorder(size_t f, std::vector<std::string> order, const std::vector<std::string> &outer) {
        order.insert(order.end(), outer.begin(), outer.end());
        std::string text;
        for (const std::string &v : order) text += (text.empty() ? "" : ", ") + v;
        add(name(f) + ".reorder(" + text + ")", [=](const Funcs &fs) {
            std::vector<Halide::VarOrRVar> vars;
            for (const std::string &v : order) vars.emplace_back(Halide::Var(v));
            at(fs, f).reorder(vars);
        });
    }

    void vectorize_rows(size_t f) {
        const std::vector<std::string> all = loops(f, 0);
        if (all.empty() || !random_.chance(0.4)) return;
        const std::string v = all[0];
        add(name(f) + ".vectorize(" + v + ", 8)",
            [=](const Funcs &fs) { at(fs, f).vectorize(Halide::Var(v), 8, guard); });
    }

    void place_inside() {
        const size_t f = any_func();
        const std::set<size_t> readers = readers_of(f);
        if (readers.empty() || is_output(f)) return;
        const size_t o =
            *std::next(readers.begin(), static_cast<int64_t>(random_.below(readers.size())));
        const bool is_free = copy_->funcs[o].function().schedule().compute_level().is_inlined();
        if (!is_output(o) && is_free) compute_root(o);
        const size_t stages = graph_.func(FuncId(o)).stages.size();
        const size_t stage = random_.below(stages);
        if (stage == 0 && random_.chance(0.6)) shape(o);
        const std::vector<std::string> all = loops(o, stage);
        if (all.empty()) return;
        const size_t site = random_.below(all.size());
        const std::string v = all[site];
        add(name(f) + ".compute_at(" + name(o) + ", " + v + ")",
            [=](const Funcs &fs) { at(fs, f).compute_at(at(fs, o), Halide::Var(v)); });
        if (random_.chance(0.2)) store_outside(f, o, all, site);
        vectorize_rows(f);
    }

    void store_outside(size_t f, size_t o, const std::vector<std::string> &all, size_t site) {
        if (site + 1 < all.size() && random_.chance(0.5)) {
            const std::string v = all[site + 1 + random_.below(all.size() - site - 1)];
            const bool hoists = random_.chance(0.4);
            add(name(f) + (hoists ? ".hoist_storage(" : ".store_at(") + name(o) + ", " + v + ")",
                [=](const Funcs &fs) {
                    if (hoists)
                        at(fs, f).hoist_storage(at(fs, o), Halide::Var(v));
                    else
                        at(fs, f).store_at(at(fs, o), Halide::Var(v));
                });
            return;
        }
        add(name(f) + ".store_root()", [=](const Funcs &fs) { at(fs, f).store_root(); });
        if (random_.chance(0.3))
            add(name(f) + ".async()", [=](const Funcs &fs) { at(fs, f).async(); });
    }

    void at_root() {
        const size_t f = any_func();
        compute_root(f);
        if (random_.chance(0.6)) shape(f);
        if (random_.chance(0.1))
            add(name(f) + ".async()", [=](const Funcs &fs) { at(fs, f).async(); });
    }

    void shape_output() {
        const size_t f = any_func();
        if (is_output(f)) shape(f);
    }

    void together() {
        const size_t a = any_func(), b = any_func();
        const std::vector<std::string> all = loops(a, 0);
        if (a == b || all.empty() || all != loops(b, 0)) return;
        for (size_t f : {a, b})
            if (!is_output(f)) compute_root(f);
        const std::string v = all[random_.below(all.size())];
        add(name(b) + ".compute_with(" + name(a) + ", " + v + ")",
            [=](const Funcs &fs) { at(fs, b).compute_with(at(fs, a), Halide::Var(v)); });
    }

    void update() {
        const size_t f = any_func();
        const size_t stages = graph_.func(FuncId(f)).stages.size();
        if (stages < 2) return;
        if (!is_output(f)) compute_root(f);
        const size_t k = 1 + random_.below(stages - 1);
        const std::vector<std::string> all = loops(f, k);
        if (all.empty()) return;
        const std::string v = all[random_.below(all.size())];
        const Stage &stage = graph_.stage(graph_.func(FuncId(f)).stages[k]);
        const bool is_reduction = std::ranges::any_of(
            stage.loops, [&](const StageLoop &l) { return l.name == v && l.is_reduction; });
        const int update = static_cast<int>(k) - 1;
        const std::string text = name(f) + ".update(" + std::to_string(update) + ")";
        if (is_reduction)
            add(text + ".unroll(" + v + ", 2)", [=](const Funcs &fs) {
                at(fs, f).update(update).unroll(Halide::RVar(v), 2, guard);
            });
        else
            add(text + ".vectorize(" + v + ", 4)", [=](const Funcs &fs) {
                at(fs, f).update(update).vectorize(Halide::Var(v), 4, guard);
            });
    }

    void specialised() {
        const size_t f = any_func();
        const std::vector<std::string> all = loops(f, 0);
        if (!is_output(f) || all.empty()) return;
        const std::string v = all[0];
        add(name(f) + ".specialize(width >= 8).vectorize(" + v + ", 4)", [=](const Funcs &fs) {
            Halide::Func func = at(fs, f);
            const Halide::Expr width = func.output_buffers()[0].dim(0).extent();
            func.specialize(width >= 8).vectorize(Halide::Var(v), 4, guard);
        });
    }

    void storage() {
        const size_t f = any_func();
        const std::vector<std::string> &dims = graph_.func(FuncId(f)).dims;
        if (is_output(f) || dims.empty()) return;
        compute_root(f);
        if (dims.size() > 1 && random_.chance(0.4)) {
            add(name(f) + ".reorder_storage(" + dims[1] + ", " + dims[0] + ")",
                [f, dims](const Funcs &fs) {
                    at(fs, f).reorder_storage(Halide::Var(dims[1]), Halide::Var(dims[0]));
                });
            return;
        }
        add(name(f) + ".align_storage(" + dims[0] + ", 8).store_in(Heap)",
            [f, dims](const Funcs &fs) {
                at(fs, f).align_storage(Halide::Var(dims[0]), 8).store_in(Halide::MemoryType::Heap);
            });
    }

    void wrapper() {
        const size_t f = any_func();
        if (is_output(f)) return;
        add(name(f) + ".in().compute_root()",
            [f](const Funcs &fs) { at(fs, f).in().compute_root(); });
    }

    const std::vector<Function> outputs_;
    const BuiltGraph &built_;
    const StageGraph &graph_;
    Random random_;
    Copy *copy_ = nullptr;
    std::string text_;
    std::vector<Apply> steps_;
    std::vector<UserDirectives> accepted_;
};

}  // namespace

std::vector<UserDirectives> draw_user_schedule(const RandomPipeline &pipeline, Random random) {
    const auto built = build_graph(outputs_of(pipeline), Halide::get_host_target());
    if (!built) return {};
    return Drawer(pipeline, *built, random).draw();
}

void apply_user_schedule(const RandomPipeline &pipeline,
                         const std::vector<UserDirectives> &directives) {
    const auto built = build_graph(outputs_of(pipeline), Halide::get_host_target());
    if (!built) return;
    const Funcs funcs = handles(built->functions);
    for (const UserDirectives &d : directives) d.apply(funcs);
}

}  // namespace cryolite

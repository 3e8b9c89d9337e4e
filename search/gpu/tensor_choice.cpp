#include "search/gpu/tensor_choice.h"

#include <algorithm>
#include <cstdio>

#include "code/legality/tile_kernels.h"
#include "search/beam/expand.h"
#include "search/gpu/tensor_tiles.h"
#include "search/refinement/decision.h"

namespace cryolite {
namespace {

// States that are carried from Func to Func.
constexpr size_t most_states = 4;
constexpr double near_factor = 2;
constexpr int64_t memo_bytes = int64_t{64} << 20;

class Comparison {
public:
    Comparison(const LoopNest &complete, Hardware hardware, const SearchOptions &options)
        : complete_(complete), graph_(complete.graph()), options_(options) {
        options_.require_tensor_cores = false;
        options_.cost_noise = 1;
        expander_.emplace(graph_, hardware, options_, memo_bytes, CompileBudget{});
    }

    // The cheapest nest that keeps what it can of the complete one, and has a tile kernel for the product or has none.
    std::optional<BeamState> cheapest(const TensorProduct &product, bool is_tiled) {
        std::optional<BeamState> best;
        // Each lead on its own: a lead that is decided has the price of the product, another has not.
        for (size_t lead = 0; lead < (is_tiled ? product.leads.size() : 1); lead++) {
            auto found = rebuilt(
                product, is_tiled ? std::optional(product.leads[lead].stage) : std::nullopt);
            if (found && (!best || *found < *best)) best = std::move(found);
        }
        return best;
    }

private:
    std::optional<BeamState> rebuilt(const TensorProduct &product, std::optional<StageId> lead) {
        std::vector<BeamState> states{{LoopNest(graph_), 0}};
        for (size_t i = 0; i < graph_.num_scheduled() && !states.empty(); i++) {
            const FuncId f(i);
            std::vector<BeamState> next;
            for (const BeamState &state : states) {
                const bool is_of_product = std::ranges::any_of(
                    product.leads,
                    [&](const ProductLead &l) { return graph_.stage(l.stage).func == f; });
                if (is_of_product || !repeat(state, f, next)) decide(state, f, product, lead, next);
            }
            std::sort(next.begin(), next.end());
            if (next.size() > most_states) next.erase(next.begin() + most_states, next.end());
            states = std::move(next);
        }
        if (states.empty()) return std::nullopt;
        return states[0];
    }

    bool repeat(const BeamState &state, FuncId f, std::vector<BeamState> &next) {
        LoopNest nest = state.nest;
        if (!repeat_decision(nest, decision_of(complete_, f))) return false;
        expander_->keep(state, std::move(nest), next);
        return true;
    }

    void decide(const BeamState &state, FuncId f, const TensorProduct &product,
                std::optional<StageId> lead, std::vector<BeamState> &next) {
        std::vector<BeamState> children;
        expander_->expand(state, {f, 0, options_.tilings_per_placement}, Deadline(), children);
        const bool leads = lead && graph_.stage(*lead).func == f;
        for (BeamState &child : children) {
            const auto found = lead_of_product(child.nest, product);
            if (leads ? found == lead : found.has_value() == (state_has(state, product)))
                next.push_back(std::move(child));
        }
    }

    static bool state_has(const BeamState &state, const TensorProduct &product) {
        return lead_of_product(state.nest, product).has_value();
    }

    const LoopNest &complete_;
    const StageGraph &graph_;
    SearchOptions options_;
    std::optional<Expander> expander_;
};

std::string milliseconds(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g ms", seconds * 1e3);
    return text;
}

}  // namespace

std::vector<TensorChoice> tensor_choices(const LoopNest &complete, Hardware hardware,
                                         const SearchOptions &options) {
    std::vector<TensorChoice> out;
    const StageGraph &graph = complete.graph();
    if (!hardware.gpu || graph.products().empty()) return out;
    CostModel model(graph, hardware);
    const double now = model.evaluate(complete).seconds;
    Comparison comparison(complete, hardware, options);
    for (const TensorProduct &product : graph.products()) {
        TensorChoice &choice = out.emplace_back();
        choice.product = product.stage;
        choice.problem = problem_with_product(product, *hardware.gpu);
        if (!choice.problem.empty()) continue;
        std::optional<StageId> lead = lead_of_product(complete, product);
        choice.is_taken = lead.has_value();
        const auto other = comparison.cheapest(product, !choice.is_taken);
        (choice.is_taken ? choice.with_seconds : choice.without_seconds) = now;
        if (other) {
            (choice.is_taken ? choice.without_seconds : choice.with_seconds) = other->seconds;
            if (!choice.is_taken) lead = lead_of_product(other->nest, product);
        } else if (!choice.is_taken) {
            choice.problem = "no kernel fits where it is";
        }
        if (!lead) continue;
        const LoopNest &tiled = choice.is_taken ? complete : other->nest;
        choice.tile = tiled.stage_nest(*lead).tile_kernel->tile;
        if (*lead != product.stage) choice.finished_in = graph.stage(*lead).func;
    }
    return out;
}

std::vector<LoopNest> near_other_ways(const LoopNest &complete, Hardware hardware,
                                      const SearchOptions &options) {
    std::vector<LoopNest> out;
    if (!hardware.gpu || complete.graph().products().empty()) return out;
    const double now = CostModel(complete.graph(), hardware).evaluate(complete).seconds;
    Comparison comparison(complete, hardware, options);
    for (const TensorProduct &product : complete.graph().products()) {
        if (!problem_with_product(product, *hardware.gpu).empty()) continue;
        const bool is_taken = lead_of_product(complete, product).has_value();
        auto other = comparison.cheapest(product, !is_taken);
        if (other && other->seconds <= near_factor * now) out.push_back(std::move(other->nest));
    }
    return out;
}

std::string text_of(const StageGraph &graph, const TensorChoice &choice) {
    if (!choice.problem.empty()) return "not on tensor cores: " + choice.problem;
    std::string text = choice.is_taken ? "on tensor cores, " : "not on tensor cores, ";
    text += tensorcore::text_of(choice.tile);
    if (choice.finished_in) text += ", finished in " + graph.func(*choice.finished_in).name;
    text += ": the pipeline is predicted to take " + milliseconds(choice.with_seconds) +
            " with tensor cores";
    if (choice.without_seconds > 0)
        text += " and " + milliseconds(choice.without_seconds) + " with ordinary kernels";
    return text;
}

}  // namespace cryolite

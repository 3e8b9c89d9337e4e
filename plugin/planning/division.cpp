#include "plugin/planning/division.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "code/legality/apply.h"
#include "emit/scheduled_copy.h"
#include "graph/builder/divide_reductions.h"
#include "graph/halide/pipeline_view.h"
#include "plugin/planning/tensor_products.h"
#include "plugin/trial/trial.h"
#include "plugin/trial/verify.h"
#include "schedule/trace_text.h"
#include "search/divisions/divisions.h"
#include "search/search.h"

namespace cryolite {
namespace {

using Divisions = std::vector<DividedReduction>;

// Of the time that is left. Divisions that are not tried by then are left out.
constexpr double time_share = 0.1;
// Of the time that is then left, for Halide to lower what was chosen. Where it takes longer, the schedule that counts
// would not be lowered in time either.
constexpr double lowering_share = 0.5;
// Nothing is divided for less: the short searches find a little more or less by chance.
constexpr double least_gain = 0.05;
// A short search carries so many states from Func to Func, with few tilings.
constexpr int64_t draft_beam = 8, draft_tilings = 16;
// Stages with a smaller share of the predicted time are left as they are.
constexpr double least_share = 0.02;
// In longer pipelines all but the Funcs in question have plain loops: whole searches would take the time that the one
// that counts needs.
constexpr size_t most_funcs = 24;
// Of their plain schedule's time: Funcs that take less are not in question there. Others gain more by their loops than
// sums do, so that these take a greater share in the end.
constexpr double least_plain_share = least_share / 4;
constexpr const char *too_long = "it takes too long to lower";

std::string text_of(const DividedReduction &d) {
    if (d.kind == DividedReduction::Kind::Copy) return d.func + " read through a copy";
    return d.func + ".s" + std::to_string(d.stage) + " along " + d.loop + " into " +
           (d.kind == DividedReduction::Kind::Lanes ? std::to_string(d.points) + " lanes"
                                                    : "blocks of " + std::to_string(d.points));
}

// A pipeline with some divisions, and what a short search makes of it.
struct Draft {
    Divisions divisions;
    Halide::Pipeline pipeline;
    BuiltGraph built;
    std::vector<Action> trace;
    double seconds = 0;                                   // of the Funcs in question
    std::map<std::pair<std::string, int>, double> share;  // of the time, by Func and stage
};

class Drafts {
public:
    // in_question: the Funcs that are searched for, by name, each with what it is divided into; empty: all are.
    Drafts(const Halide::Pipeline &pipeline, const BuiltGraph &undivided,
           const Halide::Target &target, const Platform &platform, const PluginOptions &options,
           std::set<std::string> in_question, const Deadline &deadline, const Log &log)
        : log_(log),
          pipeline_(pipeline),
          undivided_(undivided),
          target_(target),
          platform_(platform),
          options_(options),
          in_question_(std::move(in_question)),
          search_(options.search) {
        search_.beam_size =
            search_.beam_size > 0 ? std::min(search_.beam_size, draft_beam) : draft_beam;
        search_.num_passes = 1;
        search_.tilings_per_placement = std::min(search_.tilings_per_placement, draft_tilings);
        search_.candidates = 1;
        search_.deadline = deadline;
    }

    std::optional<Draft> with(const Divisions &divisions) const {
        Result<Halide::Pipeline> copy = scheduled_copy(pipeline_, undivided_, nullptr);
        if (!copy.ok()) return std::nullopt;
        auto built = build_divided_graph(outputs_of(*copy), target_, divisions);
        const std::string last =
            divisions.empty() ? "reductions left whole" : text_of(divisions.back());
        if (!built.ok()) {
            log_.debug(last + ": " + built.error().message);
            return std::nullopt;
        }
        // So that whole products on tensor cores stand against divided ones, which are none for them.
        if (!add_tensor_products(*built, target_, platform_, options_).ok()) return std::nullopt;
        const std::vector<FuncId> free = funcs_in_question(*built);
        const SearchResult found =
            in_question_.empty() ? search(built->graph, platform_.hardware(), search_)
                                 : redecided(plain_schedule(built->graph, platform_.hardware()),
                                             free, platform_.hardware(), search_);
        // Cut short, it compares with nothing.
        if (search_.deadline.left() <= 0) return std::nullopt;
        log_.debug(last + ": a short search predicts " + std::to_string(found.time.seconds * 1e3) +
                   " ms\n" + to_tree_text(found.nest));
        // Before the graph moves, to which the schedule refers.
        std::vector<Action> trace = trace_of(found.nest);
        Draft draft{divisions, std::move(*copy), std::move(*built), std::move(trace), 0, {}};
        for (const StageTime &t : found.time.stages) {
            const Stage &stage = draft.built.graph.stage(t.stage);
            if (!in_question_.empty() && std::ranges::find(free, stage.func) == free.end())
                continue;
            draft.share[{draft.built.graph.func(stage.func).name, stage.index}] = t.seconds();
            draft.seconds += t.seconds();
        }
        if (in_question_.empty()) draft.seconds = found.time.seconds;
        for (auto &[stage, share] : draft.share) share /= draft.seconds;
        return draft;
    }

private:
    // They, and what they were divided into.
    std::vector<FuncId> funcs_in_question(const BuiltGraph &built) const {
        std::vector<FuncId> free;
        for (const std::string &name : in_question_) free.push_back(built.graph.find(name));
        if (!in_question_.empty())
            for (const DivisionCalls &d : built.divisions)
                free.push_back(built.graph.find(d.partial));
        return free;
    }

    const Log &log_;
    const Halide::Pipeline &pipeline_;
    const BuiltGraph &undivided_;
    const Halide::Target &target_;
    const Platform &platform_;
    const PluginOptions &options_;
    const std::set<std::string> in_question_;
    SearchOptions search_;
};

// The lanes of a choice, for the partial results that its blocks have made. Nothing where a block is too short.
std::optional<DividedReduction> lanes_in_blocks(DividedReduction lanes,
                                                const DivisionCalls &blocks) {
    if (lanes.loop == blocks.division.loop) {
        if (2 * lanes.points > blocks.division.points) return std::nullopt;
        lanes.loop = blocks.inner;
    }
    lanes.func = blocks.partial;
    lanes.stage = 1;
    return lanes;
}

// A choice's second step for what its blocks have made.
DividedReduction combining(DividedReduction combination, const DivisionCalls &blocks) {
    combination.loop = blocks.outer;
    return combination;
}

// The addition of a choice's vectors of partial results to one, in vectors: what follows after that, number by number,
// is a chain as long as a vector. Nothing where there is one vector already.
std::optional<DividedReduction> folded(const DivisionChoice &choice, const DivisionCalls &lanes) {
    if (lanes.division.points < 2 * choice.vector) return std::nullopt;
    return DividedReduction{lanes.division.func, lanes.division.stage, lanes.inner,
                            DividedReduction::Kind::Lanes, choice.vector};
}

// The chunk of a choice, of the sums that `whole` keeps apart from an output.
DividedReduction chunk_of_whole(DividedReduction chunk, const DivisionCalls &whole) {
    if (chunk.loop == whole.division.loop) chunk.loop = whole.inner;
    chunk.func = whole.partial;
    chunk.stage = 1;
    return chunk;
}

// The draft with a choice's blocks, its lanes or both on top of what it has; itself where none is clearly better.
Draft improved_by(const DivisionChoice &choice, Draft draft, const Drafts &drafts) {
    std::vector<Draft> tried;
    const auto attempt = [&](const Divisions &before, const DividedReduction &more) {
        Divisions divisions = before;
        divisions.push_back(more);
        if (auto found = drafts.with(divisions)) tried.push_back(std::move(*found));
    };
    if (choice.whole) attempt(draft.divisions, *choice.whole);
    if (!tried.empty()) {
        const Divisions before = tried[0].divisions;
        const DivisionCalls whole = tried[0].built.divisions.back();
        for (const DividedReduction &chunk : choice.chunks)
            attempt(before, chunk_of_whole(chunk, whole));
    } else if (!choice.whole) {
        for (const DividedReduction &chunk : choice.chunks) attempt(draft.divisions, chunk);
    }
    const size_t first = tried.size();
    if (choice.blocks) attempt(draft.divisions, *choice.blocks);
    if (tried.size() > first) {
        const DivisionCalls blocks = tried.back().built.divisions.back();
        if (choice.combination)
            attempt(tried.back().divisions, combining(*choice.combination, blocks));
        if (choice.lanes)
            if (const auto lanes = lanes_in_blocks(*choice.lanes, blocks))
                attempt(tried.back().divisions, *lanes);
    }
    if (choice.lanes) {
        const size_t before = tried.size();
        attempt(draft.divisions, *choice.lanes);
        if (tried.size() > before)
            if (const auto more = folded(choice, tried.back().built.divisions.back()))
                attempt(tried.back().divisions, *more);
    }
    if (tried.empty()) return draft;
    // Among themselves they differ by little where other Funcs take most of the time.
    Draft &best = *std::ranges::min_element(tried, {}, &Draft::seconds);
    return best.seconds < (1 - least_gain) * draft.seconds ? std::move(best) : std::move(draft);
}

double share_of(const DivisionChoice &choice, const StageGraph &graph, const Draft &draft) {
    const Stage &stage = graph.stage(choice.stage);
    const auto share = draft.share.find({graph.func(stage.func).name, stage.index});
    return share == draft.share.end() ? 0 : share->second;
}

bool is_divided(const DivisionChoice &choice, const StageGraph &graph, const Draft &draft) {
    const Stage &stage = graph.stage(choice.stage);
    return std::ranges::any_of(draft.divisions, [&](const DividedReduction &d) {
        return d.kind != DividedReduction::Kind::Copy && d.stage == stage.index &&
               d.func == graph.func(stage.func).name;
    });
}

// The draft with copies of all Funcs that take some time; itself where that is worse. The search that counts may still
// inline a copy, which leaves the pipeline as it was. So a copy need not pay in a draft, which is too short to find
// what a copy makes possible only together with the loops of its reader.
Draft with_copies(Divisions copies, Draft draft, const Drafts &drafts) {
    std::erase_if(copies, [&](const DividedReduction &copy) {
        double share = 0;
        for (const auto &[stage, of_time] : draft.share)
            if (stage.first == copy.func) share += of_time;
        return share < least_share;
    });
    if (copies.empty()) return draft;
    auto found = drafts.with(copies);
    return found && found->seconds <= draft.seconds ? std::move(*found) : std::move(draft);
}

// Whether the choice has lanes, and its points feed the cores without blocks. Blocks are tried first where they are
// wanted, and lanes inside of them.
bool wants_lanes_alone(const DivisionChoice &choice) { return choice.lanes && !choice.blocks; }

// The draft with lanes for all choices that want no more, since lanes may pay off together alone: as long as one
// reduction of a row has none, the image is transposed for it, and the others gain nothing by theirs. Itself where that
// is not clearly better.
Draft with_all_lanes(const std::vector<DivisionChoice> &choices, Draft draft,
                     const Drafts &drafts) {
    Divisions lanes = draft.divisions;
    for (const DivisionChoice &choice : choices)
        if (wants_lanes_alone(choice)) lanes.push_back(*choice.lanes);
    if (lanes.size() < draft.divisions.size() + 2) return draft;
    auto found = drafts.with(lanes);
    if (!found) return draft;
    for (const DivisionChoice &choice : choices) {
        if (!wants_lanes_alone(choice)) continue;
        const auto &all = found->built.divisions;
        const auto own = std::ranges::find(all, *choice.lanes, &DivisionCalls::division);
        if (const auto more = folded(choice, *own)) lanes.push_back(*more);
    }
    if (auto fewer = drafts.with(lanes); fewer && fewer->seconds < found->seconds)
        found = std::move(fewer);
    return found->seconds < (1 - least_gain) * draft.seconds ? std::move(*found) : std::move(draft);
}

// Of a long pipeline: the Funcs that may be divided or copied and take some of the plain schedule's time.
std::set<std::string> funcs_in_question(const StageGraph &graph, Hardware hardware,
                                        const std::vector<DivisionChoice> &choices,
                                        const Divisions &copies) {
    std::set<std::string> names;
    for (const DivisionChoice &c : choices) names.insert(graph.func_of(c.stage).name);
    for (const DividedReduction &c : copies) names.insert(c.func);
    const ScheduleTime time = CostModel(graph, hardware).explain(plain_schedule(graph, hardware));
    std::map<std::string, double> seconds;
    for (const StageTime &t : time.stages) seconds[graph.func_of(t.stage).name] += t.seconds();
    std::erase_if(names, [&](const std::string &name) {
        return seconds[name] < least_plain_share * time.seconds;
    });
    return names;
}

// Why Halide does not take the draft; empty if it does.
std::string what_halide_says(const Draft &draft, const Halide::Target &target,
                             const Machine &machine, const PluginOptions &options,
                             const Deadline &deadline) {
    if (!options.verify) return "";
    const auto refuses = [&](size_t) -> std::string {
        const auto nest = replay(draft.built.graph, draft.trace);
        if (!nest.ok()) return "the schedule cannot be replayed";
        return what_halide_refuses(draft.pipeline, draft.built, *nest, target, machine);
    };
    const TrialLimits limits{deadline, static_cast<double>(options.compile_limit), 0};
    const Trials trials = try_schedules(1, refuses, limits);
    if (trials.taken) return "";
    return trials.of[0].verdict == Trial::Verdict::Refused ? trials.of[0].why : too_long;
}

}  // namespace

BuiltGraph divided_where_worth_it(const Halide::Pipeline &pipeline, BuiltGraph built,
                                  const Halide::Target &target, const Platform &platform,
                                  const PluginOptions &options, const Deadline &deadline,
                                  const Log &log) {
    // Tensor cores compute no divided product.
    if (options.tensor_cores == "require") return built;
    if (!options.divide) return built;
    const Machine &machine = platform.host.machine;
    std::vector<DivisionChoice> choices;
    if (can_divide_reductions) choices = division_choices(built.graph, platform.hardware());
    Divisions copies = copy_choices(built.graph, platform.hardware());
    if (choices.empty() && copies.empty()) return built;

    const double before = deadline.left();
    const Deadline until = deadline.earlier((1 - time_share) * deadline.left());
    std::set<std::string> in_question;
    if (built.graph.num_scheduled() > most_funcs) {
        in_question = funcs_in_question(built.graph, platform.hardware(), choices, copies);
        if (in_question.empty()) return built;
        std::erase_if(copies,
                      [&](const DividedReduction &c) { return !in_question.contains(c.func); });
    }
    const Drafts drafts(pipeline, built, target, platform, options, std::move(in_question), until,
                        log);
    std::optional<Draft> draft = drafts.with({});
    if (!draft) return built;
    const double whole = draft->seconds;
    draft = with_copies(std::move(copies), std::move(*draft), drafts);
    std::erase_if(choices, [&](const DivisionChoice &c) {
        return share_of(c, built.graph, *draft) < least_share;
    });
    std::ranges::stable_sort(choices, std::greater<>(), [&](const DivisionChoice &c) {
        return share_of(c, built.graph, *draft);
    });
    draft = with_all_lanes(choices, std::move(*draft), drafts);
    for (const DivisionChoice &choice : choices) {
        if (until.left() <= 0) break;
        if (is_divided(choice, built.graph, *draft)) continue;
        draft = improved_by(choice, std::move(*draft), drafts);
    }
    log.info("seconds of trying changes of reductions: " +
             std::to_string(before - deadline.left()));
    if (draft->divisions.empty()) return built;
    for (const DividedReduction &d : draft->divisions) log.info("changed: " + text_of(d));
    log.info("short searches predict " + std::to_string(draft->seconds * 1e3) + " ms in place of " +
             std::to_string(whole * 1e3));
    const Deadline lowered = deadline.earlier((1 - lowering_share) * deadline.left());
    const std::string refused = what_halide_says(*draft, target, machine, options, lowered);
    if (!refused.empty()) {
        const std::string text =
            "reductions are left as they are; changed, Halide does not take the pipeline: " +
            refused;
        // On a busy computer the time for changes runs out, and the user has nothing to do.
        if (refused == too_long)
            log.info(text);
        else
            log.warning(text);
        return built;
    }
    auto divided = build_divided_graph(outputs_of(pipeline), target, draft->divisions);
    // It went well on the copy.
    return divided.ok() ? std::move(*divided) : std::move(built);
}

}  // namespace cryolite

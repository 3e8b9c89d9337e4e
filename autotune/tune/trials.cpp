#include "autotune/tune/trials.h"

#include "base/hash.h"

namespace cryolite {
namespace {

constexpr size_t most_on_disk = 10;        // twice as many as are measured again at the end
constexpr int most_failures_in_a_row = 3;  // of measurements

// Without times of the anchor there is nothing to compare with.
Result<bool> can_compare(const Result<MeasuredGroup> &group) {
    if (!group.ok()) return group.error();
    if (group->anchor.status == SampleStatus::Timed) return true;
    return Error{"the schedule that all others are measured beside could not be run again: " +
                 std::string(name(group->anchor.status)) +
                 (group->anchor.message.empty() ? "" : ": " + group->anchor.message) +
                 ". What was measured before is kept"};
}

}  // namespace

std::string folder_of(const std::string &trace) {
    return trace.empty() ? "by-hand"
                         : "s" + std::to_string(Hasher().add(std::string_view(trace)).value());
}

Result<bool> Trials::kept(const Result<Sample> &sample) const {
    if (!sample.ok()) return sample.error();
    hooks_.kept(*sample);
    return true;
}

Result<bool> Trials::run(std::span<const Draw> draws, double seconds_each, double cut_off,
                         int64_t round) {
    hooks_.doing("building " + std::to_string(draws.size()) + " schedules");
    const auto built = build(draws, round);
    if (!built.ok()) return built.error();
    hooks_.doing("measuring " + std::to_string(built->draws.size()) + " schedules");
    const auto done = measure(built->draws, built->built, seconds_each, cut_off, round);
    forget_but_fastest();
    return done;
}

// What is not built, or has the code of a schedule from before, is kept at once where it is new.
Result<Trials::Runnables> Trials::build(std::span<const Draw> draws, int64_t round) {
    std::vector<std::string> traces, folders;
    for (const Draw &d : draws) {
        traces.push_back(d.trace);
        folders.push_back(folder_of(d.trace));
        on_disk_.insert(folders.back());
    }
    const std::vector<Built> built = workshop_.build(traces, folders);
    Runnables out;
    for (size_t i = 0; i < draws.size(); i++) {
        if (built[i].stopped) {
            if (!built[i].message.empty())
                hooks_.say("a schedule was not built: " + built[i].message);
            continue;
        }
        const Standings &standings = ledger_.standings();
        const bool is_new = !standings.knows(draws[i].trace);
        const Standing *same = is_new ? standings.same_code(built[i].object_hash) : nullptr;
        if (!built[i].library.empty() && !same) {
            out.draws.push_back(draws[i]);
            out.built.push_back(built[i]);
            continue;
        }
        if (!is_new) continue;
        const auto added = kept(same ? ledger_.same_code(draws[i], built[i], *same, round)
                                     : ledger_.not_built(draws[i], built[i], round));
        if (!added.ok()) return added.error();
    }
    return out;
}

// What runs out of memory among others is measured once more by itself.
Result<bool> Trials::measure(std::span<const Draw> draws, std::span<const Built> built,
                             double seconds_each, double cut_off, int64_t round) {
    if (draws.empty() || stop_.load()) return true;
    std::vector<std::string> libraries;
    for (const Built &b : built) libraries.push_back(b.library);
    const auto group = workshop_.measure(
        anchor_, libraries, {seconds_each * static_cast<double>(draws.size() + 1), cut_off});
    if (stop_.load()) return true;
    const bool alone = draws.size() == 1;
    const bool lacks_memory =
        group.ok() && group->anchor.status == SampleStatus::OutOfMemory && !alone;
    if (const auto able = can_compare(group); !able.ok() && !lacks_memory) {
        if (++failures_in_a_row_ >= most_failures_in_a_row) return able;
        hooks_.say(able.error().message);
        return true;
    }
    failures_in_a_row_ = 0;
    for (size_t k = 0; k < draws.size(); k++) {
        const Measured &anchor = group->anchor_of(k);
        if (!lacks_memory && anchor.status != SampleStatus::Timed) {
            hooks_.say("a part of the schedules was not measured: " + anchor.message);
            continue;
        }
        const bool again =
            !alone && (lacks_memory || group->candidates[k].status == SampleStatus::OutOfMemory);
        const auto done =
            again ? measure(draws.subspan(k, 1), built.subspan(k, 1), seconds_each, cut_off, round)
                  : kept(ledger_.measured(draws[k], built[k], group->candidates[k], anchor,
                                          group->quiet, round));
        if (!done.ok()) return done;
    }
    return true;
}

// Built schedules take room on the disk: those that will be measured again stay.
void Trials::forget_but_fastest() {
    std::set<std::string> kept{folder_of("")};
    for (const Standing *s : ledger_.standings().fastest())
        if (kept.size() <= most_on_disk) kept.insert(folder_of(s->trace));
    std::erase_if(on_disk_, [&](const std::string &folder) {
        if (kept.contains(folder)) return false;
        workshop_.forget(folder);
        return true;
    });
}

}  // namespace cryolite

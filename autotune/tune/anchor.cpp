#include "autotune/tune/anchor.h"

namespace cryolite {

// Results of a pack came first, all beside the plain schedule (pack_schedules.h).
bool Anchor::is_plain_the_anchor(const Draw &plain, const Draw &one_shot) const {
    const Standings &standings = ledger_.standings();
    const Standing *known = standings.of(plain.trace);
    return known && known->status == SampleStatus::Timed && known->ratio.low == 1 &&
           known->ratio.high == 1 && !standings.knows(one_shot.trace);
}

// Builds plain and one shot, checks one against the other, and takes one as the anchor.
Result<bool> Anchor::measure(const Draw &plain, const Draw &one_shot, double seconds) {
    const Standings &standings = ledger_.standings();
    doing_("building the plain and the one-shot schedule");
    std::vector<std::string> traces{plain.trace};
    if (!one_shot.trace.empty()) traces.push_back(one_shot.trace);
    const std::vector<Built> built = workshop_.build(traces, {"plain", "one-shot"});
    if (stop_.load()) return true;
    if (built[0].library.empty())
        return Error{"the plain schedule cannot be built, so that nothing can be compared: " +
                     built[0].message};
    trials_.set_anchor(built[0].library);
    if (is_plain_the_anchor(plain, one_shot)) return true;
    const bool is_known =
        standings.knows(plain.trace) && (one_shot.trace.empty() || standings.knows(one_shot.trace));
    const bool has_one_shot = built.size() > 1 && !built[1].library.empty();
    if (is_known) {
        const Standing *known = standings.of(one_shot.trace);
        if (!known || known->status != SampleStatus::Timed) return true;
        // All ratios in the store are to it. Another anchor would mix two scales.
        if (!has_one_shot)
            return Error{
                "the one-shot schedule, beside which all others were measured, cannot "
                "be built again: " +
                built[1].message};
        trials_.set_anchor(built[1].library);
        return true;
    }
    doing_("measuring the plain and the one-shot schedule");
    std::vector<std::string> libraries;
    if (has_one_shot) libraries.push_back(built[1].library);
    const auto group = workshop_.measure(built[0].library, libraries, {seconds, no_cut_off});
    if (!group.ok()) return group.error();
    const Measured &plain_time = has_one_shot ? group->anchor_of(0) : group->anchor;
    if (plain_time.status != SampleStatus::Timed) {
        if (stop_.load()) return true;
        return Error{"the plain schedule cannot be run, so that nothing can be compared: " +
                     plain_time.message};
    }
    const bool one_shot_is_timed =
        has_one_shot && group->candidates[0].status == SampleStatus::Timed;
    const Measured &anchor = one_shot_is_timed ? group->candidates[0] : plain_time;
    if (one_shot_is_timed) trials_.set_anchor(built[1].library);
    if (const auto added =
            trials_.kept(ledger_.measured(plain, built[0], plain_time, anchor, group->quiet, 0));
        !added.ok())
        return added;
    if (one_shot.trace.empty()) return true;
    return has_one_shot ? trials_.kept(ledger_.measured(one_shot, built[1], group->candidates[0],
                                                        anchor, group->quiet, 0))
                        : trials_.kept(ledger_.not_built(one_shot, built[1], 0));
}

}  // namespace cryolite

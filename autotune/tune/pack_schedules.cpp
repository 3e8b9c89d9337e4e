#include "autotune/tune/pack_schedules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "autotune/tune/ledger.h"
#include "autotune/tune/measuring.h"

namespace cryolite {
namespace {

using nlohmann::json;

constexpr int file_version = 1;

// How long the plain schedule takes of the store's anchor.
Result<double> ratio_of_plain(const Standings &standings, const std::string &plain) {
    if (standings.all().empty()) return 1.0;
    const Standing *known = standings.of(plain);
    if (known && known->status == SampleStatus::Timed && known->ratio.median > 0)
        return known->ratio.median;
    return Error{
        "the store has samples of this problem and no time of its plain schedule, which all "
        "schedules of a pack "
        "are timed beside: there is nothing to compare them by"};
}

bool is_there(const std::vector<Sample> &samples, const std::string &trace,
              const Measured &measured) {
    return std::ranges::any_of(samples, [&](const Sample &s) {
        return s.trace == trace && s.status == measured.status && s.message == measured.message &&
               std::equal(s.seconds.begin(), s.seconds.end(), measured.seconds.begin(),
                          measured.seconds.begin() +
                              std::min(std::ssize(s.seconds), std::ssize(measured.seconds)));
    });
}

}  // namespace

std::string to_json_text(const PackSchedules &pack) {
    json schedules = json::array();
    for (const PackedSchedule &s : pack.schedules)
        schedules.push_back({{"id", s.id},
                             {"origin", s.draw.origin},
                             {"trace", s.draw.trace},
                             {"predicted_seconds", s.draw.predicted_seconds},
                             {"object_hash", s.object_hash}});
    return json{{"cryolite_pack", file_version},
                {"problem", json::parse(problem_text(pack.problem))},
                {"schedules", schedules}}
               .dump(1) +
           "\n";
}

Result<PackSchedules> parse_pack_schedules(const std::string &text) {
    try {
        const json file = json::parse(text);
        if (file.at("cryolite_pack") != file_version)
            return Error{"it is of version " + file.at("cryolite_pack").dump() +
                         ", and this Cryolite reads " + std::to_string(file_version)};
        auto problem = parse_problem(file.at("problem").dump());
        if (!problem.ok()) return problem.error();
        PackSchedules pack{std::move(*problem), {}};
        for (const json &s : file.at("schedules"))
            pack.schedules.push_back({s.at("id"),
                                      {s.at("origin"), s.at("trace"), s.at("predicted_seconds")},
                                      s.at("object_hash")});
        return pack;
    } catch (const json::exception &error) {
        return Error{std::string("it cannot be read: ") + error.what()};
    }
}

Result<Imported> import_pack(Store &store, const PackSchedules &pack, const RunResult &result,
                             const std::string &cryolite) {
    const size_t count = pack.schedules.size();
    bool is_of_pack = result.entries.size() == count && count > 0;
    for (size_t i = 0; i < count && is_of_pack; i++)
        is_of_pack = result.entries[i].id == pack.schedules[i].id;
    if (!is_of_pack) return Error{"its results are those of another pack"};
    auto group = measured_group(result, count - 1);
    if (!group.ok()) return group.error();
    Measured plain = group->anchor;
    if (plain.status != SampleStatus::Timed)
        return Error{"its plain schedule, which all others are timed beside, was not timed: " +
                     plain.message};

    const auto number = store.number_of(pack.problem);
    if (!number.ok()) return number.error();
    const auto before = store.samples(*number);
    if (!before.ok()) return before.error();
    Ledger ledger(store, 0, cryolite);
    if (const auto opened = ledger.open(*number); !opened.ok()) return opened.error();
    const auto ratio = ratio_of_plain(ledger.standings(), pack.schedules[0].draw.trace);
    if (!ratio.ok()) return ratio.error();
    Measured anchor = plain;
    for (double &seconds : anchor.seconds) seconds /= *ratio;

    Imported done;
    done.problems = 1;
    group->candidates.insert(group->candidates.begin(), plain);
    for (size_t i = 0; i < count; i++) {
        const PackedSchedule &s = pack.schedules[i];
        if (is_there(*before, s.draw.trace, group->candidates[i])) {
            done.duplicates++;
            continue;
        }
        Built built;
        built.object_hash = s.object_hash;
        const auto kept =
            ledger.measured(s.draw, built, group->candidates[i], anchor, group->quiet, 0);
        if (!kept.ok()) return kept.error();
        done.samples++;
    }
    return done;
}

}  // namespace cryolite

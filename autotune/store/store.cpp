#include "autotune/store/store.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "autotune/store/schema.h"

namespace cryolite {
namespace {

using nlohmann::json;

int64_t bits(uint64_t v) { return std::bit_cast<int64_t>(v); }
uint64_t from_bits(int64_t v) { return std::bit_cast<uint64_t>(v); }

// A number that is none would be NULL to SQLite.
double finite(double v) { return std::isfinite(v) ? v : 0; }

std::vector<double> seconds_of(const std::string &text) {
    const json list = json::parse(text, nullptr, false);
    std::vector<double> seconds;
    if (list.is_array())
        for (const json &s : list) seconds.push_back(s.is_number() ? s.get<double>() : 0);
    return seconds;
}

Problem problem_in(const Statement &row, int first) {
    const auto text = [&](int i) { return row.text(first + i); };
    return {text(0), text(1), text(2), text(3),
            text(4), text(5), text(6), static_cast<int>(row.number(first + 7))};
}

Statement &bind(Statement &s, const Problem &p) {
    return s.bind(p.pipeline)
        .bind(p.algorithm)
        .bind(p.parameters)
        .bind(p.workload)
        .bind(p.target)
        .bind(p.machine)
        .bind(p.halide)
        .bind(int64_t{p.threads});
}

bool agree(const Spread &kept, const std::vector<double> &values) {
    if (values.empty()) return true;
    const Spread s = spread_of(values);
    return s.median == kept.median && s.low == kept.low && s.high == kept.high;
}

}  // namespace

Result<Store> Store::open(const std::string &path, Access access) {
    auto database = Database::open(path, access);
    if (!database.ok()) return database.error();
    const auto ready = access == Access::Write ? migrate(*database, store_migrations())
                                               : check_version(*database, store_migrations());
    if (!ready.ok()) return ready.error();
    // With FULL a transaction is on the disk when it ends, even if the power fails. It costs a flush, some milliseconds,
    // beside seconds of building and measuring.
    if (const auto set = database->run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
        !set.ok())
        return set.error();
    return Store(std::move(*database));
}

Result<int64_t> Store::number_of(const Problem &problem) {
    Statement insert(database_,
                     "INSERT OR IGNORE INTO problems (pipeline, algorithm, parameters, "
                     "workload, target, machine, halide, threads) VALUES "
                     "(?, ?, ?, ?, ?, ?, ?, ?)");
    if (const auto done = bind(insert, problem).step(); !done.ok()) return done.error();
    Statement find(database_,
                   "SELECT id FROM problems WHERE pipeline = ? AND algorithm = ? AND "
                   "parameters = ? AND workload = ? AND target = ? AND machine = ? AND "
                   "halide = ? AND threads = ?");
    if (const auto row = bind(find, problem).step(); !row.ok()) return row.error();
    return find.number(0);
}

Result<std::vector<Store::Known>> Store::problems() const {
    Statement rows(database_,
                   "SELECT id, pipeline, algorithm, parameters, workload, target, "
                   "machine, halide, threads FROM problems ORDER BY id");
    std::vector<Known> all;
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) return row.error();
        if (!*row) return all;
        all.push_back({rows.number(0), problem_in(rows, 1)});
    }
}

Result<int64_t> Store::number_of_trace(int64_t problem, const std::string &trace) {
    Statement insert(database_, "INSERT OR IGNORE INTO traces (problem, text) VALUES (?, ?)");
    if (const auto done = insert.bind(problem).bind(trace).step(); !done.ok()) return done.error();
    Statement find(database_, "SELECT id FROM traces WHERE problem = ? AND text = ?");
    if (const auto row = find.bind(problem).bind(trace).step(); !row.ok()) return row.error();
    return find.number(0);
}

Result<bool> Store::add_within(int64_t problem, const Sample &s) {
    const auto trace = number_of_trace(problem, s.trace);
    if (!trace.ok()) return trace.error();
    Statement insert(database_,
                     "INSERT OR IGNORE INTO samples (trace, repeat, status, message, seconds, "
                     "anchor_seconds, median, low, high, ratio_median, ratio_low, ratio_high, "
                     "predicted_seconds, origin, round, seed, object_hash, build_seconds, "
                     "run_seconds, quiet, cryolite, created) VALUES "
                     "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(*trace)
        .bind(s.repeat)
        .bind(std::string(name(s.status)))
        .bind(s.message)
        .bind(json(s.seconds).dump())
        .bind(json(s.anchor_seconds).dump())
        .bind(finite(s.spread.median))
        .bind(finite(s.spread.low))
        .bind(finite(s.spread.high))
        .bind(finite(s.ratio.median))
        .bind(finite(s.ratio.low))
        .bind(finite(s.ratio.high))
        .bind(finite(s.predicted_seconds))
        .bind(s.origin)
        .bind(s.round)
        .bind(bits(s.seed))
        .bind(bits(s.object_hash))
        .bind(finite(s.build_seconds))
        .bind(finite(s.run_seconds))
        .bind(int64_t{s.quiet})
        .bind(s.cryolite)
        .bind(s.created);
    if (const auto done = insert.step(); !done.ok()) return done;
    return database_.changes() > 0;
}

Result<bool> Store::add(int64_t problem, const Sample &sample) {
    Transaction transaction(database_);
    if (const auto begun = transaction.begin(); !begun.ok()) return begun;
    const auto added = add_within(problem, sample);
    if (!added.ok()) return added;
    if (const auto done = transaction.commit(); !done.ok()) return done;
    return added;
}

Result<std::vector<Sample>> Store::samples(int64_t problem) const {
    Statement rows(database_,
                   "SELECT text, repeat, status, message, seconds, anchor_seconds, median, low, "
                   "high, ratio_median, ratio_low, ratio_high, predicted_seconds, origin, round, "
                   "seed, object_hash, build_seconds, run_seconds, quiet, cryolite, created "
                   "FROM samples JOIN traces ON traces.id = samples.trace WHERE problem = ? "
                   "ORDER BY samples.id");
    rows.bind(problem);
    std::vector<Sample> all;
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) return row.error();
        if (!*row) return all;
        Sample s;
        s.trace = rows.text(0);
        s.repeat = rows.number(1);
        // A status of a later Cryolite says no more than that the schedule was not timed.
        s.status = status_named(rows.text(2)).value_or(SampleStatus::Failed);
        s.message = rows.text(3);
        s.seconds = seconds_of(rows.text(4));
        s.anchor_seconds = seconds_of(rows.text(5));
        s.spread = {rows.real(6), rows.real(7), rows.real(8)};
        s.ratio = {rows.real(9), rows.real(10), rows.real(11)};
        s.predicted_seconds = rows.real(12);
        s.origin = rows.text(13);
        s.round = rows.number(14);
        s.seed = from_bits(rows.number(15));
        s.object_hash = from_bits(rows.number(16));
        s.build_seconds = rows.real(17);
        s.run_seconds = rows.real(18);
        s.quiet = rows.number(19) != 0;
        s.cryolite = rows.text(20);
        s.created = rows.number(21);
        all.push_back(std::move(s));
    }
}

Result<bool> Store::add_round(int64_t problem, const TuneRound &r) {
    Statement insert(database_,
                     "INSERT OR IGNORE INTO rounds (problem, number, seed, draws, model, "
                     "rank_correlation, created) VALUES (?, ?, ?, ?, ?, ?, ?)");
    const auto done = insert.bind(problem)
                          .bind(r.number)
                          .bind(bits(r.seed))
                          .bind(r.draws)
                          .bind(r.model)
                          .bind(finite(r.rank_correlation))
                          .bind(r.created)
                          .step();
    if (!done.ok()) return done;
    return database_.changes() > 0;
}

Result<std::vector<TuneRound>> Store::rounds(int64_t problem) const {
    Statement rows(database_,
                   "SELECT number, seed, draws, model, rank_correlation, created FROM "
                   "rounds WHERE problem = ? ORDER BY number");
    rows.bind(problem);
    std::vector<TuneRound> all;
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) return row.error();
        if (!*row) return all;
        all.push_back({rows.number(0), from_bits(rows.number(1)), rows.text(2), rows.text(3),
                       rows.real(4), rows.number(5)});
    }
}

Result<std::vector<std::string>> Store::check() const {
    std::vector<std::string> wrong;
    for (const char *pragma : {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
        Statement rows(database_, pragma);
        for (;;) {
            const auto row = rows.step();
            if (!row.ok()) return row.error();
            if (!*row) break;
            if (rows.text(0) != "ok")
                wrong.push_back(std::string(pragma + 7) + ": " + rows.text(0));
        }
    }
    const auto known = problems();
    if (!known.ok()) return known.error();
    for (const Known &k : *known) {
        const auto all = samples(k.number);
        if (!all.ok()) return all.error();
        for (size_t i = 0; i < all->size(); i++) {
            const Sample &s = (*all)[i];
            if (s.status == SampleStatus::Timed && !agree(s.spread, s.seconds))
                wrong.push_back("problem " + std::to_string(k.number) + ", sample " +
                                std::to_string(i + 1) + ": the centre is not that of its times");
        }
    }
    return wrong;
}

}  // namespace cryolite

#include "autotune/store/store.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "autotune/store/rows.h"
#include "autotune/store/schema.h"

namespace cryolite {
namespace {

using nlohmann::json;

int64_t bits(uint64_t v) { return std::bit_cast<int64_t>(v); }

// A number that is none would be NULL to SQLite.
double finite(double v) { return std::isfinite(v) ? v : 0; }

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
    const Spread s = spread_of(values);
    return s.median == kept.median && s.low == kept.low && s.high == kept.high;
}

}  // namespace

Result<Store> Store::open(const std::string &path, Access access) {
    auto database = Database::open(path, access);
    if (!database.ok()) return database.error();
    // SQLite refuses a file that was cut short, unless the schema may be written: then it reads as far as the file
    // goes. Nothing is written all the same.
    if (access == Access::Read)
        if (const auto set = database->run("PRAGMA writable_schema = ON; PRAGMA query_only = ON");
            !set.ok())
            return set.error();
    const auto ready = access == Access::Write ? migrate(*database, store_migrations())
                                               : check_version(*database, store_migrations());
    if (!ready.ok()) return ready.error();
    // With FULL a transaction is on the disk when it ends, even if the power fails. It costs a flush, some
    // milliseconds, beside seconds of building and measuring.
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
    Statement rows(
        database_,
        (std::string("SELECT id, ") + problem_columns + " FROM problems ORDER BY id").c_str());
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
    Statement rows(database_, (std::string("SELECT ") + sample_columns +
                               " FROM samples JOIN traces ON traces.id = samples.trace WHERE "
                               "problem = ? ORDER BY samples.id")
                                  .c_str());
    rows.bind(problem);
    std::vector<Sample> all;
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) return row.error();
        if (!*row) return all;
        all.push_back(sample_in(rows, 0));
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
    Statement rows(database_, (std::string("SELECT ") + round_columns +
                               " FROM rounds WHERE problem = ? ORDER BY number")
                                  .c_str());
    rows.bind(problem);
    std::vector<TuneRound> all;
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) return row.error();
        if (!*row) return all;
        all.push_back(round_in(rows, 0));
    }
}

std::vector<std::string> Store::check() const {
    std::vector<std::string> wrong;
    for (const char *pragma : {"integrity_check", "foreign_key_check"}) {
        Statement rows(database_, (std::string("PRAGMA ") + pragma).c_str());
        for (;;) {
            const auto row = rows.step();
            if (!row.ok()) wrong.push_back(pragma + (": " + database_.reason()));
            if (!row.ok() || !*row) break;
            if (rows.text(0) != "ok") wrong.push_back(pragma + (": " + rows.text(0)));
        }
    }
    Statement rows(database_,
                   "SELECT samples.id, status, seconds, anchor_seconds, median, low, high FROM "
                   "samples ORDER BY samples.id");
    for (;;) {
        const auto row = rows.step();
        if (!row.ok()) wrong.push_back("samples: " + database_.reason());
        if (!row.ok() || !*row) return wrong;
        const auto sample_is = [&](const std::string &what) {
            wrong.push_back("sample " + std::to_string(rows.number(0)) + ": " + what);
        };
        const auto status = status_named(rows.text(1));
        const auto seconds = seconds_in(rows.text(2));
        if (!status) sample_is("there is no status '" + rows.text(1) + "'");
        if (!seconds || !seconds_in(rows.text(3)))
            sample_is("its times are no list of numbers");
        else if (status == SampleStatus::Timed && seconds->empty())
            sample_is("it is timed and has no times");
        else if (status == SampleStatus::Timed &&
                 !agree({rows.real(4), rows.real(5), rows.real(6)}, *seconds))
            sample_is("the centre is not that of its times");
    }
}

}  // namespace cryolite

#include "autotune/store/schema.h"

#include <array>

namespace cryolite {
namespace {

// Samples are never changed: what was measured stays what it was. Numbers without a sign are kept by their bits. Lists
// of seconds are JSON, whose numbers are read back to the bit.
constexpr std::array<const char *, 1> migrations{R"(
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    pipeline TEXT NOT NULL, algorithm TEXT NOT NULL, parameters TEXT NOT NULL,
    workload TEXT NOT NULL, target TEXT NOT NULL, machine TEXT NOT NULL, halide TEXT NOT NULL,
    threads INTEGER NOT NULL,
    UNIQUE (pipeline, algorithm, parameters, workload, target, machine, halide, threads));
CREATE TABLE traces (
    id INTEGER PRIMARY KEY,
    problem INTEGER NOT NULL REFERENCES problems (id),
    text TEXT NOT NULL,
    UNIQUE (problem, text));
CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    trace INTEGER NOT NULL REFERENCES traces (id),
    repeat INTEGER NOT NULL,
    status TEXT NOT NULL, message TEXT NOT NULL,
    seconds TEXT NOT NULL, anchor_seconds TEXT NOT NULL,
    median REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,
    ratio_median REAL NOT NULL, ratio_low REAL NOT NULL, ratio_high REAL NOT NULL,
    predicted_seconds REAL NOT NULL,
    origin TEXT NOT NULL, round INTEGER NOT NULL, seed INTEGER NOT NULL,
    object_hash INTEGER NOT NULL, build_seconds REAL NOT NULL, run_seconds REAL NOT NULL,
    quiet INTEGER NOT NULL, cryolite TEXT NOT NULL, created INTEGER NOT NULL,
    UNIQUE (trace, repeat));
CREATE TABLE rounds (
    problem INTEGER NOT NULL REFERENCES problems (id),
    number INTEGER NOT NULL,
    seed INTEGER NOT NULL, draws TEXT NOT NULL, model TEXT NOT NULL,
    rank_correlation REAL NOT NULL, created INTEGER NOT NULL,
    UNIQUE (problem, number));
CREATE TRIGGER samples_stay BEFORE UPDATE ON samples
    BEGIN SELECT RAISE(ABORT, 'samples are never changed'); END;
CREATE TRIGGER samples_are_kept BEFORE DELETE ON samples
    BEGIN SELECT RAISE(ABORT, 'samples are never deleted'); END;
)"};

struct Marks {
    int64_t application = 0, version = 0, tables = 0;
};

// Inside of a transaction: between two statements another program may make the tables.
Result<Marks> marks_within(Database &database) {
    Marks marks;
    const auto read = [&](const char *sql, int64_t &value) -> Result<bool> {
        Statement s(database, sql);
        const auto row = s.step();
        if (row.ok() && *row) value = s.number(0);
        return row;
    };
    for (const auto &[sql, value] :
         {std::pair{"PRAGMA application_id", &marks.application},
          std::pair{"PRAGMA user_version", &marks.version},
          std::pair{"SELECT count(*) FROM sqlite_schema", &marks.tables}})
        if (const auto r = read(sql, *value); !r.ok()) return r.error();
    return marks;
}

Result<Marks> marks_of(Database &database) {
    if (const auto begun = database.run("BEGIN"); !begun.ok()) return begun.error();
    const auto marks = marks_within(database);
    const auto ended = database.run("ROLLBACK");
    if (marks.ok() && !ended.ok()) return ended.error();
    return marks;
}

// Whether it is a store that this program can read; false: it is empty.
Result<bool> is_store(const Database &database, const Marks &marks, int64_t newest) {
    const std::string about = "store '" + database.path() + "' ";
    if (marks.application == 0 && marks.version == 0 && marks.tables == 0) return false;
    if (marks.application != store_application_id)
        return Error{about + "is a database of another program; it was left as it is"};
    if (marks.version > newest)
        return Error{about + "has version " + std::to_string(marks.version) +
                     ", and this Cryolite reads up to " + std::to_string(newest) +
                     ": use the newer Cryolite that wrote it. It was left as it is"};
    return true;
}

}  // namespace

std::span<const char *const> store_migrations() { return migrations; }

Result<bool> check_version(Database &database, std::span<const char *const> steps) {
    const auto marks = marks_of(database);
    if (!marks.ok()) return marks.error();
    const auto known = is_store(database, *marks, std::ssize(steps));
    if (!known.ok()) return known;
    if (!*known || marks->version < std::ssize(steps))
        return Error{"store '" + database.path() +
                     "' is empty or of an older version; the next `cryolite tune` brings it up to "
                     "date, and so does `cryolite store import`"};
    return true;
}

Result<bool> migrate(Database &database, std::span<const char *const> steps) {
    const auto before = marks_of(database);
    if (!before.ok()) return before.error();
    if (const auto known = is_store(database, *before, std::ssize(steps)); !known.ok())
        return known;
    if (const auto wal = database.use_write_ahead_log(); !wal.ok()) return wal;
    Transaction transaction(database);
    if (const auto begun = transaction.begin(); !begun.ok()) return begun;
    // Another program may have been first.
    const auto now = marks_within(database);
    if (!now.ok()) return now.error();
    if (const auto known = is_store(database, *now, std::ssize(steps)); !known.ok()) return known;
    if (now->version == std::ssize(steps)) return transaction.commit();
    for (int64_t v = now->version; v < std::ssize(steps); v++)
        if (const auto done = database.run(steps[static_cast<size_t>(v)]); !done.ok()) return done;
    const auto marked =
        database.run("PRAGMA application_id = " + std::to_string(store_application_id) +
                     "; PRAGMA user_version = " + std::to_string(std::ssize(steps)));
    if (!marked.ok()) return marked;
    return transaction.commit();
}

}  // namespace cryolite

#include "autotune/store/salvage.h"

#include "autotune/store/rows.h"

namespace cryolite {
namespace {

// More than fit: a row and its place in the page take at least 40 of SQLite's 4,096 bytes.
constexpr int64_t most_rows_per_page = 100;

// The largest number that a row of the table may have.
int64_t last_row(const Database &database, const std::string &table) {
    Statement last(database, ("SELECT max(rowid) FROM " + table).c_str());
    if (const auto row = last.step(); row.ok() && *row) return last.number(0);
    Statement pages(database, "PRAGMA page_count");
    const auto row = pages.step();
    return row.ok() && *row ? pages.number(0) * most_rows_per_page : 0;
}

// `sql` asks for one row, by its number.
template <typename Take>
void each_readable(const Database &database, const std::string &table, const std::string &sql,
                   Take take) {
    const int64_t last = last_row(database, table);
    for (int64_t number = 1; number <= last; number++) {
        Statement row(database, sql.c_str());
        if (const auto found = row.bind(number).step(); found.ok() && *found) take(row);
    }
}

}  // namespace

Salvage salvage(const Store &store) {
    Salvage found;
    const Database &database = store.database();
    each_readable(database, "problems",
                  std::string("SELECT id, ") + problem_columns + " FROM problems WHERE id = ?",
                  [&](const Statement &row) {
                      found.problems.push_back({row.number(0), problem_in(row, 1)});
                  });
    // NOT INDEXED: the trace is found by its number, too.
    each_readable(
        database, "samples",
        std::string("SELECT problem, ") + sample_columns +
            " FROM samples NOT INDEXED CROSS JOIN traces NOT INDEXED "
            "ON traces.id = samples.trace WHERE samples.id = ?",
        [&](const Statement &row) { found.samples[row.number(0)].push_back(sample_in(row, 1)); });
    each_readable(
        database, "rounds",
        std::string("SELECT problem, ") + round_columns + " FROM rounds WHERE rowid = ?",
        [&](const Statement &row) { found.rounds[row.number(0)].push_back(round_in(row, 1)); });
    return found;
}

}  // namespace cryolite

// The store of samples: an SQLite file that several tuners may share. docs/store.md describes its tables.
//
// What add() and add_round() have returned is on the disk and survives a kill of this process or of the computer. Each
// is a transaction of its own: it is there whole or not at all. Nothing is ever changed or deleted.
#pragma once

#include <string>
#include <vector>

#include "autotune/store/database.h"
#include "autotune/store/sample.h"

namespace cryolite {

class Store {
public:
    using Access = Database::Access;
    // Errors: a file that is no store, is damaged, or of a later version. It is left as it is.
    static Result<Store> open(const std::string &path, Access access);

    // The number of the problem, which is added if it is not there.
    Result<int64_t> number_of(const Problem &problem);
    struct Known {
        int64_t number;
        Problem problem;
    };
    Result<std::vector<Known>> problems() const;

    // False: this trace of the problem is there already with this repeat. Nothing is changed then.
    Result<bool> add(int64_t problem, const Sample &sample);
    // The same inside of a transaction of the caller's.
    Result<bool> add_within(int64_t problem, const Sample &sample);
    // In the order in which they were added.
    Result<std::vector<Sample>> samples(int64_t problem) const;

    // False: the round is there already.
    Result<bool> add_round(int64_t problem, const TuneRound &round);
    Result<std::vector<TuneRound>> rounds(int64_t problem) const;

    // What is wrong with the file, a sentence each; empty: nothing.
    std::vector<std::string> check() const;

    Database &database() { return database_; }
    const Database &database() const { return database_; }
    const std::string &path() const { return database_.path(); }

private:
    explicit Store(Database database) : database_(std::move(database)) {}
    Result<int64_t> number_of_trace(int64_t problem, const std::string &trace);

    Database database_;
};

}  // namespace cryolite

// SQLite with our errors: what is wrong, with which file, and what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace cryolite {

class Database {
public:
    enum class Access { Write /* made if it is not there */, Read };
    static Result<Database> open(const std::string &path, Access access);

    Result<bool> run(const std::string &sql);
    // Waits for others that use the file, as long as a statement waits for another writer.
    Result<bool> use_write_ahead_log();
    int64_t changes() const;     // rows of the last statement
    Error error() const;         // of the last call that failed
    std::string reason() const;  // the same in SQLite's words
    bool damaged() const;        // whether the file was its cause
    const std::string &path() const { return path_; }
    sqlite3 *handle() const { return handle_.get(); }

private:
    struct Closer {
        void operator()(sqlite3 *handle) const;
    };
    std::unique_ptr<sqlite3, Closer> handle_;
    std::string path_;
};

// One statement. Values are bound in the order of its question marks and read by column. A call that fails makes step()
// fail.
class Statement {
public:
    Statement(const Database &database, const char *sql);
    ~Statement();
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    Statement &bind(const std::string &text);
    Statement &bind(int64_t number);
    Statement &bind(double number);

    // True: there is a row.
    Result<bool> step();
    std::string text(int column) const;
    int64_t number(int column) const;
    double real(int column) const;

private:
    const Database &database_;
    sqlite3_stmt *statement_ = nullptr;
    int bound_ = 0;
};

// Undone unless it is committed.
class Transaction {
public:
    explicit Transaction(Database &database) : database_(database) {}
    ~Transaction();
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;

    Result<bool> begin();
    Result<bool> commit();

private:
    Database &database_;
    bool open_ = false;
};

}  // namespace cryolite

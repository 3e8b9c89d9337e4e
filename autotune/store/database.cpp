#include "autotune/store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/deadline.h"

namespace cryolite {
namespace {

constexpr int patience_milliseconds = 30'000;  // for another tuner that writes
constexpr int nap_milliseconds = 5;            // between two tries where SQLite does not wait

// The path as SQLite takes it together with parameters.
std::string uri_of(const std::string &path) {
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        const char escaped[] = {'%', "0123456789ABCDEF"[(c >> 4) & 15], "0123456789ABCDEF"[c & 15],
                                0};
        if (c == '%' || c == '?' || c == '#')
            uri += escaped;
        else
            uri += c;
    }
    return uri;
}

// Readers write a log and an index of it beside the file. Where they may not, the file is read by itself, as long as
// there is no log whose content it lacks.
bool is_read_by_itself(const std::filesystem::path &path) {
    std::error_code none;
    const auto folder = std::filesystem::absolute(path).parent_path();
    const auto log = std::filesystem::file_size(path.string() + "-wal", none);
    return access(folder.c_str(), W_OK) != 0 && (none || log == 0);
}

}  // namespace

void Database::Closer::operator()(sqlite3 *handle) const { sqlite3_close(handle); }

Error Database::error() const {
    const std::string about = "store '" + path_ + "': ";
    switch (sqlite3_errcode(handle_.get()) & 0xff) {
        case SQLITE_NOTADB:
            return {about +
                    "the file is no store, or its beginning is damaged. It was left as it is"};
        case SQLITE_CORRUPT:
            return {about +
                    "the file is damaged. It was left as it is; `cryolite store check` says where, "
                    "and `cryolite store export` saves what can be read"};
        case SQLITE_FULL: return {about + "the disk is full; what was kept before is whole"};
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN: return {about + "cannot be written; is the folder there, and yours?"};
        case SQLITE_BUSY:
            return {about + "another program has held it for too long; try again when it is done"};
        default: return {about + sqlite3_errmsg(handle_.get())};
    }
}

std::string Database::reason() const { return sqlite3_errmsg(handle_.get()); }

bool Database::damaged() const {
    const int code = sqlite3_errcode(handle_.get()) & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR;
}

Result<Database> Database::open(const std::string &path, Access access) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    // SQLite's names of databases that are gone when they are closed.
    if (path.empty() || path == ":memory:")
        return Error{"store '" + path + "' is no name of a file"};
    if (fs::is_directory(path, ignored)) return Error{"store '" + path + "' is a folder"};
    if (access == Access::Read && !fs::exists(path, ignored))
        return Error{"there is no store '" + path + "'"};
    Database database;
    database.path_ = path;
    sqlite3 *handle = nullptr;
    // A reader, too, opens the file for writing where it may: only then it removes the log when it was the last.
    const bool by_itself = access == Access::Read && is_read_by_itself(path);
    const int flags = by_itself                ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                      : access == Access::Read ? SQLITE_OPEN_READWRITE
                                               : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const std::string name = by_itself ? uri_of(path) + "?immutable=1" : path;
    const int status = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
    database.handle_.reset(handle);
    if (status != SQLITE_OK) return database.error();
    sqlite3_busy_timeout(handle, patience_milliseconds);
    return database;
}

Result<bool> Database::run(const std::string &sql) {
    if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return error();
    return true;
}

// The change needs the file for itself, and SQLite does not wait for that.
Result<bool> Database::use_write_ahead_log() {
    const Deadline patience = Deadline::after(patience_milliseconds / 1e3);
    for (;;) {
        const auto changed = run("PRAGMA journal_mode = WAL");
        const bool busy = (sqlite3_errcode(handle_.get()) & 0xff) == SQLITE_BUSY;
        if (changed.ok() || !busy || patience.passed()) return changed;
        std::this_thread::sleep_for(std::chrono::milliseconds(nap_milliseconds));
    }
}

int64_t Database::changes() const { return sqlite3_changes64(handle_.get()); }

Statement::Statement(const Database &database, const char *sql) : database_(database) {
    sqlite3_prepare_v2(database.handle(), sql, -1, &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement &Statement::bind(const std::string &text) {
    sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return *this;
}

Statement &Statement::bind(int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
}

Statement &Statement::bind(double number) {
    sqlite3_bind_double(statement_, ++bound_, number);
    return *this;
}

Result<bool> Statement::step() {
    if (!statement_) return database_.error();
    switch (sqlite3_step(statement_)) {
        case SQLITE_ROW: return true;
        case SQLITE_DONE: return false;
        default: return database_.error();
    }
}

std::string Statement::text(int column) const {
    const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(statement_, column));
    return bytes ? std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column)))
                 : std::string();
}

int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

Result<bool> Transaction::begin() {
    const auto begun = database_.run("BEGIN IMMEDIATE");
    open_ = begun.ok();
    return begun;
}

Result<bool> Transaction::commit() {
    const auto done = database_.run("COMMIT");
    open_ = !done.ok();
    return done;
}

Transaction::~Transaction() {
    if (open_) (void)database_.run("ROLLBACK").ok();
}

}  // namespace cryolite

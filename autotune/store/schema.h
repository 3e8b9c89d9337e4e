// The tables of a store and how an older store is brought up to date.
#pragma once

#include <span>
#include <string>

#include "autotune/store/database.h"

namespace cryolite {

// Marks a file as a store of Cryolite's ("Cryo").
inline constexpr int64_t store_application_id = 0x4372796f;

// [i]: the statements that bring a store of version i to version i + 1.
std::span<const char *const> store_migrations();
inline int64_t store_version() { return std::ssize(store_migrations()); }

// Makes the tables, or brings them up to date by these migrations: whole or not at all. Errors: another program's file,
// a store of a later version. Nothing is written then.
Result<bool> migrate(Database &database, std::span<const char *const> migrations);
// For reading: errors as above, and a store of an older version.
Result<bool> check_version(Database &database, std::span<const char *const> migrations);

}  // namespace cryolite

#include "tools/report/write_report.h"

#include <filesystem>

#include "base/atomic_file.h"
#include "tools/report/page.h"
#include "tools/report/read_report.h"

namespace cryolite::tools {

Result<std::vector<std::string>> write_report(const std::string &from, int64_t problem,
                                              const std::string &to) {
    const auto read = read_report(from, problem);
    if (!read.ok()) return read.error();
    std::error_code unknown;
    if (std::filesystem::equivalent(to, read->store, unknown))
        return Error{"'" + to + "' is the store itself; write the report to another file"};
    if (const auto written = write_atomically(to, report_page(read->report)); !written.ok())
        return written.error();
    return read->notes;
}

}  // namespace cryolite::tools

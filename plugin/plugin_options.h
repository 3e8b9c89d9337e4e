// The options that a user may give as autoscheduler.NAME=VALUE.
#pragma once

#include <map>
#include <string>

#include "base/log.h"
#include "base/options.h"
#include "search/options.h"

namespace cryolite {

struct PluginOptions {
    SearchOptions search;
    std::string mode = "one_shot";
    std::string strategy = "search";  // or one of strategy_names(), or autogpu
    int64_t parallelism = 0;
    std::string machine = "auto";
    std::string trace_file;
    std::string explain;
    std::string log_level = "warning";
    int64_t memory_limit_mb = 900;
    int64_t compile_limit = 30;  // seconds
    bool verify = true;
    bool plans = false;
    bool divide = true;
    std::string tensor_cores = "auto";
    bool tensor_cores_tf32 = false;
    int64_t top_k = 5;
    double benchmark_seconds = 3;
    std::string inputs;
    std::string model = "auto", weights;
    double risk = 0;

    bool names_weights() const { return !weights.empty() && weights != "none"; }
    int64_t draws = 80;
    double draw_seconds = 120, draw_any = 0;
    std::string draw_file, samples_file;
    std::string small_sizes = "compiled";
    std::string generator, generator_parameters;

    LogLevel level() const;
};

// The one table of options: `options` holds the defaults and receives the values.
OptionTable plugin_option_table(PluginOptions &options);

// Errors: unknown options and bad values, in words for the user.
Result<PluginOptions> parse_plugin_options(const std::map<std::string, std::string> &values);

}  // namespace cryolite

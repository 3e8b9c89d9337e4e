// What the search finds because it looks ahead.
#include <gtest/gtest.h>

#include <cmath>

#include "machine/presets.h"
#include "tests/golden/app_graph.h"

namespace cryolite {
namespace {

using testing::build_app;

// Softmax between two products. How the last product is best cut shows only once it is known which of the sums before
// fit into its tiles.
TEST(Outlook, finds_loops_that_pay_off_only_with_what_is_decided_later) {
    const BuiltGraph built = build_app("attention");
    Machine machine = *machine_preset("x86-avx512-zen5");
    machine.cores = 2;
    // The scores of a head fit into the last level only in part.
    machine.caches.back().size_bytes /= 2;
    SearchOptions options;
    options.threads = 1;
    options.time_limit_seconds = 1e6;
    const Effort with = effort(built.graph, options);
    Effort without = with;
    ASSERT_GT(with.outlook, 0);
    without.outlook = 0;
    const auto found = [&](const Effort &e) {
        return search(built.graph, machine, options, e).time.seconds;
    };
    // With one seed or another either finds the same by chance.
    double ratio = 1;
    const int seeds = 2;
    for (options.seed = 0; options.seed < seeds; options.seed++)
        ratio *= found(with) / found(without);
    EXPECT_LT(std::pow(ratio, 1.0 / seeds), 0.9);
}

}  // namespace
}  // namespace cryolite

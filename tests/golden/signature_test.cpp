// The signature of the whole search: for every app the states that it generates from a fixed seed
// and the hash of what it chooses. Whatever changes the graph, the space, the cost or the search
// changes a number here, also where it was not meant to.
#include <cstdio>

#include <gtest/gtest.h>

#include "apps/common/app_list.h"
#include "code/legality/validate.h"
#include "tests/golden/app_graph.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/movement.h"

namespace cryolite {
namespace {

using testing::build_app;
using testing::golden_machine;
using testing::golden_options;

std::string line_of(const std::string &app, const SearchResult &result) {
    char line[160];
    std::snprintf(line, sizeof line, "%s states %llu nest %016llx", app.c_str(),
                  static_cast<unsigned long long>(result.statistics.states_generated),
                  static_cast<unsigned long long>(result.nest.hash()));
    return line;
}

class Signature : public ::testing::TestWithParam<std::string> {};

TEST_P(Signature, is_the_golden_one_and_was_reached_in_small_steps) {
    const BuiltGraph built = build_app(GetParam());
    SearchOptions options = golden_options();
    // The search of a large pipeline takes most of this test's time. Half of it reaches the same code.
    constexpr size_t large = 30;
    if (built.graph.funcs().size() > large) {
        options.beam_size /= 2;
        options.tilings_per_placement /= 2;
    }
    const SearchResult result = search(built.graph, golden_machine(), options);
    EXPECT_TRUE(result.nest.complete());
    EXPECT_EQ(validate(result.nest), "");
    testing::expect_golden_line("signature.txt", GetParam(), line_of(GetParam(), result));
    testing::expect_small_steps(built, result.nest);
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const apps::AppDescription &app : apps::app_list()) all.push_back(app.name);
    return all;
}

std::string name_of(const ::testing::TestParamInfo<std::string> &info) { return info.param; }

INSTANTIATE_TEST_SUITE_P(Apps, Signature, ::testing::ValuesIn(names()), name_of);

class SmallSignature : public ::testing::TestWithParam<std::string> {};

TEST_P(SmallSignature, is_the_same_on_a_rerun_and_on_any_number_of_threads) {
    const BuiltGraph first = build_app(GetParam()), second = build_app(GetParam());
    SearchOptions options = golden_options();
    const std::string line = line_of(GetParam(), search(first.graph, golden_machine(), options));
    EXPECT_EQ(line_of(GetParam(), search(first.graph, golden_machine(), options)), line);
    // A second build of the same pipeline has other names, which must not matter.
    EXPECT_EQ(line_of(GetParam(), search(second.graph, golden_machine(), options)), line);
    options.threads = 2;
    EXPECT_EQ(line_of(GetParam(), search(first.graph, golden_machine(), options)), line);
}

INSTANTIATE_TEST_SUITE_P(Apps, SmallSignature, ::testing::Values("blur", "mat_mul", "hist"),
                         name_of);

}  // namespace
}  // namespace cryolite

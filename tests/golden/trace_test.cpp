// What is chosen for four small apps, as people read it: a diff of these says what a changed
// signature only hints at.
#include <gtest/gtest.h>

#include "code/legality/apply.h"
#include "schedule/trace_text.h"
#include "tests/golden/app_graph.h"
#include "tests/golden/golden_file.h"

namespace cryolite {
namespace {

class GoldenTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenTrace, is_what_the_search_chooses) {
    const BuiltGraph built = testing::build_app(GetParam());
    const SearchResult result =
        search(built.graph, testing::golden_machine(), testing::golden_options());
    const std::string text = to_text(built.graph, trace_of(result.nest));
    testing::expect_golden("trace/" + GetParam() + ".txt", testing::unnumbered(text));

    const Result<Trace> parsed = parse_trace(built.graph, text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    const auto again = replay(built.graph, *parsed);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->hash(), result.nest.hash());
}

INSTANTIATE_TEST_SUITE_P(Apps, GoldenTrace,
                         ::testing::Values("blur", "mat_mul", "conv_layer", "harris"),
                         [](const auto &info) { return info.param; });

}  // namespace
}  // namespace cryolite

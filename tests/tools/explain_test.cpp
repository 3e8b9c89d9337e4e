// What `cryolite explain` makes of explanations: tables, and the comparison of two.
#include <sstream>

#include <gtest/gtest.h>

#include "tools/explain/comparison_table.h"
#include "tools/explain/explain_generator.h"
#include "tools/text_table.h"

namespace cryolite::tools {
namespace {

// Two stages, one of them in the loops of the other, and a Func that is inlined.
Explanation some_explanation() {
    Explanation e;
    e.pipeline = "blur";
    e.algorithm = "0123456789abcdef";
    e.target = "x86-64-linux";
    e.machine = "mine";
    e.machine_source = "preset x86-avx2";
    e.constants = {{"hertz", 3e9, "cycles/s"}, {"parallel_loop_seconds", 4e-6, "s"}};
    e.trace = "cryolite-trace 1\n";
    ExplainedNode rows{.kind = "stage", .of = "rows.s0", .text = "rows"};
    ExplainedNode output{.kind = "stage", .of = "output.s0", .text = "output"};
    ExplainedNode loop{.kind = "loop",
                       .of = "output.s0",
                       .text = "parallel y.0 in 15",
                       .loop = "y.0",
                       .run = "parallel",
                       .extents = {15}};
    loop.children = {{.kind = "compute",
                      .of = "rows",
                      .text = "compute rows 64x3",
                      .extents = {64, 3},
                      .children = {rows}},
                     output};
    e.nest = {{.kind = "compute",
               .of = "output",
               .text = "compute output 64x48",
               .extents = {64, 48},
               .children = {loop}}};
    e.inlined = {"input"};
    e.terms = {{"compute", "s", "compute_cost", "arithmetic", {"hertz"}, 3e-3},
               {"launches",
                "s",
                "cost_of_parallel_launches",
                "starting loops",
                {"parallel_loop_seconds"},
                5e-3}};
    e.features = {{"points", "points", "Points."}, {"bytes", "bytes", "Bytes."}};
    e.stages = {{"output.s0",
                 7e-3,
                 "launches",
                 "core",
                 1,
                 2,
                 {{"compute", 2e-3}, {"launches", 5e-3}},
                 {{"points", 3072}, {"bytes", 0}},
                 {{"compute", 3e-3}, {"launches", 5e-3}},
                 {{"compute", 6e-3}, {"launches", 5e-3}}},
                {"rows.s0",
                 1e-3,
                 "compute",
                 "memory",
                 48,
                 2,
                 {{"compute", 1e-3}, {"launches", 0}},
                 {{"points", 192}, {"bytes", 768}}}};
    e.seconds = 8e-3;
    e.least_arithmetic_seconds = 1e-3;
    e.least_traffic_seconds = 4e-3;
    e.dominating = "launches";
    return e;
}

std::string text(const Explanation &e, const Shown &shown = {}) {
    const auto table = explanation_table(e, shown);
    return table.ok() ? *table : "refused: " + table.error().message;
}

// Without the spaces that make columns.
std::string squeezed(const std::string &text) {
    std::string all;
    for (char c : text)
        if (c != ' ' || !all.ends_with(' ')) all += c;
    return all;
}

void expect_part(const std::string &text, const std::string &part) {
    EXPECT_NE(squeezed(text).find(squeezed(part)), std::string::npos) << part << " is not in:\n"
                                                                      << text;
}

TEST(TextTable, aligns_columns_and_leaves_no_space_at_the_end) {
    EXPECT_EQ(text_table({{"a", "bc", "d"}, {"aaa", "1"}, {"", "22", "x"}},
                         {Align::Left, Align::Right, Align::Left}),
              "a    bc  d\n"
              "aaa   1\n"
              "     22  x\n");
}

TEST(ExplanationTable, has_the_time_of_every_stage_beside_its_body) {
    const std::string all = text(some_explanation());
    expect_part(all, "predicted 8.000 ms");
    expect_part(
        all,
        "at least 4.000 ms by the traffic of inputs and outputs alone; predicted 2 times that");
    expect_part(all, "launches dominates with 62.5 %");
    expect_part(all, "compute output 64x48\n");
    expect_part(all, "      rows                1.000  12.5\n");
    expect_part(all, "    output                7.000  87.5\n");
    expect_part(all, "inlined: input\n");
}

TEST(ExplanationTable, marks_the_term_that_dominates_and_puts_the_slowest_stage_first) {
    const std::string all = text(some_explanation());
    expect_part(all, "output.s0  core      7.000   87.5        *5.000  71%   2.000  29%\n");
    expect_part(all, "rows.s0    memory    1.000   12.5                  -  *1.000 100%\n");
    expect_part(all, "all                  8.000  100.0        *5.000  62%   3.000  38%\n");
    EXPECT_LT(all.find("\noutput.s0"), all.find("\nrows.s0"));
}

TEST(ExplanationTable, puts_small_terms_together) {
    Explanation e = some_explanation();
    for (const char *name : {"small", "smaller"}) {
        e.terms.push_back({name, "s", "load_cost", "", {}, 1e-6});
        e.stages[0].terms.emplace_back(name, 1e-6);
        e.stages[0].seconds += 1e-6;
        e.seconds += 1e-6;
    }
    const std::string all = text(e);
    expect_part(all, "  other\n");
    expect_part(all, "0.002   0%\n");
    EXPECT_EQ(all.find("smaller"), std::string::npos);
}

TEST(ExplanationTable, leaves_no_line_of_terms_wider_than_the_terminal) {
    Explanation e = some_explanation();
    for (int i = 0; i < 6; i++) {
        const std::string name = "a_term_of_a_long_name_" + std::to_string(i);
        e.terms.push_back({name, "s", "", "", {}, 1e-4 * (i + 1)});
        e.stages[0].terms.emplace_back(name, 1e-4 * (i + 1));
    }
    const std::string wide = text(e), narrow = text(e, {.columns = 100});
    expect_part(wide, "a_term_of_a_long_name_0");
    // The smallest go first, and together; what dominates a stage stays.
    EXPECT_EQ(narrow.find("a_term_of_a_long_name_0"), narrow.npos) << narrow;
    expect_part(narrow, "a_term_of_a_long_name_5");
    for (const char *kept : {"launches", "compute", "other"}) expect_part(narrow, kept);
    std::istringstream lines(narrow);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("output.s0") || line.starts_with("stage ")) {
            EXPECT_LE(line.size(), 100u) << line;
        }
    // Where not even those have room, they are shown all the same.
    expect_part(text(e, {.columns = 10}), "launches");
}

TEST(ExplanationTable, of_one_stage_has_its_terms_and_the_machines_values_behind_them) {
    for (const char *name : {"output.s0", "output"}) {
        const std::string one = text(some_explanation(), {.stage = name});
        expect_part(one, "output.s0: 1 productions, speed-up 2, bound by core");
        expect_part(one, "*launches  5.000  1  5.000  71.4  cost_of_parallel_launches");
        expect_part(one, " compute  3.000  2  2.000  28.6  compute_cost");
        expect_part(one, "One after the other 11.000 ms; side by side 7.000 ms");
        expect_part(one, "hertz                  3e+09  cycles/s  compute\n");
        expect_part(one, "parallel_loop_seconds  4e-06  s         launches\n");
        EXPECT_EQ(one.find("rows.s0"), std::string::npos);
    }
}

TEST(ExplanationTable, lists_features_that_are_not_zero_on_request) {
    const std::string all = text(some_explanation(), {.features = true});
    expect_part(all, "features of output.s0        unit\npoints                 3072  points\n\n");
    expect_part(all, "bytes                 768  bytes\n");
    EXPECT_EQ(text(some_explanation()).find("features"), std::string::npos);
}

TEST(ExplanationTable, of_a_stage_that_is_not_there_says_what_is) {
    expect_part(text(some_explanation(), {.stage = "row"}),
                "there is no stage 'row'; the stages are: output.s0, rows.s0");
    expect_part(text(some_explanation(), {.stage = "input"}), "'input' is inlined");
}

TEST(ExplanationTable, of_nothing_predicted_is_shown_all_the_same) {
    Explanation e = some_explanation();
    e.too_large = true;
    e.seconds = 0;
    e.dominating.clear();
    e.stages.clear();
    expect_part(text(e), "beyond reason");
}

TEST(TimeUnit, fits_the_largest_time) {
    EXPECT_EQ(TimeUnit(12).text(1.5), "1.500 s");
    EXPECT_EQ(TimeUnit(1.5).text(1.5), "1500.000 ms");
    EXPECT_EQ(TimeUnit(3e-5).text(1.5e-5), "15.000 us");
}

TEST(Comparison, of_a_schedule_with_itself_has_no_difference) {
    const Explanation e = some_explanation();
    const auto c = compare(e, e);
    ASSERT_TRUE(c.ok());
    EXPECT_EQ(c->seconds, 0);
    EXPECT_TRUE(c->same_trace);
    EXPECT_TRUE(c->same_machine);
    ASSERT_EQ(c->stages.size(), 2u);
    for (const StageDifference &d : c->stages) {
        EXPECT_EQ(d.first, d.second);
        EXPECT_EQ(d.seconds, 0);
        EXPECT_EQ(d.term.name, "");
        EXPECT_TRUE(d.features.empty());
    }
    const auto table = comparison_table({"a", e}, {"b", e}, {});
    ASSERT_TRUE(table.ok());
    expect_part(*table, "The schedules are the same.");
    expect_part(*table, "all        8.000  8.000      +0.000  0 %  -\n");
}

TEST(Comparison, finds_the_stage_the_term_and_the_features_that_differ_most) {
    const Explanation a = some_explanation();
    Explanation b = a;
    b.trace += "inline rows\n";
    b.stages.pop_back();
    b.inlined.push_back("rows");
    b.stages[0].terms = {{"compute", 4e-3}, {"launches", 4.5e-3}};
    b.stages[0].seconds = 8.5e-3;
    b.stages[0].features = {{"points", 6144}, {"bytes", 1000}};
    b.terms[0].seconds = 4e-3;
    b.terms[1].seconds = 4.5e-3;
    b.seconds = 8.5e-3;
    const auto c = compare(a, b);
    ASSERT_TRUE(c.ok());
    EXPECT_FALSE(c->same_trace);
    EXPECT_DOUBLE_EQ(c->seconds, 0.5e-3);
    ASSERT_EQ(c->stages.size(), 2u);
    EXPECT_EQ(c->stages[0].name, "output.s0");
    EXPECT_DOUBLE_EQ(c->stages[0].seconds, 1.5e-3);
    EXPECT_EQ(c->stages[0].term.name, "compute");
    EXPECT_DOUBLE_EQ(c->stages[0].term.seconds, 2e-3);
    ASSERT_EQ(c->stages[0].features.size(), 2u);
    EXPECT_EQ(c->stages[0].features[0].name, "bytes");  // from 0 to 1000 is more than doubled
    EXPECT_EQ(c->stages[0].features[0].unit, "bytes");
    EXPECT_EQ(c->stages[1].name, "rows.s0");
    EXPECT_FALSE(c->stages[1].second);
    EXPECT_DOUBLE_EQ(c->stages[1].seconds, -1e-3);
    const auto table = comparison_table({"a", a}, {"b", b}, {});
    ASSERT_TRUE(table.ok());
    expect_part(*table, "rows.s0    1.000  inlined      -1.000  -100 %  compute -1.000\n");
    // The other way round all signs turn.
    const auto back = compare(b, a);
    ASSERT_TRUE(back.ok());
    EXPECT_DOUBLE_EQ(back->seconds, -c->seconds);
}

TEST(Comparison, of_different_machines_says_so) {
    const Explanation a = some_explanation();
    Explanation b = a;
    b.constants[0].value = 2e9;
    EXPECT_FALSE(compare(a, b)->same_machine);
    expect_part(*comparison_table({"a", a}, {"b", b}, {}), "The machines or targets differ");
}

TEST(Comparison, of_different_algorithms_is_refused) {
    const Explanation a = some_explanation();
    Explanation b = a;
    b.algorithm = "fedcba9876543210";
    const auto c = compare(a, b);
    ASSERT_FALSE(c.ok());
    expect_part(c.error().message, "different algorithms");
    EXPECT_FALSE(comparison_table({"a", a}, {"b", b}, {}).ok());
}

}  // namespace
}  // namespace cryolite::tools

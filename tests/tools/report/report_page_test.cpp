// A page holds its figures whole, and nothing that a store says ends a script.
#include "tools/report/page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/tools/report/made_up_run.h"
#include "tools/report/explained_sides.h"
#include "tools/report/make_report.h"
#include "tools/report/page_parts.h"
#include "tools/report/report_json.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

constexpr const char *nasty =
    "</script><script>alert(1)</script><!-- & \" ' \\ {{style}} {{script}} \xe2\x80\xa8 "
    "\xe2\x80\xa9 \u00e4";

Report made_up() {
    std::vector<Sample> samples = made_up_samples();
    samples[5].message = samples[5].origin = nasty;
    return make_report(1, made_up_problem(nasty), samples, made_up_rounds());
}

size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) found++;
    return found;
}

TEST(ReportJson, is_safe_inside_of_a_script) {
    const std::string text = report_json(made_up());
    for (const char *unsafe : {"<", ">", "&", "\xe2\x80\xa8", "\xe2\x80\xa9"})
        EXPECT_EQ(count(text, unsafe), 0u) << unsafe;
    const json read = json::parse(text);
    EXPECT_EQ(read["problem"]["pipeline"], nasty);
    EXPECT_EQ(read["samples"][5]["message"], nasty);
}

TEST(ReportJson, keeps_numbers_to_the_bit) {
    Report r = made_up();
    r.samples[0].seconds = {1.0 / 3, 5e-324, 1.7976931348623157e308};
    const json read = json::parse(report_json(r));
    EXPECT_EQ(read["samples"][0]["seconds"]["median"], 1.0 / 3);
    EXPECT_EQ(read["samples"][0]["seconds"]["low"], 5e-324);
    EXPECT_EQ(read["samples"][0]["seconds"]["high"], 1.7976931348623157e308);
}

TEST(ReportJson, mends_text_that_is_no_utf8) {
    Report r = made_up();
    r.samples[0].message = "\xff\xe2\x80";
    EXPECT_TRUE(json::accept(report_json(r)));
}

TEST(ReportJson, has_null_where_too_little_was_measured) {
    const json read = json::parse(report_json(made_up()));
    EXPECT_TRUE(read["rounds"][1]["prediction_correlation"].is_null());
}

TEST(ReportPage, is_the_same_for_the_same_figures) {
    EXPECT_EQ(report_page(made_up()), report_page(made_up()));
}

TEST(ReportPage, holds_each_part_once) {
    const std::string page = report_page(made_up());
    EXPECT_EQ(count(page, "<script id=\"report-data\""), 1u);
    EXPECT_EQ(count(page, "function showReport("), 1u);
    EXPECT_EQ(count(page, "--by-hand:"), 2u) << "for light and for dark";
    // A name of a part inside of a text stays what it is.
    EXPECT_EQ(count(page, "{{data}}"), 0u);
    EXPECT_GE(count(page, "{{style}}"), 1u);
    EXPECT_TRUE(page.ends_with("</html>\n"));
}

std::string joined(Pieces pieces) {
    std::string text;
    for (std::string_view piece : pieces) text += piece;
    return text;
}

TEST(ReportPage, names_nothing_to_fetch) {
    const std::string page = joined(page_html()) + joined(page_style()) + joined(page_script());
    for (const char *name : {"<link", "src=", "url(", "http:", "https:", "fetch(", "import("})
        EXPECT_EQ(count(page, name), 0u) << name;
    // plotly.js could: the policy in the page forbids it.
    EXPECT_EQ(count(page, "default-src 'none'"), 1u);
}

TEST(ReportPage, was_given_its_files_whole) {
    const auto bytes = [](const std::string &path) {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(joined(page_style()), bytes(std::string(PAGE_FOLDER) + "/report.css"));
    EXPECT_EQ(joined(page_html()), bytes(std::string(PAGE_FOLDER) + "/page.html"));
    EXPECT_TRUE(joined(page_charts()) == (std::string(PLOTLY).empty() ? "" : bytes(PLOTLY)));
    EXPECT_EQ(count(joined(page_charts()), "</script"), 0u);
}

ExplainedStage stage(const std::string &name, double compute, double memory) {
    ExplainedStage s;
    s.name = name;
    s.seconds = compute + memory;
    s.terms = {{"compute", compute}, {"memory_loads", memory}};
    return s;
}

TEST(ExplainedSides, share_one_order_of_terms) {
    Explanation best, start;
    best.seconds = 3;
    best.terms = {{"compute", "", "", "arithmetic", {}, 1, 1},
                  {"memory_loads", "", "", "reads", {}, 2, 2},
                  {"tasks", "", "", "", {}, 0, 0}};
    best.stages = {stage("out.s0", 1, 2)};
    best.nest = {{"compute",
                  "out",
                  "compute out 8",
                  {},
                  {},
                  {},
                  {{"stage", "out.s0", "out", {}, {}, {}, {}}}}};
    start = best;
    start.stages = {stage("out.s0", 1, 1), stage("mid.s0", 0, 1)};
    const ReportedExplanation e = explained_sides({{"best", best, 4}, {"one shot", start, 5}});
    EXPECT_EQ(e.terms, (std::vector<std::string>{"memory_loads", "compute"}))
        << "those that cost, the longest first";
    EXPECT_EQ(e.docs[1], "arithmetic");
    ASSERT_EQ(e.sides.size(), 2u);
    EXPECT_EQ(e.sides[0].stages[0].terms, (std::vector<double>{2, 1}));
    EXPECT_EQ(e.sides[1].stages[1].terms, (std::vector<double>{1, 0}));
    EXPECT_EQ(e.sides[0].measured_seconds, 4);
    ASSERT_EQ(e.sides[0].nest.size(), 2u);
    EXPECT_EQ(e.sides[0].nest[1].depth, 1);
    EXPECT_EQ(e.sides[0].nest[1].stage, "out.s0");
}

}  // namespace
}  // namespace cryolite::tools

// Whether a side of a window is a constant is Halide's decision; here ours is held against the allocations in its code.
#include "code/kernel/constant_sides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using Halide::clamp;
using Halide::Expr;
using Halide::Var;
using test::build;
using test::func;
using test::stage;

// out reads upper, upper reads middle, middle reads lower. All are windows along the rows of one tile of out.
struct Windows {
    int width;               // of a tile; 0: as wide as the image
    bool shared = false;     // out reads lower, too
    bool clamped = false;    // columns of lower, by the image's width
    bool held_deep = false;  // middle is stored where it is computed
};

class Pipeline {
public:
    explicit Pipeline(const Windows &w) {
        lower(x, y) = Halide::cast<float>(3 * x + y);
        const Expr column = w.clamped ? clamp(x, 0, columns - 1) : Expr(x);
        middle(x, y) = lower(column, y) + lower(column, y + 1);
        upper(x, y) = middle(x, y) + middle(x + 3, y + 1);
        Expr sum = upper(x, y) + upper(x + 2, y + 5);
        if (w.shared) sum += lower(x - 1, y + 1);
        out(x, y) = sum;
        columns.set_estimate(640);
        out.set_estimates({{0, 640}, {0, 480}});
        built = std::make_unique<BuiltGraph>(build({out}));
        const StageId o = stage(*built, out).id;
        const LoopName rows{o, 1, 1};
        LoopName site{o, 1, 0};
        Trace trace{action::ComputeRoot{func(*built, out).id}, action::Tile{o, 1, {40}}};
        if (w.width > 0) {
            site = {o, 0, 0};
            trace.push_back(action::Tile{o, 0, {w.width}});
            trace.push_back(action::Reorder{o, {{o, 1, 0}, site, rows, {o, 0, 1}}});
        } else {
            trace.push_back(action::Reorder{o, {site, rows, {o, 0, 0}}});
        }
        trace.push_back(action::Parallel{o, 1});
        for (const Halide::Func &f : {upper, middle, lower}) {
            trace.push_back(action::ComputeAt{func(*built, f).id, rows});
            if (!w.held_deep || f.name() != middle.name())
                trace.push_back(action::StoreAt{func(*built, f).id, site});
        }
        const auto replayed = replay(built->graph, trace);
        if (!replayed.ok()) throw std::runtime_error(name(replayed.error().reason));
        nest = std::make_unique<LoopNest>(*replayed);
    }

    bool believed_constant(const Halide::Func &f) const {
        StageExpander expander(built->graph);
        std::vector<FuncId> members;
        for (const Func &m : built->graph.funcs()) members.push_back(m.id);
        const KernelCode code(built->graph, expander, *nest, members);
        return ConstantSides(code).is_constant(func(*built, f).id, 0);
    }

    // Whether the rows of each allocation of the Func are as many elements as a number in the code says.
    bool is_constant(const Halide::Func &f) {
        if (code_.empty()) {
            if (!emit(*built, *nest).ok()) throw std::runtime_error("not emitted");
            std::ostringstream text;
            text << out.compile_to_module(out.infer_arguments()).functions().front().body;
            code_ = text.str();
        }
        std::string name = f.name();
        if (const size_t at = name.find('$'); at != std::string::npos) name.insert(at, "\\");
        const std::regex allocation("allocate " + name + R"(\[float32 \* ([^*\]]*))");
        const std::sregex_iterator first(code_.begin(), code_.end(), allocation), end;
        if (first == end) throw std::runtime_error("no allocation of " + f.name());
        return std::all_of(first, end, [](const std::smatch &m) {
            return std::regex_match(m[1].str(), std::regex(R"(\(*[0-9]+\)* *)"));
        });
    }

    Var x{"x"}, y{"y"};
    Halide::Param<int> columns{"columns"};
    Halide::Func out{"out"}, upper{"upper"}, middle{"middle"}, lower{"lower"};
    std::unique_ptr<BuiltGraph> built;
    std::unique_ptr<LoopNest> nest;

private:
    std::string code_;
};

TEST(SidesOfWindows, AreTheConstantsOfTheCode) {
    for (const Windows &w : std::initializer_list<Windows>{{64},
                                                           {0},
                                                           {64, true},
                                                           {0, true},
                                                           {64, false, true},
                                                           {64, true, true},
                                                           {64, false, false, true},
                                                           {64, true, false, true}}) {
        Pipeline p(w);
        for (const Halide::Func &f : {p.upper, p.middle, p.lower})
            EXPECT_EQ(p.believed_constant(f), p.is_constant(f))
                << f.name() << ": width " << w.width << (w.shared ? ", shared" : "")
                << (w.clamped ? ", clamped" : "") << (w.held_deep ? ", held deep" : "");
    }
}

// The place in a cell of two by two points, as sub-pixel convolutions number it, has two parts that wrap around.
TEST(SidesOfCells, AreTheConstantsOfTheCode) {
    const Var x("x"), y("y"), place("place");
    for (const bool beside : {false, true}) {
        Halide::Func cells("cells"), out("out");
        cells(place, x, y) = Halide::cast<float>(x + y * place);
        const Expr in_cell = 2 * (y % 2) + x % 2;
        out(x, y) = cells(beside ? in_cell + x : in_cell, x / 2, y / 2);
        out.set_estimates({{0, 640}, {0, 480}});
        const BuiltGraph built = build({out});
        const FuncId o = func(built, out).id, c = func(built, cells).id;
        const StageId s = built.graph.func(o).stages[0];
        const auto nest =
            replay(built.graph,
                   Trace{action::ComputeRoot{o}, action::Tile{s, 0, {64}}, action::Tile{s, 1, {8}},
                         action::Reorder{s, {{s, 1, 0}, {s, 0, 0}, {s, 1, 1}, {s, 0, 1}}},
                         action::ComputeAt{c, {s, 1, 0}}});
        ASSERT_TRUE(nest.ok());
        StageExpander expander(built.graph);
        const std::vector<FuncId> members{o, c};
        const KernelCode code(built.graph, expander, *nest, members);
        EXPECT_EQ(code.stages()[0].body->loads[0].gather, beside);
        ASSERT_TRUE(emit(built, *nest).ok());
        std::ostringstream text;
        text << out.compile_to_module(out.infer_arguments()).functions().front().body;
        std::smatch found;
        const std::string all = text.str();
        std::string name = cells.name();
        if (const size_t at = name.find('$'); at != std::string::npos) name.insert(at, "\\");
        ASSERT_TRUE(std::regex_search(
            all, found, std::regex("allocate " + name + R"(\[float32 \* ([^*\]]*))")));
        const bool is_constant = std::regex_match(found[1].str(), std::regex(R"(\(*[0-9]+\)* *)"));
        EXPECT_EQ(found[1].str() == "4 ", !beside);
        EXPECT_EQ(ConstantSides(code).is_constant(c, 0), is_constant);
    }
}

}  // namespace
}  // namespace cryolite

// What is compiled for the sizes of the estimates alone is right there, and has less code.
#include <sstream>

#include "code/legality/apply.h"
#include "emit/emit.h"
#include "tests/graph/built_pipeline.h"

namespace cryolite {
namespace {

using namespace Halide;

// Twice the input, by vectors of 16.
struct Doubled {
    Var x{"x"};
    ImageParam in{Int(32), 1, "in"};
    Halide::Func out{"out"};

    Doubled(SmallSizes small_sizes, int estimate) {
        out(x) = 2 * in(x);
        test::estimate(out, {estimate});
        const BuiltGraph built = test::build({out});
        const StageId s = test::stage(built, out, 0).id;
        const Trace trace{action::ComputeRoot{test::func(built, out).id},
                          action::Vectorize{s, 0, 16}};
        const auto replayed = replay(built.graph, trace);
        EXPECT_TRUE(replayed.ok());
        LoopNest nest = *replayed;
        for (const cryolite::Func &f : built.graph.funcs())
            if (!f.is_input() && !nest.decided(f.id)) nest = *apply(nest, action::Inline{f.id});
        const auto emitted = emit(built, nest, small_sizes);
        EXPECT_TRUE(emitted.ok()) << emitted.error().message;
    }

    // Of the lowered pipeline.
    size_t length() {
        std::ostringstream text;
        text << out.compile_to_module({in}).functions().front().body;
        return text.str().size();
    }

    bool is_right_at(int size) {
        Buffer<int> image(size);
        for (int i = 0; i < size; i++) image(i) = i;
        in.set(image);
        const Buffer<int> result = out.realize({size});
        for (int i = 0; i < size; i++)
            if (result(i) != 2 * i) return false;
        return true;
    }
};

TEST(SmallSizes, NeedNotBeCompiled) {
    EXPECT_TRUE(Doubled(SmallSizes::Compiled, 1000).is_right_at(1000));
    EXPECT_TRUE(Doubled(SmallSizes::Compiled, 1000).is_right_at(7));
    EXPECT_TRUE(Doubled(SmallSizes::Unchecked, 1000).is_right_at(1000));
    EXPECT_TRUE(Doubled(SmallSizes::Unchecked, 1000).is_right_at(17));
    EXPECT_LT(Doubled(SmallSizes::Unchecked, 1000).length(),
              Doubled(SmallSizes::Compiled, 1000).length());
}

TEST(SmallSizes, AreCompiledWhereTheEstimatesAreSmall) {
    EXPECT_TRUE(Doubled(SmallSizes::Unchecked, 7).is_right_at(7));
}

}  // namespace
}  // namespace cryolite

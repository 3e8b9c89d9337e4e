// The price of an operation against the instructions that LLVM makes of it: where a processor lacks an operation, a
// dozen others stand for it, or one for each element. They need not agree closely. What the model must not miss is an
// operation that takes several times what it costs.
#include <filesystem>
#include <fstream>
#include <functional>

#include "analytical/cycles/arithmetic_cycles.h"
#include "machine/presets.h"
#include "tests/featurize/scheduled.h"
#include "tests/scratch_file.h"

namespace cryolite {
namespace {

using namespace Halide;

constexpr int points = 4096;

using Operation = std::function<Expr(const Expr &, const Expr &)>;

struct OperationPrices : testing::Test {
    const Machine machine = *machine_preset("x86-avx2-zen3");

    // The instructions of the longest loop.
    static int instructions(Halide::Func f, const std::vector<Argument> &inputs) {
        const std::string file = test::scratch_file("operation_prices.s").string();
        f.compile_to_assembly(file, inputs, "operation_prices",
                              Target("x86-64-linux-avx-avx2-f16c-fma-sse41-no_runtime-no_asserts-"
                                     "no_bounds_query"));
        std::ifstream stream(file);
        std::string line, label;
        int n = 0, most = 0;
        while (std::getline(stream, line)) {
            if (line.starts_with(".L")) {
                label = line.substr(0, line.find(':'));
                n = 0;
            } else if (line.size() > 1 && line[0] == '\t' && line[1] != '.' && line[1] != '#') {
                n++;
                if (line[1] == 'j' && !label.empty() && line.ends_with(label))
                    most = std::max(most, n);
            }
        }
        std::filesystem::remove(file);
        EXPECT_GT(most, 0);
        return most;
    }

    static Halide::Func vectors_of(const Expr &value, const Var &x, int lanes) {
        Halide::Func f;
        f(x) = value;
        f.bound(x, 0, points).vectorize(x, lanes);
        return f;
    }

    static ImageParam input(Type type) {
        ImageParam in(type, 1);
        in.dim(0).set_bounds(0, points);
        in.set_estimates({{0, points}});
        return in;
    }

    // The instructions of the operation on full vectors of `lanes`, over those that its price would pay for.
    double instructions_per_paid(Type type, int lanes, const Operation &operation) {
        Var x("x");
        ImageParam a = input(type), b = input(type);
        const Expr value = operation(a(x), b(x));
        const double made = instructions(vectors_of(value, x, lanes), {a, b});
        ImageParam copied = input(value.type());
        const double copy = instructions(vectors_of(copied(x), x, lanes), {copied});
        Halide::Func out("out");
        out(x) = value;
        out.set_estimates({{0, points}});
        const BuiltGraph built = test::build({out});
        const OpHistogram ops = built.graph.stage(test::func(built, out).stages[0]).ops;
        const double cycles = arithmetic_cycles(machine, ops, lanes);
        return std::max(1.0, made - copy) * machine.vector.integer_simple / cycles;
    }

    void expect_near(const char *name, Type type, int lanes, const Operation &operation) {
        const double ratio = instructions_per_paid(type, lanes, operation);
        EXPECT_LT(ratio, 2.5) << name << " of " << type;
        EXPECT_GT(ratio, 0.1) << name << " of " << type;
    }
};

TEST_F(OperationPrices, OfDivisionsByValues) {
    for (int bits : {8, 16, 32, 64})
        for (Type type : {Int(bits), UInt(bits)}) {
            expect_near("division", type, 256 / bits,
                        [](const Expr &a, const Expr &b) { return a / b; });
            expect_near("remainder", type, 256 / bits,
                        [](const Expr &a, const Expr &b) { return a % b; });
        }
}

TEST_F(OperationPrices, OfCountsOfBits) {
    for (int bits : {8, 16, 32, 64}) {
        const Type type = UInt(bits);
        expect_near("popcount", type, 256 / bits,
                    [](const Expr &a, const Expr &) { return popcount(a); });
        expect_near("leading zeros", type, 256 / bits,
                    [](const Expr &a, const Expr &) { return count_leading_zeros(a); });
        expect_near("trailing zeros", type, 256 / bits,
                    [](const Expr &a, const Expr &) { return count_trailing_zeros(a); });
    }
}

TEST_F(OperationPrices, OfShiftsByOwnAmounts) {
    for (int bits : {8, 16, 32, 64})
        expect_near("shift", UInt(bits), 256 / bits,
                    [](const Expr &a, const Expr &b) { return a << b; });
    for (int bits : {16, 32, 64})
        expect_near("shift either way", Int(bits), 256 / bits,
                    [](const Expr &a, const Expr &b) { return a >> b; });
}

TEST_F(OperationPrices, OfNarrowingToBytes) {
    for (Type type : {UInt(16), Int(32), UInt(64), Float(32)})
        expect_near("narrowing", type, 32,
                    [](const Expr &a, const Expr &) { return cast<uint8_t>(a); });
}

TEST_F(OperationPrices, OfRoundedHighProducts) {
    for (int bits : {16, 32})
        expect_near("rounded high product", Int(bits), 256 / bits,
                    [](const Expr &a, const Expr &b) {
                        return rounding_mul_shift_right(a, b, a.type().bits() - 1);
                    });
}

TEST_F(OperationPrices, OfWhatEveryProcessorHas) {
    for (int bits : {16, 32}) {
        const Type type = UInt(bits);
        for (const Operation &operation :
             {Operation([](const Expr &a, const Expr &b) { return a + b; }),
              Operation([](const Expr &a, const Expr &b) { return a * b; }),
              Operation([](const Expr &a, const Expr &b) { return min(a, b); }),
              Operation([](const Expr &a, const Expr &b) { return select(a < b, a, b * 2); }),
              Operation([](const Expr &a, const Expr &) { return a / 7; })})
            expect_near("an operation", type, 256 / bits, operation);
    }
}

}  // namespace
}  // namespace cryolite

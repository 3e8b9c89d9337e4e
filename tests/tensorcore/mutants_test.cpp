// The emulator and the comparison see every barrier, copy, fragment and mask that a kernel loses.
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "tests/tensorcore/emulated_product.h"
#include "tests/tensorcore/emulator/stand_in_driver.h"

namespace cryolite::tensorcore {
namespace {

using test::EmulatedProduct;
using test::Finish;
using test::Program;
using test::Sizes;

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string joined(const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines) text += line + "\n";
    return text;
}

// Damages one line in place. False if the damage does not apply to it.
using Damage = std::function<bool(std::string &)>;

bool removed(std::string &line, const std::string &instruction) {
    if (line.find(instruction) == std::string::npos) return false;
    line.clear();
    return true;
}

bool replaced(std::string &line, const std::string &from, const std::string &to) {
    const size_t at = line.find(from);
    if (at == std::string::npos) return false;
    line.replace(at, from.size(), to);
    return true;
}

bool loads_fragment(const std::string &line) {
    return line.find("ldmatrix") != std::string::npos ||
           line.find("ld.shared.b32") != std::string::npos;
}

struct NamedDamage {
    const char *name;
    Damage damage;
};

const NamedDamage kDamages[] = {
    {"barrier", [](std::string &line) { return removed(line, "bar.sync"); }},
    {"wait", [](std::string &line) { return removed(line, "cp.async.wait_group"); }},
    {"commit", [](std::string &line) { return removed(line, "cp.async.commit_group"); }},
    {"copy", [](std::string &line) { return removed(line, "cp.async.cg"); }},
    {"put", [](std::string &line) { return removed(line, "st.shared"); }},
    {"fragment",
     [](std::string &line) { return loads_fragment(line) && removed(line, ".shared"); }},
    {"rounding", [](std::string &line) { return removed(line, "cvt.rna.tf32"); }},
    {"multiply", [](std::string &line) { return removed(line, "mma.sync"); }},
    {"clear",
     [](std::string &line) {
         return line.find("%cryolite_c") != std::string::npos &&
                (removed(line, ", 0f00000000") || removed(line, ", 0;"));
     }},
    {"offset",
     [](std::string &line) {
         const size_t plus = line.find("+");
         if (!loads_fragment(line) || plus == std::string::npos) return false;
         const int offset = std::atoi(line.c_str() + plus + 1);
         return replaced(line, "+" + std::to_string(offset), "+" + std::to_string(offset + 16));
     }},
    {"transposition",
     [](std::string &line) {
         return replaced(line, ".trans", "") || replaced(line, ".x4.shared", ".x4.trans.shared");
     }},
    {"order of sums",
     [](std::string &line) {
         return line.find("mov.b32 %") != std::string::npos &&
                replaced(line, ", %cryolite_c0;", ", %cryolite_c1;");
     }},
};

// Masks that only work together: what one operand's mask lets through, the zeros of the other take away.
bool without_mask(std::string &line) {
    return line.find("selp.b32") != std::string::npos && replaced(line, ", 16, 0,", ", 16, 16,");
}

// Of the comparisons between the stores, which keep sums outside of the result from being stored.
bool without_guard(std::string &line) { return replaced(line, "setp.lt.s32", "setp.ne.s32"); }

// The entries of the tile kernels that run at these sizes.
bool is_inside(const std::vector<std::string> &lines, size_t at, const std::string &kernel) {
    for (size_t i = at + 1; i-- > 0;) {
        if (lines[i].find(".entry") != std::string::npos)
            return lines[i].find(kernel) != std::string::npos;
    }
    return false;
}

class Mutants : public testing::Test {
protected:
    // All mutants of a kernel that runs at these sizes. Returns how many there were. Guards matter where every group
    // of 8 rows and columns has some outside: sizes one above a multiple of 32.
    int run(const Program &program, const Sizes &sizes, const std::string &kernel) {
        EmulatedProduct product(program);
        const int launches = emulator::count_launches(kernel);
        EXPECT_EQ(product.run(sizes, 1), "");
        EXPECT_GT(emulator::count_launches(kernel), launches) << "other kernels run at these sizes";
        const std::vector<std::string> lines = lines_of(product.ptx());
        int count = 0;
        const auto expect_caught = [&](const std::vector<std::string> &mutant,
                                       const std::string &what) {
            emulator::set_mutation([&](const std::string &) { return joined(mutant); });
            EXPECT_NE(product.run(sizes, 1), "") << what;
            count++;
        };
        // Where the sums are stored.
        size_t first_sum = lines.size(), last_store = 0;
        for (size_t l = 0; l < lines.size(); l++) {
            if (!is_inside(lines, l, kernel)) continue;
            if (lines[l].find("st.global") != std::string::npos) last_store = l;
            if (lines[l].find(", %cryolite_c") != std::string::npos &&
                lines[l].find("mov.b32 %") != std::string::npos)
                first_sum = std::min(first_sum, l);
        }
        std::vector<std::string> unmasked = lines;
        int masks = 0;
        for (size_t l = 0; l < lines.size(); l++) {
            if (!is_inside(lines, l, kernel)) continue;
            for (const NamedDamage &damage : kDamages) {
                std::vector<std::string> mutant = lines;
                if (damage.damage(mutant[l])) {
                    expect_caught(mutant, std::string(damage.name) + " of line " +
                                              std::to_string(l) + ": " + lines[l]);
                }
            }
            std::vector<std::string> mutant = lines;
            if (l > first_sum && l < last_store && sizes.rows % 8 == 1 && sizes.columns % 8 == 1 &&
                without_guard(mutant[l])) {
                expect_caught(mutant, "guard in line " + std::to_string(l) + ": " + lines[l]);
            }
            if (without_mask(unmasked[l])) masks++;
        }
        if (masks > 0) expect_caught(unmasked, "all masks");
        return count;
    }
    void TearDown() override { emulator::set_mutation({}); }
};

const Tile kTile{32, 32, 1, 1, 64, 3};

TEST_F(Mutants, OfCopiedHalves) {
    const Program program{
        .types = {Element::F16, Element::F16, Sum::F32}, .tile = kTile, .columns_turned = true};
    EXPECT_GT(run(program, {.rows = 33, .columns = 33, .depth = 104}, "copied"), 40);
}

TEST_F(Mutants, OfTurnedHalves) {
    const Program program{
        .types = {Element::F16, Element::F16, Sum::F32}, .tile = kTile, .rows_turned = true};
    EXPECT_GT(run(program, {.rows = 40, .columns = 40, .depth = 104}, "copied"), 40);
}

TEST_F(Mutants, OfGatheredBytes) {
    const Program program{.types = {Element::I8, Element::U8, Sum::I32}, .tile = kTile};
    EXPECT_GT(run(program, {.rows = 33, .columns = 33, .depth = 139}, "gathered"), 40);
}

TEST_F(Mutants, OfRoundedFloats) {
    const Program program{
        .types = {Element::TF32, Element::TF32, Sum::F32}, .tile = kTile, .columns_turned = true};
    EXPECT_GT(run(program, {.rows = 33, .columns = 33, .depth = 52}, "copied"), 40);
}

TEST_F(Mutants, OfTurnedFloats) {
    const Program program{
        .types = {Element::TF32, Element::TF32, Sum::F32}, .tile = kTile, .rows_turned = true};
    EXPECT_GT(run(program, {.rows = 36, .columns = 40, .depth = 51}, "copied"), 40);
}

TEST_F(Mutants, OfTuring) {
    const Program program{.types = {Element::F16, Element::F16, Sum::F32},
                          .tile = kTile,
                          .capability = 75,
                          .columns_turned = true};
    EXPECT_GT(run(program, {.rows = 40, .columns = 40, .depth = 104}, "copied"), 40);
}

}  // namespace
}  // namespace cryolite::tensorcore

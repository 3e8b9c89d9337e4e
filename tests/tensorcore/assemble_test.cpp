// ptxas takes the kernels and keeps their registers, where there is a ptxas.
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "tests/temporary_folder.h"
#include "tests/tensorcore/emulated_product.h"

namespace cryolite::tensorcore {
namespace {

using test::EmulatedProduct;
using test::Finish;
using test::Program;

std::string output_of(const std::string &command) {
    std::string output;
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "no pipe";
    char part[4096];
    while (std::fgets(part, sizeof(part), pipe) != nullptr) output += part;
    if (pclose(pipe) != 0) output += "\nfailed";
    return output;
}

void expect_no_spills(const Program &program, const std::string &ptx,
                      const std::string &architecture) {
    const TemporaryFolder folder;
    std::ostringstream command;
    command << CRYOLITE_PTXAS << " -v -arch=" << architecture << " -o /dev/null "
            << folder.file("kernel.ptx", ptx);
    const std::string output = output_of(command.str());
    EXPECT_EQ(output.find("failed"), std::string::npos) << program.text() << "\n" << output;
    size_t kernels = 0;
    for (size_t at = output.find("bytes spill stores"); at != std::string::npos;
         at = output.find("bytes spill stores", at + 1)) {
        kernels++;
        EXPECT_EQ(output.substr(at - 2, 2), "0 ") << program.text() << "\n" << output;
    }
    EXPECT_GT(kernels, 0u);
}

void assemble(const Program &program, const std::vector<std::string> &architectures) {
    if (std::string(CRYOLITE_PTXAS).empty()) GTEST_SKIP() << "no ptxas";
    const EmulatedProduct product(program);
    for (const std::string &architecture : architectures)
        expect_no_spills(program, product.ptx(), architecture);
}

const ProductTypes kHalves{Element::F16, Element::F16, Sum::F32};
const ProductTypes kFloats{Element::TF32, Element::TF32, Sum::F32};

TEST(Assemble, TheLargestTileOfHalves) {
    assemble({.types = kHalves}, {"sm_80", "sm_86", "sm_90"});
    assemble({.types = kHalves, .capability = 75}, {"sm_75"});
}

TEST(Assemble, FourWarpsWithManySums) {
    assemble({.types = kHalves,
              .tile = {128, 128, 2, 2, 64, 2},
              .rows_turned = true,
              .finish = Finish::Residual},
             {"sm_80"});
}

TEST(Assemble, RoundedFloatsInEveryLayout) {
    for (int layout = 0; layout < 4; layout++)
        for (int warps_across : {2, 4})
            assemble({.types = kFloats,
                      .tile = {128, 128, 2, warps_across, 64, 3},
                      .rows_turned = (layout & 1) != 0,
                      .columns_turned = (layout & 2) != 0},
                     {"sm_80", "sm_86", "sm_90"});
}

TEST(Assemble, EveryType) {
    const Tile tile{64, 64, 2, 2, 64, 4};
    assemble({.types = {Element::F16, Element::F16, Sum::F16}, .tile = tile}, {"sm_80"});
    assemble({.types = {Element::BF16, Element::BF16, Sum::F32}, .tile = tile}, {"sm_80"});
    assemble({.types = {Element::I8, Element::U8, Sum::I32}, .tile = tile}, {"sm_86"});
    assemble({.types = {Element::U8, Element::U8, Sum::I32}, .tile = tile, .capability = 75},
             {"sm_75"});
}

}  // namespace
}  // namespace cryolite::tensorcore

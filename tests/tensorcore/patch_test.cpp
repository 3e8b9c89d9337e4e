// Placeholders become instructions, or the build fails and says which is left.
#include "tensorcore/patch_ptx.h"

#include <gtest/gtest.h>

#include <array>

namespace cryolite::tensorcore {
namespace {

const std::array<KernelShape, 1> kShapes{KernelShape{}};

std::string module_with(const std::string &body) {
    return ".version 6.3\n.target sm_80\n.address_size 64\n"
           ".extern .func  (.param .b32 func_retval0) cryolite_tc0_wait\n()\n;\n"
           ".visible .entry kernel(\n\t.param .u64 kernel_param_0\n)\n{\n\t.reg .b32 %r<9>;\n" +
           body + "\tret;\n}\n";
}

std::string call(const std::string &name, const std::string &arguments = "",
                 const std::string &result = "") {
    return "\t{ // callseq 0, 0\n" + arguments +
           "\t.param .b32 retval0;\n\tcall.uni (retval0),\n\t" + name + ",\n\t(\n\t);\n" + result +
           "\t} // callseq 0\n";
}

TEST(Patch, PlaceholdersBecomeInstructions) {
    const auto patched = patch_ptx(
        module_with(call("cryolite_tc0_wait") +
                    call("cryolite_tc0_sum5", "", "\tld.param.b32 \t%r3, [retval0+0];\n")),
        kShapes);
    ASSERT_TRUE(patched.ok()) << patched.error().message;
    EXPECT_NE(patched->find("cp.async.wait_group 0;"), std::string::npos) << *patched;
    EXPECT_NE(patched->find("mov.b32 %r3, %cryolite_c5;"), std::string::npos) << *patched;
    EXPECT_NE(patched->find(".maxntid 256, 1, 1"), std::string::npos) << *patched;
    EXPECT_NE(patched->find(".version 7.0"), std::string::npos) << *patched;
    EXPECT_EQ(patched->find(".extern .func"), std::string::npos) << *patched;
    EXPECT_EQ(patched->find("callseq"), std::string::npos) << *patched;
}

TEST(Patch, OldAndNewFormsOfArgumentsAreRead) {
    for (const char *place : {"[param0]", "[param0+0]"}) {
        const auto patched =
            patch_ptx(module_with(call("cryolite_tc0_multiply",
                                       std::string("\tst.param.b32 \t") + place +
                                           ", %r1;\n\tst.param.b32 \t[param1], 77;\n")),
                      kShapes);
        ASSERT_TRUE(patched.ok()) << patched.error().message;
        EXPECT_NE(patched->find("mov.b32 %cryolite_rows, %r1;"), std::string::npos);
        EXPECT_NE(patched->find("mov.b32 %cryolite_columns, 77;"), std::string::npos);
    }
}

// Rows along the depth, columns across it.
TEST(Patch, FloatsAreRoundedBeforeTheyAreMultiplied) {
    const ProductTypes floats{Element::TF32, Element::TF32, Sum::F32};
    const std::array<KernelShape, 1> shapes{KernelShape{floats, {}, true, false, 80}};
    const auto patched =
        patch_ptx(module_with(call("cryolite_tc0_multiply",
                                   "\tst.param.b32 \t[param0], %r1;\n\tst.param.b32 \t[param1], "
                                   "%r2;\n")),
                  shapes);
    ASSERT_TRUE(patched.ok()) << patched.error().message;
    const size_t fragment = patched->find("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%cryolite_a0");
    const size_t word = patched->find("ld.shared.b32 %cryolite_b0, [%cryolite_columns+0]");
    const size_t rounded_row = patched->find("cvt.rna.tf32.f32 %cryolite_a0, %cryolite_a0;");
    const size_t rounded_column = patched->find("cvt.rna.tf32.f32 %cryolite_b0, %cryolite_b0;");
    const size_t product = patched->find("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
    ASSERT_NE(product, std::string::npos) << *patched;
    EXPECT_LT(fragment, rounded_row);
    EXPECT_LT(word, rounded_column);
    EXPECT_LT(rounded_row, product);
    EXPECT_LT(rounded_column, product);
    EXPECT_EQ(patched->find(".trans"), std::string::npos);
}

TEST(Patch, OtherKernelsAreLeftAlone) {
    const std::string ptx = ".version 8.0\n.visible .entry kernel(\n)\n{\n\tret;\n}\n";
    const auto patched = patch_ptx(ptx, kShapes);
    ASSERT_TRUE(patched.ok());
    EXPECT_EQ(*patched, ptx);
}

void expect_problem(const std::string &body, const std::string &part) {
    const auto patched = patch_ptx(module_with(body), kShapes);
    ASSERT_FALSE(patched.ok());
    EXPECT_NE(patched.error().message.find(part), std::string::npos) << patched.error().message;
}

TEST(Patch, WhatCannotBeReplacedIsNamed) {
    expect_problem(call("cryolite_tc0_juggle"), "cryolite_tc0_juggle");
    expect_problem(call("cryolite_tc0_sum64"), "cryolite_tc0_sum64");
    expect_problem(call("cryolite_tc3_wait"), "cryolite_tc3_wait");
    expect_problem(call("cryolite_tc0_multiply"), "cryolite_tc0_multiply");
    expect_problem("\tcall.uni (retval0), cryolite_tc0_wait, ();\n",
                   "cryolite_tc0_wait was not replaced");
}

}  // namespace
}  // namespace cryolite::tensorcore

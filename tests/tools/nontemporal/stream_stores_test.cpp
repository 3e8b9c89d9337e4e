#include "tools/nontemporal/stream_stores.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/nontemporal/compile.h"

namespace cryolite::nontemporal {
namespace {

// Functions in LLVM assembly, with the metadata that Halide would add: !0 is an access to the
// buffer "output", !1 to a constant range of it, !2 to "input", !3 to "second".
std::string with_metadata(const std::string &functions,
                          const std::string &triple = "x86_64--linux-gnu") {
    return "target triple = \"" + triple + "\"\n" + functions + R"(
declare void @publish()
declare i32 @halide_do_par_for(ptr)
declare ptr @halide_malloc(ptr, i64)
declare i32 @halide_error_out_of_memory(ptr)
declare float @sinf(float) memory(none)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32, <16 x i1>)
!llvm.module.flags = !{!20, !21}
!0 = !{!10, !10, i64 0}
!1 = !{!12, !12, i64 0}
!2 = !{!13, !13, i64 0}
!3 = !{!14, !14, i64 0}
!9 = !{!"Halide buffer"}
!10 = !{!"output", !9, i64 0}
!11 = !{!"output.width32.base0", !10, i64 0}
!12 = !{!"output.width16.base16", !11, i64 0}
!13 = !{!"input", !9, i64 0}
!14 = !{!"second", !9, i64 0}
!20 = !{i32 2, !"halide_mcpu_target", !"x86-64"}
!21 = !{i32 2, !"halide_mattrs", !"+avx512f"}
)";
}

class StreamStores : public testing::Test {
protected:
    void parse(const std::string &text) {
        llvm::SMDiagnostic diagnostic;
        module_ = llvm::parseAssemblyString(text, diagnostic, context_);
        ASSERT_TRUE(module_) << diagnostic.getMessage().str();
    }

    // Streams and checks that the result is still valid.
    Result<StreamedStores> stream(const std::vector<std::string> &outputs = {"output"}) {
        Result<StreamedStores> done = stream_stores(*module_, outputs);
        EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
        return done;
    }

    std::vector<const llvm::StoreInst *> stores(bool streamed) const {
        std::vector<const llvm::StoreInst *> found;
        for (const llvm::Function &function : *module_) {
            for (const llvm::BasicBlock &block : function) {
                for (const llvm::Instruction &instruction : block) {
                    const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
                    if (store && store->hasMetadata("nontemporal") == streamed) {
                        found.push_back(store);
                    }
                }
            }
        }
        return found;
    }

    std::string text() const {
        std::string printed;
        llvm::raw_string_ostream stream(printed);
        module_->print(stream, nullptr);
        return printed;
    }

    std::string error_of(const std::string &functions, const std::string &output,
                         const std::string &triple = "x86_64--linux-gnu") {
        parse(with_metadata(functions, triple));
        const std::string before = text();
        const Result<StreamedStores> done = stream({output});
        EXPECT_EQ(before, text());
        return done.ok() ? "" : done.error().message;
    }

    llvm::LLVMContext context_;
    std::unique_ptr<llvm::Module> module_;
};

const std::string one_store = R"(
define i32 @f(<16 x float> %v, ptr %p) {
  store <16 x float> %v, ptr %p, align 4, !tbaa !0
  ret i32 0
}
)";

TEST_F(StreamStores, asks_for_an_alignment_that_is_not_known) {
    parse(with_metadata(one_store));
    const auto done = stream();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->streamed, 1);
    EXPECT_EQ(done->questions, 1);
    ASSERT_EQ(stores(true).size(), 1u);
    EXPECT_EQ(stores(true)[0]->getAlign().value(), 64u);
    ASSERT_EQ(stores(false).size(), 1u);
    EXPECT_EQ(stores(false)[0]->getAlign().value(), 4u);
    EXPECT_NE(text().find(", 63\n"), std::string::npos) << text();
}

TEST_F(StreamStores, asks_nothing_where_the_alignment_is_promised) {
    parse(with_metadata(R"(
define i32 @f(<8 x float> %v, ptr %p) {
  store <8 x float> %v, ptr %p, align 32, !tbaa !1
  ret i32 0
}
)"));
    const auto done = stream();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->streamed, 1);
    EXPECT_EQ(done->questions, 0);
    EXPECT_EQ(stores(true).size(), 1u);
    EXPECT_TRUE(stores(false).empty());
}

TEST_F(StreamStores, keeps_what_is_no_whole_vector_and_what_goes_elsewhere) {
    parse(with_metadata(R"(
define i32 @f(<16 x float> %v, <12 x float> %odd, <2 x float> %small, <128 x i1> %bits, float %s,
              <16 x i1> %mask, ptr %p, ptr %q) {
  store <16 x float> %v, ptr %p, align 64, !tbaa !0
  store <12 x float> %odd, ptr %p, align 64, !tbaa !0
  store <2 x float> %small, ptr %p, align 64, !tbaa !0
  store <128 x i1> %bits, ptr %p, align 64, !tbaa !0
  store float %s, ptr %p, align 64, !tbaa !0
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr %p, i32 64, <16 x i1> %mask), !tbaa !0
  store <16 x float> %v, ptr %q, align 64, !tbaa !3
  store <16 x float> %v, ptr %q, align 64
  ret i32 0
}
)"));
    const auto done = stream();
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(done->streamed, 1);
    EXPECT_EQ(done->kept, 5);
    EXPECT_EQ(stores(true).size(), 1u);
    EXPECT_EQ(stores(false).size(), 6u);
}

TEST_F(StreamStores, one_question_serves_stores_that_can_move_together) {
    parse(with_metadata(R"(
define i32 @f(<16 x float> %v, ptr %p, ptr %in) {
  store <16 x float> %v, ptr %p, align 4, !tbaa !0
  %w = load <16 x float>, ptr %in, align 4, !tbaa !2
  %q = getelementptr float, ptr %p, i64 8
  store <16 x float> %w, ptr %q, align 4, !tbaa !0
  ret i32 0
}
)"));
    const auto done = stream();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->streamed, 2);
    EXPECT_EQ(done->questions, 1);
    // They may overlap: their order stays.
    for (const bool streamed : {true, false}) {
        ASSERT_EQ(stores(streamed).size(), 2u);
        EXPECT_EQ(stores(streamed)[0]->getValueOperand()->getName(), "v");
        EXPECT_EQ(stores(streamed)[1]->getValueOperand()->getName(), "w");
    }
}

TEST_F(StreamStores, no_store_moves_past_what_might_see_it) {
    const std::vector<std::string> between = {
        "%w = load <16 x float>, ptr %in, align 4",  // of who knows what
        "%w = load volatile <16 x float>, ptr %in, align 4, !tbaa !2",
        "store float 0.0, ptr %in, align 4",
        "store float 0.0, ptr %in, align 4, !tbaa !0",  // a scalar of the output itself
        "call void @publish()",
        "fence release",
    };
    for (const std::string &instruction : between) {
        parse(
            with_metadata("define i32 @f(<16 x float> %v, ptr %p, ptr %in) {\n"
                          "  store <16 x float> %v, ptr %p, align 4, !tbaa !0\n  " +
                          instruction +
                          "\n  store <16 x float> %v, ptr %p, align 4, !tbaa !0\n"
                          "  ret i32 0\n}\n"));
        const auto done = stream();
        ASSERT_TRUE(done.ok()) << instruction;
        EXPECT_EQ(done->questions, 2) << instruction;
    }
}

TEST_F(StreamStores, an_aligned_store_keeps_its_place_among_others) {
    parse(with_metadata(R"(
define i32 @f(<16 x float> %v, <16 x float> %w, ptr %p, ptr %q) {
  store <16 x float> %v, ptr %p, align 4, !tbaa !0
  store <16 x float> %w, ptr %q, align 64, !tbaa !0
  store <16 x float> %v, ptr %p, align 4, !tbaa !0
  ret i32 0
}
)"));
    const auto done = stream();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->questions, 1);
    ASSERT_EQ(stores(true).size(), 3u);
    EXPECT_EQ(stores(true)[1]->getValueOperand()->getName(), "w");
}

TEST_F(StreamStores, fences_stand_where_others_could_learn_of_the_data) {
    parse(with_metadata(R"(
define i32 @streams(<16 x float> %v, ptr %p, i1 %c, float %x) nosync memory(argmem: write) {
  %m = call ptr @halide_malloc(ptr null, i64 8)
  store <16 x float> %v, ptr %p, align 64, !tbaa !0
  %s = call float @sinf(float %x)
  br i1 %c, label %a, label %b
a:
  call void @publish()
  ret i32 0
b:
  %d = call i32 @halide_do_par_for(ptr %p)
  %e = atomicrmw add ptr %m, i32 1 seq_cst
  %g = call i32 @halide_error_out_of_memory(ptr null)
  ret i32 %g
}
define i32 @does_not(ptr %p) {
  call void @publish()
  ret i32 0
}
)"));
    const auto done = stream();
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->fences, 5);  // publish, par_for, atomicrmw and two returns
    const llvm::Instruction *previous = nullptr;
    for (const llvm::BasicBlock &block : *module_->getFunction("streams")) {
        const llvm::Instruction *end = block.getTerminator();
        if (llvm::isa<llvm::ReturnInst>(end)) {
            previous = end->getPrevNode();
            const auto *call = llvm::dyn_cast<llvm::CallInst>(previous);
            ASSERT_TRUE(call && call->getCalledFunction());
            EXPECT_EQ(call->getCalledFunction()->getName(), "llvm.x86.sse.sfence");
        }
    }
    EXPECT_FALSE(module_->getFunction("streams")->hasFnAttribute(llvm::Attribute::NoSync));
    EXPECT_FALSE(module_->getFunction("streams")->hasFnAttribute(llvm::Attribute::Memory));
    EXPECT_EQ(module_->getFunction("does_not")->getInstructionCount(), 2u);
}

TEST_F(StreamStores, says_what_is_wrong_and_changes_nothing) {
    EXPECT_EQ(error_of(one_store, "outputs"),
              "the pipeline stores to no buffer called outputs; it stores to: output");
    EXPECT_NE(error_of(one_store, "output", "aarch64--linux-gnu").find("x86-64 only"),
              std::string::npos);
    EXPECT_NE(error_of(R"(
define i32 @f(<16 x float> %v, ptr %p, ptr %q) {
  store <16 x float> %v, ptr %p, align 4, !tbaa !0
  %w = load float, ptr %q, align 4, !tbaa !1
  ret i32 0
}
)",
                       "output")
                  .find("read again"),
              std::string::npos);
    EXPECT_NE(error_of(R"(
define i32 @f(float %v, ptr %p) {
  store float %v, ptr %p, align 4, !tbaa !0
  ret i32 0
}
)",
                       "output")
                  .find("no vector"),
              std::string::npos);
}

TEST_F(StreamStores, compiles_to_one_streaming_instruction_for_a_vector) {
    parse(with_metadata(one_store));
    ASSERT_TRUE(stream().ok());
    const Result<std::string> assembly = compile(*module_, Emit::Assembly);
    ASSERT_TRUE(assembly.ok()) << assembly.error().message;
    EXPECT_NE(assembly->find("vmovntps\t%zmm0"), std::string::npos) << *assembly;
    EXPECT_NE(assembly->find("sfence"), std::string::npos);
    EXPECT_EQ(assembly->find("movnti"), std::string::npos);
}

}  // namespace
}  // namespace cryolite::nontemporal

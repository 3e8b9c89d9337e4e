#include "tools/nontemporal/fences.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace cryolite::nontemporal {
namespace {

// May be replaced by the user, but not by something that is told about outputs.
bool publishes_nothing(llvm::StringRef function) {
    return function == "halide_malloc" || function == "halide_free" ||
           function.starts_with("halide_error");
}

bool may_publish(const llvm::Instruction &instruction) {
    if (llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(instruction) || instruction.isAtomic()) {
        return true;
    }
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || call->doesNotAccessMemory() || llvm::isa<llvm::IntrinsicInst>(call)) {
        return false;
    }
    const llvm::Function *callee = call->getCalledFunction();
    return callee == nullptr || !publishes_nothing(callee->getName());
}

}  // namespace

int add_store_fences(llvm::Function &function) {
    std::vector<llvm::Instruction *> places;
    for (llvm::BasicBlock &block : function) {
        for (llvm::Instruction &instruction : block) {
            if (may_publish(instruction)) {
                places.push_back(&instruction);
            }
        }
    }
    for (llvm::Instruction *place : places) {
        llvm::IRBuilder<>(place).CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence,
                                                 llvm::ArrayRef<llvm::Type *>(),
                                                 llvm::ArrayRef<llvm::Value *>());
    }
    return int(places.size());
}

void forget_memory_effects(llvm::Module &module) {
    for (llvm::Function &function : module) {
        if (!function.isDeclaration()) {
            function.removeFnAttr(llvm::Attribute::NoSync);
            function.removeFnAttr(llvm::Attribute::Memory);
        }
    }
}

}  // namespace cryolite::nontemporal

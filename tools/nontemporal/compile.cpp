#include "tools/nontemporal/compile.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>
#include <optional>

namespace cryolite::nontemporal {
namespace {

bool flag(const llvm::Module &module, const char *name) {
    const auto *value =
        llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(module.getModuleFlag(name));
    return value != nullptr && !value->isZero();
}

std::string text_flag(const llvm::Module &module, const char *name) {
    const auto *value = llvm::dyn_cast_or_null<llvm::MDString>(module.getModuleFlag(name));
    return value ? value->getString().str() : std::string();
}

// As CodeGen_Internal of Halide has them.
llvm::TargetOptions target_options(const llvm::Module &module) {
    llvm::TargetOptions options;
    options.AllowFPOpFusion = flag(module, "halide_per_instruction_fast_math_flags")
                                  ? llvm::FPOpFusion::Strict
                                  : llvm::FPOpFusion::Fast;
    options.FloatABIType =
        flag(module, "halide_use_soft_float_abi") ? llvm::FloatABI::Soft : llvm::FloatABI::Hard;
    options.FunctionSections = true;
    options.UseInitArray = true;
    options.MCOptions.ABIName = text_flag(module, "halide_mabi");
    return options;
}

// LLVM 21 takes the triple where older ones take its text.
std::unique_ptr<llvm::TargetMachine> target_machine(const llvm::Module &module,
                                                    const llvm::Target &target) {
    const llvm::Triple triple(module.getTargetTriple());
#if LLVM_VERSION_MAJOR >= 21
    const llvm::Triple &name = triple;
#else
    const std::string &name = triple.str();
#endif
    return std::unique_ptr<llvm::TargetMachine>(target.createTargetMachine(
        name, text_flag(module, "halide_mcpu_target"), text_flag(module, "halide_mattrs"),
        target_options(module),
        flag(module, "halide_use_pic") ? llvm::Reloc::PIC_ : llvm::Reloc::Static,
        flag(module, "halide_use_large_code_model") ? llvm::CodeModel::Large
                                                    : llvm::CodeModel::Small,
        llvm::CodeGenOptLevel::Aggressive));
}

}  // namespace

Result<std::string> compile(llvm::Module &module, Emit emit) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();

    llvm::Triple triple(module.getTargetTriple());
    std::string complaint;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget("", triple, complaint);
    if (target == nullptr) {
        return Error{complaint};
    }
    const std::unique_ptr<llvm::TargetMachine> machine = target_machine(module, *target);
    if (!machine) {
        return Error{"this LLVM cannot compile for " + triple.str()};
    }
    module.setDataLayout(machine->createDataLayout());
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::legacy::PassManager passes;
    const auto kind = emit == Emit::Object ? llvm::CodeGenFileType::ObjectFile
                                           : llvm::CodeGenFileType::AssemblyFile;
    if (machine->addPassesToEmitFile(passes, stream, nullptr, kind)) {
        return Error{"this LLVM cannot emit such a file for " + triple.str()};
    }
    passes.run(module);
    return std::string(bytes.begin(), bytes.end());
}

}  // namespace cryolite::nontemporal

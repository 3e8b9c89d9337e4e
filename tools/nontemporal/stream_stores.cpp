#include "tools/nontemporal/stream_stores.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nontemporal/buffers.h"
#include "tools/nontemporal/fences.h"
#include "tools/nontemporal/store_groups.h"

namespace cryolite::nontemporal {
namespace {

struct Uses {
    BufferNames written, read;
    std::vector<std::string_view> writes;  // one entry per instruction
};

Uses find_uses(const llvm::Module &module) {
    Uses uses;
    for (const llvm::Function &function : module) {
        for (const llvm::BasicBlock &block : function) {
            for (const llvm::Instruction &instruction : block) {
                const std::string_view name = buffer_of(instruction);
                if (!name.empty() && instruction.mayReadFromMemory()) {
                    uses.read.emplace(name);
                }
                if (!name.empty() && instruction.mayWriteToMemory()) {
                    uses.written.emplace(name);
                    uses.writes.push_back(name);
                }
            }
        }
    }
    return uses;
}

std::string list(const BufferNames &names) {
    std::string text;
    for (const std::string &name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

// Empty if all is well with the output.
std::string why_not(const std::string &output, const Uses &uses, const BufferNames &streamable) {
    if (!uses.written.contains(output)) {
        return "the pipeline stores to no buffer called " + output +
               "; it stores to: " + list(uses.written);
    }
    if (uses.read.contains(output)) {
        return output +
               " is read again by the pipeline: streamed, it would have to come back from memory";
    }
    if (!streamable.contains(output)) {
        return "no vector of 16 bytes or more is stored to " + output +
               ": vectorize its innermost dimension";
    }
    return "";
}

void mark(llvm::StoreInst &store) {
    llvm::LLVMContext &context = store.getContext();
    llvm::Constant *one = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 1);
    store.setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(one)));
}

// Not 0 if a store of the group is not aligned; null if all are known to be.
llvm::Value *misalignment(const StoreGroup &group, const llvm::DataLayout &layout,
                          llvm::IRBuilder<> &builder) {
    llvm::Value *all = nullptr;
    for (llvm::StoreInst *store : group) {
        const std::uint64_t needed = streaming_alignment(*store, layout);
        if (store->getAlign().value() >= needed) {
            continue;
        }
        llvm::Value *address =
            builder.CreatePtrToInt(store->getPointerOperand(), builder.getInt64Ty());
        llvm::Value *beyond = builder.CreateAnd(address, needed - 1);
        all = all ? builder.CreateOr(all, beyond) : beyond;
    }
    return all;
}

// if (all aligned) { stream the group; } else { store it as before; }
// where its last store is. Returns whether the question had to be asked.
bool stream_group(const StoreGroup &group, const llvm::DataLayout &layout) {
    llvm::StoreInst *last = group.back();
    llvm::IRBuilder<> builder(last);
    llvm::Value *misaligned = misalignment(group, layout, builder);
    if (misaligned == nullptr) {
        for (llvm::StoreInst *store : group) {
            mark(*store);
        }
        return false;
    }
    llvm::Instruction *streamed = nullptr, *plain = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(
        builder.CreateIsNull(misaligned), last, &streamed, &plain,
        llvm::MDBuilder(last->getContext()).createLikelyBranchWeights());
    for (llvm::StoreInst *store : group) {
        auto *copy = llvm::cast<llvm::StoreInst>(store->clone());
        copy->insertBefore(streamed->getIterator());
        copy->setAlignment(llvm::Align(streaming_alignment(*store, layout)));
        mark(*copy);
        store->moveBefore(plain->getIterator());
    }
    return true;
}

}  // namespace

Result<StreamedStores> stream_stores(llvm::Module &module, std::span<const std::string> outputs) {
    const llvm::Triple triple(module.getTargetTriple());
    if (triple.getArch() != llvm::Triple::x86_64) {
        return Error{"non-temporal stores are for x86-64 only, and this is for " + triple.str()};
    }
    const BufferNames names(outputs.begin(), outputs.end());
    const Uses uses = find_uses(module);
    const std::vector<StoreGroup> groups = find_store_groups(module, names);
    BufferNames streamable;
    for (const StoreGroup &group : groups) {
        for (const llvm::StoreInst *store : group) {
            streamable.emplace(buffer_of(*store));
        }
    }
    for (const std::string &name : names) {
        if (std::string reason = why_not(name, uses, streamable); !reason.empty()) {
            return Error{std::move(reason)};
        }
    }

    StreamedStores done;
    for (const std::string_view name : uses.writes) {
        done.kept += int(names.contains(name));
    }
    std::vector<llvm::Function *> streaming;  // in the order of the module, each once
    for (const StoreGroup &group : groups) {
        llvm::Function *function = group.front()->getFunction();
        if (streaming.empty() || streaming.back() != function) {
            streaming.push_back(function);
        }
        done.streamed += int(group.size());
        done.kept -= int(group.size());
        done.questions += int(stream_group(group, module.getDataLayout()));
    }
    for (llvm::Function *function : streaming) {
        done.fences += add_store_fences(*function);
    }
    if (!streaming.empty()) {
        forget_memory_effects(module);
    }
    return done;
}

}  // namespace cryolite::nontemporal

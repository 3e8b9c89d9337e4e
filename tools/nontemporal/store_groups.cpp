#include "tools/nontemporal/store_groups.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <string_view>

#include "tools/nontemporal/buffers.h"

namespace cryolite::nontemporal {
namespace {

// The narrowest and the widest non-temporal vector store of x86-64. A wider vector is stored in
// pieces of the widest, or of what the target has.
constexpr std::uint64_t narrowest_bytes = 16, widest_bytes = 64;

// Can a store to one of the buffers be moved past the instruction? TBAA says of accesses to two
// buffers of Halide's that they never meet.
bool can_be_passed(const llvm::Instruction &instruction, const BufferNames &buffers) {
    if (!instruction.mayReadOrWriteMemory()) {
        return !instruction.mayThrow() && instruction.willReturn();
    }
    const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    const bool simple = (load != nullptr && load->isSimple()) || (store && store->isSimple());
    const std::string_view name = buffer_of(instruction);
    return simple && !name.empty() && !buffers.contains(name);
}

void find_in_block(llvm::BasicBlock &block, const BufferNames &buffers,
                   const llvm::DataLayout &layout, std::vector<StoreGroup> &groups) {
    StoreGroup group;
    const auto close = [&] {
        if (!group.empty()) {
            groups.push_back(std::move(group));
            group.clear();
        }
    };
    for (llvm::Instruction &instruction : block) {
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store != nullptr && buffers.contains(buffer_of(*store)) &&
            streaming_alignment(*store, layout) != 0) {
            group.push_back(store);
        } else if (!can_be_passed(instruction, buffers)) {
            close();
        }
    }
    close();
}

}  // namespace

std::uint64_t streaming_alignment(const llvm::StoreInst &store, const llvm::DataLayout &layout) {
    auto *type = llvm::dyn_cast<llvm::FixedVectorType>(store.getValueOperand()->getType());
    if (!store.isSimple() || store.getPointerAddressSpace() != 0 || type == nullptr) {
        return 0;
    }
    const std::uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
    const bool whole_bytes = type->getScalarSizeInBits() % 8 == 0 &&
                             layout.getTypeStoreSizeInBits(type).getFixedValue() == bits;
    const std::uint64_t bytes = bits / 8;
    if (!whole_bytes || bytes < narrowest_bytes || !llvm::isPowerOf2_64(bytes)) {
        return 0;
    }
    return std::min(bytes, widest_bytes);
}

std::vector<StoreGroup> find_store_groups(llvm::Module &module, const BufferNames &buffers) {
    std::vector<StoreGroup> groups;
    for (llvm::Function &function : module) {
        for (llvm::BasicBlock &block : function) {
            find_in_block(block, buffers, module.getDataLayout(), groups);
        }
    }
    return groups;
}

}  // namespace cryolite::nontemporal

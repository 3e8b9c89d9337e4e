#include "tools/nontemporal/buffers.h"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>

namespace cryolite::nontemporal {
namespace {

// The operand, where there is one of this kind.
template <typename Node>
const Node *operand(const llvm::MDNode *node, unsigned index) {
    return index < node->getNumOperands()
               ? llvm::dyn_cast_or_null<Node>(node->getOperand(index).get())
               : nullptr;
}

std::string_view name_of(const llvm::MDNode *node) {
    const llvm::MDString *name = operand<llvm::MDString>(node, 0);
    return name ? std::string_view(name->getString()) : std::string_view();
}

}  // namespace

std::string_view buffer_of(const llvm::Instruction &instruction) {
    // An access tag is (base type, access type, offset); a type is (name, parent, offset).
    const llvm::MDNode *tag = instruction.getMetadata(llvm::LLVMContext::MD_tbaa);
    const llvm::MDNode *type = tag ? operand<llvm::MDNode>(tag, 1) : nullptr;
    while (type != nullptr) {
        const llvm::MDNode *parent = operand<llvm::MDNode>(type, 1);
        if (parent != nullptr && name_of(parent) == "Halide buffer") {
            return name_of(type);
        }
        type = parent;
    }
    return {};
}

}  // namespace cryolite::nontemporal

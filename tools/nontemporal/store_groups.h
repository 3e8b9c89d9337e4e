// The stores that can be streamed, in groups that may be moved to one place: one look at the
// addresses then serves the group, and the arithmetic before it stays in one block, where LLVM
// selects instructions for it as a whole (the squares of a transposition, for one).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class DataLayout;
class Module;
class StoreInst;
}  // namespace llvm

namespace cryolite::nontemporal {

using BufferNames = std::set<std::string, std::less<>>;

// Alignment in bytes that the store needs in order to be non-temporal; 0 where it cannot be: a
// scalar, a vector whose size is no power of two or below 16 bytes, a volatile or atomic store.
std::uint64_t streaming_alignment(const llvm::StoreInst &store, const llvm::DataLayout &layout);

// Stores of one block in their order. Nothing between the first and the last reads or writes what
// they write, or lets another thread see it: all may be moved to where the last one is.
using StoreGroup = std::vector<llvm::StoreInst *>;

// In the order of the module, all streamable stores to these buffers.
std::vector<StoreGroup> find_store_groups(llvm::Module &module, const BufferNames &buffers);

}  // namespace cryolite::nontemporal

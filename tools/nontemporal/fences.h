// Store fences for functions with non-temporal stores.
#pragma once

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace cryolite::nontemporal {

// Fences wherever the function could let another thread know that its stores are done: before it
// returns, before calls (of Halide's thread pool and semaphores, of extern stages), before atomics.
// Not before calls that touch no memory, nor before Halide's allocation and error reporting, which
// publish nothing of an output. Returns how many.
int add_store_fences(llvm::Function &function);

// Takes back what LLVM has derived about functions and no longer holds once there are fences in
// some of them: that they synchronise with nobody and touch certain memory only.
void forget_memory_effects(llvm::Module &module);

}  // namespace cryolite::nontemporal

// Turns the vector stores to a pipeline's outputs into non-temporal ones, which write whole cache
// lines to memory without reading them first and without displacing what the caches hold (thesis of
// Sioutas, sections 4.3 and 4.5). Halide has no such store; LLVM has, as metadata on its stores.
//
// What a pipeline computes stays the same at every size, crop and alignment:
// - A non-temporal store needs its vector's own alignment: for less, LLVM makes stores of eight
//   bytes. Halide promises the alignment of an element only, so the addresses are looked at when
//   the pipeline runs, and the stores are ordinary ones where these are not aligned. Where the
//   generator promised enough (set_host_alignment, strides and bounds), nothing is asked.
// - Non-temporal stores are not ordered with the stores that follow them: a flag that says "done"
//   could be seen before the data. A store fence stands wherever another thread could learn that
//   the data is there: before every return of a function that streams, and before every call and
//   atomic in it that could tell somebody.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace llvm {
class Module;
}

namespace cryolite::nontemporal {

// What was done, counted over the whole module.
struct StreamedStores {
    int streamed = 0;   // stores that are non-temporal now, always or where they are aligned
    int kept = 0;       // stores to the outputs that stay: of scalars, masked ones, odd vectors
    int questions = 0;  // places where addresses are looked at
    int fences = 0;
};

// `outputs`: names of the pipeline's outputs; a tuple's elements are name.0, name.1 and so on.
// None: the module stays as it is.
// An error, with the module as it was, if the module is not for x86-64, if an output is not among
// the buffers that it writes or gets no vector store, and if it is read again: memory is slower
// than the cache in which an ordinary store would have left the value.
Result<StreamedStores> stream_stores(llvm::Module &module, std::span<const std::string> outputs);

}  // namespace cryolite::nontemporal

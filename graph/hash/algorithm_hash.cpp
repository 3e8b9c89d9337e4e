#include "graph/hash/algorithm_hash.h"

#include "graph/hash/algorithm_hash_source.h"

namespace cryolite {

uint64_t algorithm_hash(const std::vector<Halide::Internal::Function> &outputs) {
    return cryolite_schedule::algorithm_hash(outputs);
}

std::vector<uint64_t> func_hashes(const std::vector<Halide::Internal::Function> &functions) {
    std::vector<uint64_t> hashes;
    for (const Halide::Internal::Function &f : functions) {
        hashes.push_back(f.get_contents().defined() ? algorithm_hash({f}) : 0);
    }
    return hashes;
}

}  // namespace cryolite

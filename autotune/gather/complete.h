// Which pipelines need no more samples, as the store says without their generators.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "autotune/store/store.h"
#include "autotune/tune/generator.h"

namespace cryolite {

class CompletePipelines {
public:
    // Reads what earlier runs have gathered.
    Result<bool> read(const Store &store);

    // The programs that draw a round and how many schedules are asked for: other programs may make another pipeline of
    // the same seed.
    static std::string mark(const Generator &generator, uint64_t seed, size_t schedules_each);

    // What a round believed (JSON), with its mark, as it is kept in the store.
    static std::string marked(const std::string &weights, const std::string &mark);

    // Whether each draw of the round with this mark has a sample.
    bool knows(const Generator &generator, const std::string &mark) const;
    size_t problems() const { return problems_; }
    int64_t samples() const { return samples_; }

private:
    std::map<std::string, bool> is_complete_;  // by pipeline, parameters and mark
    size_t problems_ = 0;
    int64_t samples_ = 0;
};

}  // namespace cryolite

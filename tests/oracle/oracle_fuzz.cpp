// The oracle at full length: random graphs under random traces.
//   oracle_fuzz --cases 10000 --seed 1
#include <charconv>
#include <cstring>
#include <iostream>
#include <string>

#include "tests/oracle/cases.h"

namespace {

struct Options {
    uint64_t cases = 10000;
    uint64_t seed = 1;
    uint64_t most_failures = 5;
};

bool parse(int argc, char **argv, Options &options) {
    for (int i = 1; i < argc; i += 2) {
        uint64_t *number = std::strcmp(argv[i], "--cases") == 0      ? &options.cases
                           : std::strcmp(argv[i], "--seed") == 0     ? &options.seed
                           : std::strcmp(argv[i], "--failures") == 0 ? &options.most_failures
                                                                     : nullptr;
        if (number == nullptr || i + 1 == argc) return false;
        const char *end = argv[i + 1] + std::strlen(argv[i + 1]);
        const auto parsed = std::from_chars(argv[i + 1], end, *number);
        if (parsed.ec != std::errc() || parsed.ptr != end) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char **argv) {
    Options options;
    if (!parse(argc, argv, options)) {
        std::cerr << "usage: oracle_fuzz [--cases N] [--seed S] [--failures N]\n"
                     "  --seed S      the first case; case i is made of seed S + i\n"
                     "  --failures N  stop after so many, each cut down to what is needed\n";
        return 2;
    }
    uint64_t failures = 0, done = 0;
    for (; done < options.cases && failures < options.most_failures; done++) {
        std::string failure = cryolite::oracle::run_case(options.seed + done);
        failure += cryolite::oracle::run_kernel_case(options.seed + done);
        if (failure.empty()) continue;
        std::cout << failure << std::endl;
        failures++;
    }
    std::cout << done << " cases, " << failures << " failed" << std::endl;
    return failures == 0 ? 0 : 1;
}

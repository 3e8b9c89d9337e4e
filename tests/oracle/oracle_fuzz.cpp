// The oracle at full length: random graphs under random traces.
//   oracle_fuzz --cases 10000 --seed 1
#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "tests/oracle/cases.h"

int main(int argc, char **argv) {
    uint64_t cases = 10000, seed = 1, most_failures = 5;
    CLI::App line("Counts of random graphs under random traces, against those of running them.",
                  "oracle_fuzz");
    line.add_option("--cases", cases, "how many")->capture_default_str();
    line.add_option("--seed", seed, "the first case; case i is made of seed S + i")
        ->capture_default_str();
    line.add_option("--failures", most_failures,
                    "stop after so many, each cut down to what is needed")
        ->capture_default_str();
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return line.exit(error) == 0 ? 0 : 2;
    }
    uint64_t failures = 0, done = 0;
    for (; done < cases && failures < most_failures; done++) {
        std::string failure = cryolite::oracle::run_case(seed + done);
        failure += cryolite::oracle::run_kernel_case(seed + done);
        if (failure.empty()) continue;
        std::cout << failure << std::endl;
        failures++;
    }
    std::cout << done << " cases, " << failures << " failed" << std::endl;
    return failures == 0 ? 0 : 1;
}

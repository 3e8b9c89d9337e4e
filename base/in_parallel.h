// Independent pieces of work, done side by side by workers that keep state of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace cryolite {

// Calls work(worker, i) once for every i below `count`, and returns when all are done. Who gets which i is chance: give
// each result a slot of its own, so that it does not depend on the number of workers. The first worker runs on the
// caller's thread. There is at least one worker.
template <typename Worker, typename Work>
void in_parallel(std::span<const std::unique_ptr<Worker>> workers, size_t count, Work work) {
    std::atomic<size_t> next{0};
    const auto run = [&](Worker &worker) {
        for (size_t i = next++; i < count; i = next++) work(worker, i);
    };
    std::vector<std::thread> threads;
    for (size_t t = 1; t < workers.size() && t < count; t++)
        threads.emplace_back([&, t] { run(*workers[t]); });
    run(*workers[0]);
    for (std::thread &t : threads) t.join();
}

}  // namespace cryolite

// Threads that start a piece of work together, for what all cores do at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cryolite::calibrate {

class ThreadTeam {
public:
    explicit ThreadTeam(int threads);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam &) = delete;
    ThreadTeam &operator=(const ThreadTeam &) = delete;

    int size() const { return static_cast<int>(threads_.size()); }
    // Runs work(0) ... work(size() - 1), each on its own thread and always the same one, and returns
    // when all are done. Throws the first exception that one of them threw.
    void run(const std::function<void(int)> &work);

private:
    void serve(int index);

    // Threads wait for the next round, and run() for the last thread. No condition variable: the C++ library of 2022
    // gave its wait() a new symbol, which RHEL 9 does not have (plugin/python/manylinux.py).
    std::atomic<int32_t> round_ = 0, busy_ = 0;
    const std::function<void(int)> *work_ = nullptr;
    bool stop_ = false;
    std::mutex mutex_;  // of failure_
    std::exception_ptr failure_;
    std::vector<std::thread> threads_;
};

}  // namespace cryolite::calibrate

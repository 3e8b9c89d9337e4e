// Threads that start a piece of work together, for what all cores do at once.
#pragma once

#include <condition_variable>
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

    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void(int)> *work_ = nullptr;
    std::exception_ptr failure_;
    int64_t round_ = 0;
    int busy_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace cryolite::calibrate

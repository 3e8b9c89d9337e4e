#include "tools/calibrate/thread_team.h"

#include <exception>
#include <utility>

namespace cryolite::calibrate {

ThreadTeam::ThreadTeam(int threads) {
    for (int i = 0; i < threads; i++) threads_.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread &t : threads_) t.join();
}

void ThreadTeam::run(const std::function<void(int)> &work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    busy_ = size();
    round_++;
    start_.notify_all();
    done_.wait(lock, [&] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::serve(int index) {
    std::unique_lock lock(mutex_);
    for (int64_t served = 0;;) {
        start_.wait(lock, [&] { return stop_ || round_ != served; });
        if (stop_) return;
        served = round_;
        const std::function<void(int)> &work = *work_;
        lock.unlock();
        std::exception_ptr failed;
        try {
            work(index);
        } catch (...) {
            failed = std::current_exception();
        }
        lock.lock();
        if (failed && !failure_) failure_ = failed;
        if (--busy_ == 0) done_.notify_one();
    }
}

}  // namespace cryolite::calibrate

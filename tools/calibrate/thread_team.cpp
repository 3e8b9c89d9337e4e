#include "tools/calibrate/thread_team.h"

#include <exception>
#include <utility>

namespace cryolite::calibrate {

ThreadTeam::ThreadTeam(int threads) {
    for (int i = 0; i < threads; i++) threads_.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
    stop_ = true;
    round_++;
    round_.notify_all();
    for (std::thread &t : threads_) t.join();
}

void ThreadTeam::run(const std::function<void(int)> &work) {
    work_ = &work;
    busy_ = size();
    round_++;
    round_.notify_all();
    for (int32_t busy; (busy = busy_) > 0;) busy_.wait(busy);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::serve(int index) {
    for (int32_t served = 0;; served++) {
        round_.wait(served);
        if (stop_) return;
        try {
            (*work_)(index);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
        }
        if (--busy_ == 0) busy_.notify_one();
    }
}

}  // namespace cryolite::calibrate

#include "tools/waiting.h"

#include <chrono>
#include <iostream>
#include <utility>

#include "tools/terminal.h"

namespace cryolite::tools {

namespace {
constexpr int patience_seconds = 2;
}  // namespace

Waiting::Waiting(std::string what) : what_(std::move(what)) {
    if (is_terminal(Stream::Error)) clock_ = std::thread([this] { show(); });
}

Waiting::~Waiting() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    ended_.notify_all();
    if (clock_.joinable()) clock_.join();
}

void Waiting::show() {
    std::unique_lock lock(mutex_);
    const auto begin = std::chrono::steady_clock::now();
    bool has_written = false;
    for (int seconds = patience_seconds;; seconds++) {
        if (ended_.wait_until(lock, begin + std::chrono::seconds(seconds),
                              [this] { return is_over_; }))
            break;
        std::cerr << "\r\x1b[K" << what_ << ", " << seconds << " s" << std::flush;
        has_written = true;
    }
    if (has_written) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace cryolite::tools

// A line on a terminal while something takes long, so that nobody thinks it hangs.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace cryolite::tools {

// After two seconds shows "scheduling harris, 5 s" on standard error, counts on, and wipes the line at its end. Nothing
// is written where standard error is no terminal.
class Waiting {
public:
    explicit Waiting(std::string what);
    ~Waiting();
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;

private:
    void show();

    const std::string what_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread clock_;
};

}  // namespace cryolite::tools

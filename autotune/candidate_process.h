// One candidate in a child process, which does one thing at a time when it is told to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "autotune/contest.h"
#include "base/child_call.h"

namespace cryolite {

// What a process says once it is prepared, and after each thing that it was told.
struct Report {
    enum class Kind : uint8_t {
        Well,
        Wrong,   // it computes something else than the reference
        Failed,  // an exception
        Died,
        OutOfMemory,
        GivenUp,    // it took more processor time than allowed
        NotStarted  // processes cannot be copied here
    };
    Kind kind = Kind::NotStarted;
    double seconds = 0;   // of one run
    std::string message;  // of all but Well
};

class CandidateProcess {
public:
    // Prepares candidate i in a child process. `reference`: where the reference's outputs are found; the reference puts
    // them there.
    CandidateProcess(size_t i, bool is_reference, const Prepare &prepare, const ContestRules &rules,
                     std::span<std::byte> reference);
    ~CandidateProcess();

    // Runs it once and compares what it computes. The reference keeps it for the others.
    void check() { tell({Order::Kind::Check, 0}); }
    // Runs it until so many seconds are over, at least once.
    void time(double seconds) { tell({Order::Kind::Time, seconds}); }
    // Compares what its runs since the last comparison have computed.
    void compare() { tell({Order::Kind::Compare, 0}); }

    // The next report; waits up to so many seconds of the clock for it. A process that died reports that, and so does
    // one that holds more memory than it may: it is stopped.
    std::optional<Report> report(double wait_seconds);

    void stop();
    int pid() const { return call_ ? call_->pid() : -1; }  // -1 once it has ended

private:
    struct Order {
        enum class Kind : uint8_t { Check, Time, Compare };
        Kind kind;
        double seconds;
    };
    struct Message {
        Report::Kind kind;
        double seconds;
        char text[1000];
    };
    static Message message(Report::Kind kind, double seconds, const std::string &text);
    static Message failure();  // of the exception that is being handled
    void tell(const Order &order);
    void serve(size_t i, bool is_reference, const Prepare &prepare, const ContestRules &rules,
               std::span<std::byte> reference);
    static Message carried_out(const Order &order, Runnable &candidate, bool is_reference,
                               const ContestRules &rules, std::span<std::byte> reference);
    bool receive();  // false at the end of what it will report
    std::optional<Report> received_report();
    Report ending();
    bool is_too_large() const;

    int orders_[2] = {-1, -1}, reports_[2] = {-1, -1};  // pipes
    std::string received_;                              // the beginning of a message
    int64_t most_resident_bytes_ = 0;
    std::unique_ptr<ChildCall> call_;
};

}  // namespace cryolite

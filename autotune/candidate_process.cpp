#include "autotune/candidate_process.h"

#ifdef _WIN32

// There are no copies of processes: every candidate reports that it was not started.
namespace cryolite {
CandidateProcess::CandidateProcess(size_t, bool, const Prepare &, const ContestRules &,
                                   std::span<std::byte>) {}
CandidateProcess::~CandidateProcess() = default;
void CandidateProcess::stop() {}
void CandidateProcess::tell(const Order &) {}
std::optional<Report> CandidateProcess::report(double) {
    return Report{Report::Kind::NotStarted, 0, "this system has no copies of processes"};
}
}  // namespace cryolite

#else

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace cryolite {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

void close_end(int &descriptor) {
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

// All of it or nothing: both are shorter than what a pipe takes at once.
template <typename T>
bool write_whole(int descriptor, const T &value) {
    ssize_t written = 0;
    while ((written = write(descriptor, &value, sizeof value)) < 0 && errno == EINTR) {
    }
    return written == static_cast<ssize_t>(sizeof value);
}

template <typename T>
bool read_whole(int descriptor, T &value) {
    size_t got = 0;
    while (got < sizeof value) {
        const ssize_t count =
            read(descriptor, reinterpret_cast<char *>(&value) + got, sizeof value - got);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        got += static_cast<size_t>(count);
    }
    return true;
}

// Address space of this process. 0 where the system does not say.
int64_t address_space() {
    std::ifstream file("/proc/self/statm");
    int64_t pages = 0;
    file >> pages;
    return pages * sysconf(_SC_PAGESIZE);
}

void limit_growth(int64_t bytes) {
    const int64_t now = address_space();
    if (now <= 0) return;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::min(limit.rlim_cur, static_cast<rlim_t>(now + bytes));
    setrlimit(RLIMIT_AS, &limit);
}

// Up to the limit that this process cannot raise.
void allow_all_cpu_seconds() {
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CPU, &limit);
}

// Seconds of one run, over at least one and as many as take that long. The clock is asked after every run: a run is far
// longer than asking.
double seconds_of_run(Runnable &candidate, double at_least) {
    const auto start = Clock::now();
    double passed = 0;
    int64_t runs = 0;
    do {
        candidate.call();
        runs++;
        passed = seconds_since(start);
    } while (passed < at_least);
    return passed / static_cast<double>(runs);
}

}  // namespace

CandidateProcess::CandidateProcess(size_t i, bool is_reference, const Prepare &prepare,
                                   const ContestRules &rules, std::span<std::byte> reference) {
    if (pipe(orders_) != 0 || pipe(reports_) != 0) return;
    call_ = std::make_unique<ChildCall>(
        [&, i, is_reference] {
            serve(i, is_reference, prepare, rules, reference);
            return std::string();
        },
        rules.prepare_cpu_seconds, ChildCall::Sleep::Allowed);
    close_end(orders_[0]);
    close_end(reports_[1]);
}

CandidateProcess::~CandidateProcess() {
    stop();
    for (int *ends : {orders_, reports_})
        for (int e = 0; e < 2; e++) close_end(ends[e]);
}

void CandidateProcess::stop() {
    if (call_) call_->stop();
}

void CandidateProcess::tell(const Order &order) {
    // A reader that is gone is noticed in report(); writing to it must not end this process.
    pollfd polled{orders_[1], POLLOUT, 0};
    if (poll(&polled, 1, 0) == 1 && !(polled.revents & POLLERR)) write_whole(orders_[1], order);
}

std::optional<Report> CandidateProcess::report(double wait_seconds) {
    if (!call_) return Report{Report::Kind::NotStarted, 0, "no process could be started"};
    pollfd polled{reports_[0], POLLIN, 0};
    const int ready =
        poll(&polled, 1, static_cast<int>(std::ceil(std::clamp(wait_seconds, 0.0, 1e6) * 1e3)));
    if (ready <= 0) return std::nullopt;
    Message message{};
    if (read_whole(reports_[0], message))
        return Report{message.kind, message.seconds, message.text};
    // Its end of the pipe is closed.
    call_->ended(1);
    const ChildAnswer &answer = call_->answer();
    switch (answer.outcome) {
        case ChildAnswer::Outcome::Answered: break;
        case ChildAnswer::Outcome::Died: return Report{Report::Kind::Died, 0, answer.text};
        case ChildAnswer::Outcome::GivenUp:
            return Report{Report::Kind::GivenUp, 0, "it took more processor time than allowed"};
        case ChildAnswer::Outcome::NotStarted: break;
    }
    return Report{Report::Kind::NotStarted, 0, answer.text};
}

CandidateProcess::Message CandidateProcess::message(Report::Kind kind, double seconds,
                                                    const std::string &text) {
    Message m{kind, seconds, {}};
    std::strncpy(m.text, text.c_str(), sizeof m.text - 1);
    return m;
}

void CandidateProcess::serve(size_t i, bool is_reference, const Prepare &prepare,
                             const ContestRules &rules, std::span<std::byte> reference) {
    close_end(orders_[1]);
    close_end(reports_[0]);
    limit_growth(rules.memory_bytes);
    std::unique_ptr<Runnable> candidate;
    try {
        candidate = prepare(i);
        allow_all_cpu_seconds();  // runs have limits by the clock
        write_whole(reports_[1], message(Report::Kind::Well, 0, ""));
        Order order{};
        while (read_whole(orders_[0], order))
            write_whole(reports_[1],
                        carried_out(order, *candidate, is_reference, rules, reference));
    } catch (const std::exception &error) {
        write_whole(reports_[1], message(Report::Kind::Failed, 0, error.what()));
    }
    // No destructors: threads of the candidate's may still be in its code.
    static_cast<void>(candidate.release());
}

CandidateProcess::Message CandidateProcess::carried_out(const Order &order, Runnable &candidate,
                                                        bool is_reference,
                                                        const ContestRules &rules,
                                                        std::span<std::byte> reference) {
    if (order.kind == Order::Kind::Time)
        return message(Report::Kind::Well, seconds_of_run(candidate, order.seconds), "");
    const double seconds = seconds_of_run(candidate, 0);
    const std::vector<Output> outputs = candidate.outputs();
    if (!is_reference) {
        const std::string text = difference(outputs, reference, rules.tolerance);
        return message(text.empty() ? Report::Kind::Well : Report::Kind::Wrong, seconds, text);
    }
    std::byte *at = reference.data();
    for (const Output &o : outputs) {
        if (o.values.size() > static_cast<size_t>(reference.data() + reference.size() - at))
            throw std::length_error("the outputs are larger than expected");
        at = std::ranges::copy(o.values, at).out;
    }
    return message(Report::Kind::Well, seconds, "");
}

}  // namespace cryolite

#endif

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

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/memory_use.h"
#include "base/stopwatch.h"

namespace cryolite {
namespace {

// Between two looks at a process that does not report: whether it lives, and what memory it holds.
constexpr double look_seconds = 0.1;
// Address space that a thread takes without using it: an arena of the C library (64 MB, found inside of 128) and its
// stack (8 MB).
constexpr int64_t address_space_of_thread = int64_t{136} << 20;

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
    const int64_t threads = std::max(1u, std::thread::hardware_concurrency());
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::min(limit.rlim_cur,
                              static_cast<rlim_t>(now + bytes + threads * address_space_of_thread));
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
    const Stopwatch start;
    double passed = 0;
    int64_t runs = 0;
    do {
        candidate.call();
        runs++;
        passed = start.seconds();
    } while (passed < at_least);
    return passed / static_cast<double>(runs);
}

void keep(std::span<const Output> outputs, std::span<std::byte> reference) {
    std::byte *at = reference.data();
    for (const Output &o : outputs) {
        if (o.values.size() > static_cast<size_t>(reference.data() + reference.size() - at))
            throw std::length_error("the outputs are larger than expected");
        at = std::ranges::copy(o.values, at).out;
    }
}

}  // namespace

CandidateProcess::CandidateProcess(size_t i, bool is_reference, const Prepare &prepare,
                                   const ContestRules &rules, std::span<std::byte> reference) {
    if (pipe(orders_) != 0 || pipe(reports_) != 0) return;
    fcntl(reports_[0], F_SETFL, O_NONBLOCK);
    // It begins as a copy of this process, and the outputs of the reference lie in memory that it shares.
    most_resident_bytes_ = resident_bytes().value_or(0) + rules.memory_bytes +
                           static_cast<int64_t>(rules.output_bytes);
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

bool CandidateProcess::receive() {
    char chunk[sizeof(Message)];
    const ssize_t count = read(reports_[0], chunk, sizeof chunk);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    received_.append(chunk, static_cast<size_t>(count));
    return count > 0;
}

std::optional<Report> CandidateProcess::received_report() {
    Message message{};
    if (received_.size() < sizeof message) return std::nullopt;
    std::memcpy(&message, received_.data(), sizeof message);
    received_.erase(0, sizeof message);
    message.text[sizeof message.text - 1] = 0;
    if (message.kind > Report::Kind::NotStarted)
        return Report{Report::Kind::Failed, 0, "its reports cannot be understood"};
    return Report{message.kind, message.seconds, message.text};
}

// Of a process that will report nothing more.
Report CandidateProcess::ending() {
    using Outcome = ChildAnswer::Outcome;
    constexpr double leaving_seconds = 2;
    if (!call_->ended(leaving_seconds)) {
        call_->stop();
        return {Report::Kind::Died, 0, "it closed its end of the pipe and went on"};
    }
    const ChildAnswer &answer = call_->answer();
    switch (answer.outcome) {
        case Outcome::Answered: return {Report::Kind::Died, 0, "it closed its end of the pipe"};
        case Outcome::Died:
            // Nobody but the system kills it so: stop() is no answer.
            if (answer.signal == SIGKILL)
                return {Report::Kind::OutOfMemory, 0,
                        "it was killed from outside, as the system does when memory runs out"};
            return {Report::Kind::Died, 0, answer.text};
        case Outcome::GivenUp:
            return {Report::Kind::GivenUp, 0, "it took more processor time than allowed"};
        case Outcome::NotStarted: break;
    }
    return {Report::Kind::NotStarted, 0, answer.text};
}

bool CandidateProcess::is_too_large() const {
    return resident_bytes_of(call_->pid()).value_or(0) > most_resident_bytes_;
}

std::optional<Report> CandidateProcess::report(double wait_seconds) {
    if (!call_) return Report{Report::Kind::NotStarted, 0, "no process could be started"};
    const Stopwatch start;
    auto looked = start;
    for (;;) {
        const double left = std::max(0.0, std::min(wait_seconds, 1e9) - start.seconds());
        pollfd polled{reports_[0], POLLIN, 0};
        const int ready =
            poll(&polled, 1, static_cast<int>(std::ceil(std::min(left, look_seconds) * 1e3)));
        const bool goes_on = ready <= 0 || receive();
        if (const std::optional<Report> report = received_report()) return report;
        if (!goes_on) return ending();
        if (ready > 0) continue;
        if (looked.seconds() >= look_seconds || left <= 0) {
            looked = Stopwatch();
            // What it has started may hold the pipe open for longer than it lives.
            if (call_->ended(0)) {
                while (receive() && received_.size() < sizeof(Message) && poll(&polled, 1, 0) > 0) {
                }
                if (const std::optional<Report> report = received_report()) return report;
                return ending();
            }
            if (is_too_large()) {
                call_->stop();
                return Report{Report::Kind::OutOfMemory, 0, "it took more memory than allowed"};
            }
        }
        if (left <= 0) return std::nullopt;
    }
}

CandidateProcess::Message CandidateProcess::message(Report::Kind kind, double seconds,
                                                    const std::string &text) {
    Message m{kind, seconds, {}};
    std::strncpy(m.text, text.c_str(), sizeof m.text - 1);
    return m;
}

CandidateProcess::Message CandidateProcess::failure() {
    try {
        throw;
    } catch (const OutOfMemory &error) {
        return message(Report::Kind::OutOfMemory, 0, error.what());
    } catch (const std::bad_alloc &) {
        return message(Report::Kind::OutOfMemory, 0, "it asked for more memory than there is");
    } catch (const std::exception &error) {
        return message(Report::Kind::Failed, 0, error.what());
    } catch (...) {
        return message(Report::Kind::Failed, 0, "it threw what is no exception of the library's");
    }
}

void CandidateProcess::serve(size_t i, bool is_reference, const Prepare &prepare,
                             const ContestRules &rules, std::span<std::byte> reference) {
    close_end(orders_[1]);
    close_end(reports_[0]);
    if (rules.limits_address_space) limit_growth(rules.memory_bytes);
    std::unique_ptr<Runnable> candidate;
    try {
        candidate = prepare(i);
        allow_all_cpu_seconds();  // runs have limits by the clock
        write_whole(reports_[1], message(Report::Kind::Well, 0, ""));
        Order order{};
        while (read_whole(orders_[0], order))
            write_whole(reports_[1],
                        carried_out(order, *candidate, is_reference, rules, reference));
    } catch (...) {
        write_whole(reports_[1], failure());
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
    const bool is_check = order.kind == Order::Kind::Check;
    const double seconds = is_check ? seconds_of_run(candidate, 0) : 0;
    const std::vector<Output> outputs = candidate.outputs();
    std::string text;
    if (is_check && is_reference)
        keep(outputs, reference);
    else
        text = difference(outputs, reference, rules.tolerance);
    candidate.spoil_outputs();
    return message(text.empty() ? Report::Kind::Well : Report::Kind::Wrong, seconds, text);
}

}  // namespace cryolite

#endif

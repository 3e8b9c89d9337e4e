#include "tests/semantics/case_runner.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <streambuf>
#include <vector>

namespace cryolite {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int exit_code_passed = 0;
constexpr int exit_code_failed = 10;
constexpr int exit_code_reference_failed = 11;
constexpr size_t longest_log_bytes = 1 << 20;

// Unbuffered enough that nothing is lost when the process dies after a flush.
class DescriptorBuffer : public std::streambuf {
public:
    explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {}

protected:
    int overflow(int character) override {
        if (character != traits_type::eof()) pending_.push_back(static_cast<char>(character));
        return character;
    }
    int sync() override {
        size_t at = 0;
        while (at < pending_.size()) {
            const ssize_t written = write(descriptor_, pending_.data() + at, pending_.size() - at);
            if (written <= 0) return -1;
            at += static_cast<size_t>(written);
        }
        pending_.clear();
        return 0;
    }

private:
    int descriptor_;
    std::string pending_;
};

struct Child {
    pid_t pid = -1;
    int descriptor = -1;
    Clock::time_point start;
    CaseReport report;
    bool killed = false;
};

[[noreturn]] void run_in_child(uint64_t seed, int descriptor, const RunLimits &limits,
                               const std::function<Verdict(uint64_t, std::ostream &)> &run_case) {
    const rlimit memory{limits.address_space_bytes, limits.address_space_bytes};
    setrlimit(RLIMIT_AS, &memory);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(descriptor, STDERR_FILENO);
    DescriptorBuffer buffer(descriptor);
    std::ostream log(&buffer);
    int code = exit_code_failed;
    try {
        switch (run_case(seed, log)) {
            case Verdict::Agrees: code = exit_code_passed; break;
            case Verdict::Differs: code = exit_code_failed; break;
            case Verdict::ReferenceFailed: code = exit_code_reference_failed; break;
        }
    } catch (const std::exception &error) {
        log << "exception: " << error.what() << "\n";
    } catch (...) {
        log << "exception of an unknown type\n";
    }
    log << std::flush;
    _exit(code);  // without destructors: a JIT's thread pool may be in any state
}

Child start(uint64_t seed, const RunLimits &limits,
            const std::function<Verdict(uint64_t, std::ostream &)> &run_case) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
    Child child;
    child.report.seed = seed;
    child.start = Clock::now();
    child.descriptor = ends[0];
    child.pid = fork();
    if (child.pid < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
    if (child.pid == 0) {
        close(ends[0]);
        run_in_child(seed, ends[1], limits, run_case);
    }
    close(ends[1]);
    return child;
}

void finish(Child &child) {
    int status = 0;
    waitpid(child.pid, &status, 0);
    close(child.descriptor);
    CaseReport &report = child.report;
    report.seconds = std::chrono::duration<double>(Clock::now() - child.start).count();
    if (child.killed) {
        report.outcome = CaseOutcome::TimedOut;
    } else if (WIFSIGNALED(status)) {
        report.outcome = CaseOutcome::Crashed;
        report.log += "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                      strsignal(WTERMSIG(status)) + ")\n";
    } else {
        switch (WEXITSTATUS(status)) {
            case exit_code_passed: report.outcome = CaseOutcome::Passed; break;
            case exit_code_failed: report.outcome = CaseOutcome::Failed; break;
            case exit_code_reference_failed: report.outcome = CaseOutcome::ReferenceFailed; break;
            default: report.outcome = CaseOutcome::Crashed; break;
        }
    }
}

// True when the child has closed its end.
bool read_some(Child &child) {
    char chunk[4096];
    const ssize_t count = read(child.descriptor, chunk, sizeof chunk);
    if (count <= 0) return true;
    if (child.report.log.size() < longest_log_bytes) {
        child.report.log.append(chunk, static_cast<size_t>(count));
    }
    return false;
}

}  // namespace

const char *name(CaseOutcome outcome) {
    switch (outcome) {
        case CaseOutcome::Passed: return "passed";
        case CaseOutcome::Failed: return "FAILED";
        case CaseOutcome::ReferenceFailed: return "REFERENCE FAILED";
        case CaseOutcome::Crashed: return "CRASHED";
        case CaseOutcome::TimedOut: return "TIMED OUT";
    }
    return "?";
}

void run_cases(uint64_t first_seed, uint64_t count, const RunLimits &limits,
               const std::function<Verdict(uint64_t, std::ostream &)> &run_case,
               const std::function<void(const CaseReport &)> &on_report) {
    std::vector<Child> children;
    uint64_t started = 0;
    while (started < count || !children.empty()) {
        while (started < count && children.size() < static_cast<size_t>(limits.jobs)) {
            children.push_back(start(first_seed + started++, limits, run_case));
        }
        std::vector<pollfd> polled;
        for (const Child &child : children) polled.push_back({child.descriptor, POLLIN, 0});
        poll(polled.data(), polled.size(), 200);
        for (size_t i = children.size(); i-- > 0;) {
            Child &child = children[i];
            const double age = std::chrono::duration<double>(Clock::now() - child.start).count();
            if (!child.killed && age > limits.seconds_per_case) {
                kill(child.pid, SIGKILL);
                child.killed = true;
            }
            if (polled[i].revents == 0 || !read_some(child)) continue;
            finish(child);
            on_report(child.report);
            children.erase(children.begin() + static_cast<int64_t>(i));
        }
    }
}

}  // namespace cryolite

#include "tests/robustness/lane.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "tests/robustness/lane_work.h"

namespace cryolite::robustness {

namespace {

constexpr size_t longest_log_bytes = 1 << 20;
constexpr int exit_code_error = 3;

[[noreturn]] void end_with(const std::string &error) {
    std::cout << error << "\n"
              << figure_mark << "error=" << error.substr(0, error.find('\n')) << "\n"
              << std::flush;
    _exit(exit_code_error);  // without destructors: a JIT's thread pool may be in any state
}

// What was thrown where nobody may catch it, as in a destructor of a peer's.
[[noreturn]] void end_terminated() {
    try {
        if (const std::exception_ptr thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::exception &error) {
        end_with(error.what());
    } catch (...) {
    }
    end_with("terminated");
}

[[noreturn]] void work(const WorkloadMaker &maker, const Contender &contender,
                       const LaneLimits &limits) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    const auto bytes = static_cast<rlim_t>(limits.megabytes * 1024 * 1024);
    const rlimit memory{bytes, bytes}, no_core{0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &no_core);
    std::set_terminate(end_terminated);
    try {
        work_in_lane(maker, contender, limits);
    } catch (const std::exception &error) {
        end_with(error.what());
    }
    std::cout << std::flush;
    _exit(0);
}

// The number after the last label in the text, or 0.
double number_after(const std::string &text, const std::string &label) {
    const size_t at = text.rfind(label);
    return at == text.npos ? 0 : std::strtod(text.c_str() + at + label.size(), nullptr);
}

bool has(const std::string &text, const char *words) { return text.find(words) != text.npos; }

}  // namespace

struct Lane::Process {
    pid_t pid = -1;
    int commands = -1, output = -1;
    std::string line;  // what has come of the next one
};

Lane::Lane(const WorkloadMaker &maker, const Contender &contender, const LaneLimits &limits)
    : process_(std::make_unique<Process>()) {
    int commands[2], output[2];
    if (pipe(commands) != 0 || pipe(output) != 0)
        throw std::runtime_error("pipe: " + std::string(std::strerror(errno)));
    std::cout << std::flush;
    process_->pid = fork();
    if (process_->pid < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
    if (process_->pid == 0) {
        dup2(commands[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        dup2(output[1], STDERR_FILENO);
        for (int d : {commands[0], commands[1], output[0], output[1]}) close(d);
        work(maker, contender, limits);
    }
    close(commands[0]);
    close(output[1]);
    process_->commands = commands[1];
    process_->output = output[0];
    read_until("ready");
    can_run_ = process_ && figure("ready") == 1;
    fill_report();
}

Lane::~Lane() {
    if (!process_) return;
    kill(process_->pid, SIGKILL);
    end();
}

std::optional<double> Lane::sample() {
    if (!can_run_ || !process_) return std::nullopt;
    figures_.erase("run");
    const char command = 'r';
    // A write that fails has no reader: reading then finds the end.
    [[maybe_unused]] const ssize_t written = write(process_->commands, &command, 1);
    read_until("run");
    if (figures_.count("run") != 0) return figure("run");
    can_run_ = false;
    fill_report();
    return std::nullopt;
}

void Lane::take_line(const std::string &line) {
    const size_t equals = line.find('=');
    if (!line.empty() && line[0] == figure_mark && equals != line.npos)
        figures_[line.substr(1, equals - 1)] = line.substr(equals + 1);
    else if (report_.log.size() < longest_log_bytes)
        report_.log += line + "\n";
}

// Every phase has an alarm of its own, so that this ends.
void Lane::read_until(const std::string &label) {
    while (process_ && figures_.count(label) == 0) {
        char chunk[4096];
        const ssize_t count = read(process_->output, chunk, sizeof chunk);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return end();
        for (ssize_t i = 0; i < count; i++) {
            if (chunk[i] != '\n') {
                process_->line += chunk[i];
                continue;
            }
            take_line(process_->line);
            process_->line.clear();
        }
    }
}

void Lane::end() {
    int status = 0;
    waitpid(process_->pid, &status, 0);
    close(process_->commands);
    close(process_->output);
    take_line(process_->line);
    process_.reset();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    std::string what = figures_.count("error") != 0 ? figures_["error"] : "error";
    if (WIFSIGNALED(status)) {
        const int s = WTERMSIG(status);
        what = s == SIGALRM || s == SIGPROF ? "timeout" : s == SIGKILL ? "killed" : strsignal(s);
        if (has(report_.log, "std::bad_alloc")) what = "out of memory";
    }
    report_.failure = figures_["phase"] + ": " + what;
}

double Lane::figure(const std::string &label) const {
    const auto found = figures_.find(label);
    return found == figures_.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

void Lane::fill_report() {
    const std::string &log = report_.log;
    report_.funcs = figure("funcs");
    report_.states = number_after(log, "states: ");
    report_.schedule_seconds = figure("schedule_seconds");
    report_.verify_seconds = number_after(log, "seconds of trying schedules: ");
    report_.schedule_cpu_seconds = figure("schedule_cpu_seconds");
    report_.schedule_megabytes = figure("schedule_megabytes");
    report_.lowering_seconds = figure("lowering_seconds");
    report_.llvm_seconds = figure("llvm_seconds");
    report_.megabytes = figure("megabytes");
    report_.wrong = figure("wrong") == 1;
    report_.fell_back = has(log, "Halide refused the schedule");
    report_.given_up = has(log, "Halide did not lower");
    report_.stopped_by_time = has(log, "stopped at the time limit");
}

}  // namespace cryolite::robustness

#include "base/child_call.h"

#ifdef _WIN32

namespace cryolite {

struct ChildCall::Process {};
ChildCall::ChildCall(const std::function<std::string()> &, double, Sleep) {
    answer_.text = "this system has no copies of processes";
}
ChildCall::~ChildCall() = default;
bool ChildCall::ended(double) { return true; }
void ChildCall::stop() {}
int ChildCall::pid() const { return -1; }
void ChildCall::end() {}

}  // namespace cryolite

#else

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>

#ifdef __linux__
#include <sys/prctl.h>

#include "base/stopwatch.h"
#endif

namespace cryolite {
namespace {

// A child that sleeps for so long without working waits for a lock that nobody will open.
constexpr double asleep_seconds = 2;
constexpr double look_seconds = 0.25;  // between two looks at whether it works
// A child that has closed its end of the pipe ends at once. One that goes on for longer is killed.
constexpr double leaving_seconds = 1;

// What the system says of a process; nothing where it says nothing (all but Linux).
struct Activity {
    bool known = false;
    bool asleep = false;
    uint64_t cpu_ticks = 0;
};

Activity activity_of(pid_t pid) {
    Activity a;
#ifdef __linux__
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(file, text)) return a;
    // "pid (name) state ppid ...": the name may hold anything, parentheses too.
    const size_t end_of_name = text.rfind(')');
    if (end_of_name == text.npos) return a;
    char state = 0;
    uint64_t user = 0, system = 0;
    const char *format = " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu";
    a.known = std::sscanf(text.c_str() + end_of_name + 1, format, &state, &user, &system) == 3;
    a.asleep = state == 'S';
    a.cpu_ticks = user + system;
#else
    (void)pid;
#endif
    return a;
}

void write_all(int descriptor, const void *data, size_t size) {
    const char *at = static_cast<const char *>(data);
    while (size > 0) {
        const ssize_t written = write(descriptor, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        at += written;
        size -= static_cast<size_t>(written);
    }
}

// The caller's handlers and limits are not for the child: it dies quietly, and with its parent.
void leave_the_caller(pid_t parent, double cpu_seconds) {
    for (int s = 1; s < NSIG; s++) {
        struct sigaction now {};
        if (sigaction(s, nullptr, &now) != 0) continue;
        if (now.sa_handler != SIG_IGN || s == SIGXCPU) signal(s, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    rlimit cpu{};
    getrlimit(RLIMIT_CPU, &cpu);
    const auto most = static_cast<rlim_t>(std::ceil(std::min(std::max(cpu_seconds, 0.0), 1e9)));
    cpu.rlim_cur = cpu.rlim_cur == RLIM_INFINITY ? most : std::min(cpu.rlim_cur, most);
    setrlimit(RLIMIT_CPU, &cpu);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died before
    setpgid(0, 0);
    // Should memory run out, the system ends this process and not the caller's.
    const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        write_all(score, "1000", 4);
        close(score);
    }
#else
    (void)parent;
#endif
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

// Without destructors and handlers at exit: they are the caller's.
[[noreturn]] void work_in_child(const std::function<std::string()> &work, int answer, pid_t parent,
                                double cpu_seconds) {
    leave_the_caller(parent, cpu_seconds);
    std::string text;
    try {
        text = work();
    } catch (const std::exception &error) {
        text = error.what();
    } catch (...) {
        _exit(1);
    }
    const uint64_t size = text.size();
    write_all(answer, &size, sizeof size);
    write_all(answer, text.data(), text.size());
    _exit(0);
}

}  // namespace

struct ChildCall::Process {
    pid_t pid = -1;
    int answer = -1;  // read from here
    std::string received;
    bool may_sleep = false;
    Stopwatch looked, worked;
    uint64_t cpu_ticks = 0;

    bool complete() const {
        uint64_t size = 0;
        if (received.size() < sizeof size) return false;
        std::memcpy(&size, received.data(), sizeof size);
        return received.size() - sizeof size >= size;
    }

    // True at the end of what the child will say.
    bool read_some() {
        char chunk[4096];
        const ssize_t count = read(answer, chunk, sizeof chunk);
        if (count < 0) return errno != EINTR && errno != EAGAIN;
        received.append(chunk, static_cast<size_t>(count));
        return count == 0 || complete();
    }

    bool waits_for_ever() {
        if (may_sleep || looked.seconds() < look_seconds) return false;
        looked = Stopwatch();
        const Activity a = activity_of(pid);
        if (!a.known || !a.asleep || a.cpu_ticks != cpu_ticks) worked = looked;
        cpu_ticks = a.cpu_ticks;
        return worked.seconds() > asleep_seconds;
    }

    // Whether it has ended by itself, before it is reaped.
    bool is_gone() const {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
            return errno != EINTR;  // a handler of the caller's has taken it
        return info.si_pid == pid;
    }

    bool is_gone_within(double seconds) const {
        const Stopwatch start;
        while (!is_gone()) {
            if (start.seconds() > seconds) return false;
            usleep(1000);
        }
        return true;
    }

    // What a child has said that has ended while another process holds its end of the pipe open.
    void read_the_rest() {
        pollfd polled{answer, POLLIN, 0};
        while (poll(&polled, 1, 0) > 0 && !read_some()) {
        }
    }

    void kill_with_its_group() const {
#ifdef __linux__
        kill(-pid, SIGKILL);
#endif
        kill(pid, SIGKILL);
    }

    // Its status, or -1 where a handler of the caller's has taken it. Waits for its end.
    int reap() {
#ifdef __linux__
        kill(-pid, SIGKILL);  // what it has left; its own number is not free yet
#endif
        int status = 0;
        pid_t reaped = 0;
        while ((reaped = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
        }
        close(answer);
        return reaped == pid ? status : -1;
    }
};

ChildCall::ChildCall(const std::function<std::string()> &work, double cpu_seconds, Sleep sleep) {
    int ends[2];
    if (pipe(ends) != 0) {
        answer_.text = std::strerror(errno);
        return;
    }
    for (int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    auto process = std::make_unique<Process>();
    process->answer = ends[0];
    process->may_sleep = sleep == Sleep::Allowed;
    const pid_t parent = getpid();
    process->pid = fork();
    if (process->pid == 0) work_in_child(work, ends[1], parent, cpu_seconds);
    close(ends[1]);
    if (process->pid < 0) {
        answer_.text = std::strerror(errno);
        close(ends[0]);
        return;
    }
    process_ = std::move(process);
}

ChildCall::~ChildCall() { stop(); }

int ChildCall::pid() const { return process_ ? process_->pid : -1; }

void ChildCall::stop() {
    if (!process_) return;
    process_->kill_with_its_group();
    process_->reap();
    process_.reset();
    answer_ = {ChildAnswer::Outcome::GivenUp, ""};
}

// The child has said all that it will say.
void ChildCall::end() {
    using Outcome = ChildAnswer::Outcome;
    if (process_->complete()) {
        answer_ = {Outcome::Answered, process_->received.substr(sizeof(uint64_t))};
        process_->reap();
    } else if (!process_->is_gone_within(leaving_seconds)) {
        process_->kill_with_its_group();
        process_->reap();
        answer_ = {Outcome::Died, "it closed its end of the pipe and went on"};
    } else {
        const int status = process_->reap();
        const int signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        if (signal == SIGXCPU)
            answer_ = {Outcome::GivenUp, ""};
        else if (signal != 0)
            answer_ = {Outcome::Died, strsignal(signal), signal};
        else
            answer_ = {Outcome::Died, "it ended without an answer"};
    }
    process_.reset();
}

bool ChildCall::ended(double wait_seconds) {
    const Stopwatch start;
    while (process_) {
        const double left = std::max(0.0, wait_seconds - start.seconds());
        pollfd polled{process_->answer, POLLIN, 0};
        const int ready =
            poll(&polled, 1, static_cast<int>(std::ceil(std::min(left, look_seconds) * 1e3)));
        if (ready > 0) {
            if (process_->read_some()) end();
            continue;
        }
        if (process_->is_gone()) {
            process_->read_the_rest();
            end();
        } else if (process_->waits_for_ever()) {
            stop();
            answer_ = {ChildAnswer::Outcome::NotStarted, "the child waits for a lock"};
        } else if (left <= 0) {
            return false;
        }
    }
    return true;
}

}  // namespace cryolite

#endif

#include "base/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/memory_use.h"
#include "base/stopwatch.h"

namespace cryolite {
namespace {

constexpr size_t kept_bytes = size_t{1} << 16;
constexpr int look_milliseconds = 20;  // between two looks at the limits

std::string with_unit(const char *format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// Only what is safe between fork and exec in a process with threads.
[[noreturn]] void become(char *const *argv, int input, int output, int errors, int error_pipe,
                         pid_t parent) {
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);  // it died before
#else
    (void)parent;
#endif
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int s : {SIGINT, SIGTERM, SIGPIPE}) signal(s, SIG_DFL);
    execvp(argv[0], argv);
    const int error = errno;
    if (write(error_pipe, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

struct Pipe {
    int ends[2] = {-1, -1};
    bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
    void close_end(int e) {
        if (ends[e] >= 0) close(ends[e]);
        ends[e] = -1;
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
};

struct Descriptor {
    explicit Descriptor(int v) : value(v) {}
    ~Descriptor() {
        if (value >= 0) close(value);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    const int value;
};

class Running {
public:
    Running(pid_t pid, int output, const ProgramLimits &limits)
        : pid_(pid), output_(output), limits_(limits) {}

    // A grandchild may hold the output open: what counts is the program's own end.
    ProgramResult finish() {
        int status = 0;
        bool ended = false;
        while (!ended) {
            read_for(look_milliseconds);
            ended = reaped(&status);
            if (!ended && over()) {
                kill(-pid_, SIGKILL);
                kill(pid_, SIGKILL);
                while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
                }
                ended = true;
            }
        }
        read_for(0);
        kill(-pid_, SIGKILL);  // what it left behind
        result_.seconds = start_.seconds();
        if (!is_over_) say_how_it_ended(status);
        return std::move(result_);
    }

private:
    void read_for(int milliseconds) {
        for (bool more = true; more;) {
            more = false;
            pollfd polled{output_, POLLIN, 0};
            if (closed_) {
                poll(nullptr, 0, milliseconds > 0 ? 2 : 0);
                return;
            }
            if (poll(&polled, 1, milliseconds) <= 0) return;
            char chunk[4096];
            const ssize_t n = read(output_, chunk, sizeof chunk);
            if (n == 0) closed_ = true;
            if (n <= 0) return;
            result_.output.append(chunk, static_cast<size_t>(n));
            if (result_.output.size() > 2 * kept_bytes)
                result_.output.erase(0, result_.output.size() - kept_bytes);
            more = true;
            milliseconds = 0;
        }
    }

    bool reaped(int *status) {
        const pid_t pid = waitpid(pid_, status, WNOHANG);
        return pid == pid_ || (pid < 0 && errno != EINTR);
    }

    bool over() {
        using End = ProgramResult::End;
        const auto end_by = [&](End end, std::string why) {
            is_over_ = true;
            result_.end = end;
            result_.ending = std::move(why);
            return true;
        };
        if (limits_.stop && limits_.stop->load()) return end_by(End::Stopped, "stopped");
        if (start_.seconds() > limits_.seconds)
            return end_by(End::TimedOut, with_unit("not done after %g s", limits_.seconds));
        if (limits_.memory_bytes > 0 && resident_bytes_of(pid_).value_or(0) > limits_.memory_bytes)
            return end_by(End::OutOfMemory,
                          with_unit("needed more than %g MB",
                                    static_cast<double>(limits_.memory_bytes) / (1 << 20)));
        return false;
    }

    void say_how_it_ended(int status) {
        using End = ProgramResult::End;
        if (WIFSIGNALED(status)) {
            result_.end = End::Died;
            result_.ending = "signal " + std::to_string(WTERMSIG(status)) + " (" +
                             strsignal(WTERMSIG(status)) + ")";
        } else if (WEXITSTATUS(status) != 0) {
            result_.end = End::Failed;
            result_.ending = "exit status " + std::to_string(WEXITSTATUS(status));
        } else {
            result_.end = End::Succeeded;
        }
    }

    const pid_t pid_;
    const int output_;
    const ProgramLimits &limits_;
    const Stopwatch start_;
    bool closed_ = false, is_over_ = false;
    ProgramResult result_;
};

}  // namespace

Result<ProgramResult> run_program(const std::vector<std::string> &arguments,
                                  const ProgramLimits &limits, const ProgramFiles &files) {
    const auto failed = [&](int error) {
        return Error{"cannot start '" + arguments[0] + "': " + std::strerror(error)};
    };
    const auto cannot_open = [](const std::string &path) {
        return Error{"cannot open '" + path + "': " + std::strerror(errno)};
    };
    Pipe output, not_started;
    if (!output.open() || !not_started.open()) return failed(errno);
    const std::string source = files.input.empty() ? "/dev/null" : files.input;
    const Descriptor input(open(source.c_str(), O_RDONLY | O_CLOEXEC));
    if (input.value < 0) return cannot_open(source);
    const Descriptor written(
        files.output.empty()
            ? -1
            : open(files.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!files.output.empty() && written.value < 0) return cannot_open(files.output);
    std::vector<char *> argv;
    for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) return failed(errno);
    if (pid == 0)
        become(argv.data(), input.value, written.value >= 0 ? written.value : output.ends[1],
               output.ends[1], not_started.ends[1], parent);
    setpgid(pid, pid);  // whoever is first
    output.close_end(1);
    not_started.close_end(1);
    int error = 0;
    ssize_t got = 0;
    while ((got = read(not_started.ends[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (got == sizeof error) {
        waitpid(pid, nullptr, 0);
        return failed(error);
    }
    return Running(pid, output.ends[0], limits).finish();
}

}  // namespace cryolite

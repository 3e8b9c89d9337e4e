#include "autotune/runner/guarded.h"

#ifdef __linux__

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "autotune/stray_processes.h"

namespace cryolite {
namespace {

constexpr int broken = 1;

int exit_status(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    std::fprintf(stderr,
                 "cryolite_runner: the process that runs candidates was ended by signal %d\n",
                 WTERMSIG(status));
    return broken;
}

int waited_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

// Waits for the end of the child or of the other end of `life`.
void wait_for_either(pid_t child, int life, int child_signals) {
    for (;;) {
        siginfo_t info{};
        if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == child)
            return;
        pollfd polled[] = {{life, POLLIN, 0}, {child_signals, POLLIN, 0}};
        if (poll(polled, 2, -1) < 0) continue;
        if (polled[0].revents != 0) return;
        signalfd_siginfo taken;
        if (polled[1].revents != 0 && read(child_signals, &taken, sizeof taken) < 0) return;
    }
}

int run_below_guard(const std::function<int()> &work, int life) {
    adopt_orphans();
    sigset_t child_ends, before;
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, &before);
    const int child_signals = signalfd(-1, &child_ends, SFD_CLOEXEC);
    const pid_t guard = getpid();
    const pid_t worker = fork();
    if (worker == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != guard) _exit(broken);
        sigprocmask(SIG_SETMASK, &before, nullptr);
        close(life);
        close(child_signals);
        adopt_orphans();
        const int status = work();
        std::fflush(nullptr);
        _exit(status);
    }
    if (worker < 0 || child_signals < 0) return broken;
    wait_for_either(worker, life, child_signals);
    // Alive still if the caller's process is dead.
    kill(worker, SIGKILL);
    const int status = waited_for(worker);
    end_strays();
    return exit_status(status);
}

}  // namespace

int run_guarded(const std::function<int()> &work) {
    adopt_orphans();
    int life[2];  // its one writing end is this process's
    if (pipe(life) != 0) return broken;
    std::fflush(nullptr);
    const pid_t guard = fork();
    if (guard == 0) {
        close(life[1]);
        _exit(run_below_guard(work, life[0]));
    }
    close(life[0]);
    if (guard < 0) return broken;
    const int status = waited_for(guard);
    end_strays();
    return exit_status(status);
}

}  // namespace cryolite

#else

namespace cryolite {
int run_guarded(const std::function<int()> &work) { return work(); }
}  // namespace cryolite

#endif

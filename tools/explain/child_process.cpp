#include "tools/explain/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cryolite::tools {
namespace {

constexpr size_t kept_bytes = size_t{1} << 16;

// What a descriptor gives until its end.
std::string read_to_end(int descriptor) {
    std::string text;
    char chunk[4096];
    for (;;) {
        const ssize_t n = read(descriptor, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(chunk, static_cast<size_t>(n));
        if (text.size() > 2 * kept_bytes) text.erase(0, text.size() - kept_bytes);
    }
}

std::string ending_of(int status) {
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) +
               ")";
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<ChildResult> run_child(const std::vector<std::string> &arguments) {
    const auto failed = [&](int error) {
        return Error{"cannot start '" + arguments[0] + "': " + std::strerror(error)};
    };
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed(errno);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<char *> argv;
    for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ChildResult result;
    if (!error) result.output = read_to_end(ends[0]);
    close(ends[0]);
    if (error) return failed(error);
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return failed(errno);
    result.ending = ending_of(status);
    return result;
}

}  // namespace cryolite::tools

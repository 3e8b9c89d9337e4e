#include "bench/cache_probe/in_child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <exception>

namespace cryolite::bench {
namespace {

constexpr int exit_code_of_exception = 10;

void write_all(int descriptor, const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
        if (written <= 0) return;
        at += static_cast<size_t>(written);
    }
}

[[noreturn]] void run_in_child(int descriptor, const std::function<std::string()> &work) {
    int code = 0;
    std::string text;
    try {
        text = work();
    } catch (const std::exception &e) {
        text = e.what();
        code = exit_code_of_exception;
    }
    write_all(descriptor, text);
    _exit(code);  // without destructors: the parent has them, too
}

}  // namespace

Result<std::string> in_child(const std::function<std::string()> &work) {
    int ends[2];
    if (pipe(ends) != 0) return Error{std::string("pipe: ") + std::strerror(errno)};
    const pid_t child = fork();
    if (child < 0) return Error{std::string("fork: ") + std::strerror(errno)};
    if (child == 0) {
        close(ends[0]);
        run_in_child(ends[1], work);
    }
    close(ends[1]);
    std::string text;
    char chunk[4096];
    ssize_t count = 0;
    while ((count = read(ends[0], chunk, sizeof chunk)) > 0)
        text.append(chunk, static_cast<size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return Error{std::string("crashed: ") + strsignal(WTERMSIG(status))};
    if (WEXITSTATUS(status) != 0) return Error{text};
    return text;
}

}  // namespace cryolite::bench

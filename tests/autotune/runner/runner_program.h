// The program cryolite_runner, started as its users start it.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace cryolite {

struct Said {
    int status = -1;  // of exit
    std::string output, errors;
};

inline std::string text_of(const std::filesystem::path &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// arguments[0] is the program. Its output and errors go to files `out` and `err` of the folder.
inline pid_t start(const std::vector<std::string> &arguments, const TemporaryFolder &folder) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    std::vector<char *> argv;
    for (const std::string &a : arguments) argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    dup2(open(folder.path("out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDOUT_FILENO);
    dup2(open(folder.path("err").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
}

inline Said say(const std::vector<std::string> &arguments, const TemporaryFolder &folder) {
    int status = 0;
    waitpid(start(arguments, folder), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder.path("out")),
            text_of(folder.path("err"))};
}

}  // namespace cryolite

#include "autotune/stray_processes.h"

#ifdef __linux__

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace cryolite {
namespace {

constexpr auto give_up_after = std::chrono::seconds(5);

// -1 where there is no such process any more.
pid_t parent_of(const char *pid) {
    const std::string path = std::string("/proc/") + pid + "/stat";
    const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "re"), std::fclose);
    char text[512];
    if (!file || std::fgets(text, sizeof text, file.get()) == nullptr) return -1;
    // "pid (name) state parent ...": the name may hold anything, parentheses too.
    const std::string line = text;
    const size_t end_of_name = line.rfind(')');
    int parent = -1;
    if (end_of_name == line.npos ||
        std::sscanf(line.c_str() + end_of_name + 1, " %*c %d", &parent) != 1)
        return -1;
    return parent;
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<int> children_of(int parent) {
    std::vector<int> children;
    const std::unique_ptr<DIR, int (*)(DIR *)> processes(opendir("/proc"), closedir);
    if (!processes) return children;
    while (const dirent *entry = readdir(processes.get()))
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) &&
            parent_of(entry->d_name) == parent)
            children.push_back(static_cast<pid_t>(std::atol(entry->d_name)));
    return children;
}

size_t end_strays(std::span<const int> keep) {
    const auto start = std::chrono::steady_clock::now();
    size_t running = 0;
    std::vector<int> killed;
    for (;;) {
        bool left = false;
        for (const pid_t child : children_of(getpid())) {
            if (std::ranges::find(keep, child) != keep.end()) continue;
            // Even where it had ended: its own children may have become ours since they were listed.
            left = true;
            if (waitpid(child, nullptr, WNOHANG) == child) continue;
            if (std::ranges::find(killed, child) != killed.end()) continue;
            // Its group first: what forks all the time is killed as a whole.
            if (getpgid(child) == child) kill(-child, SIGKILL);
            kill(child, SIGKILL);
            killed.push_back(child);
            running++;
        }
        if (!left || std::chrono::steady_clock::now() - start > give_up_after) return running;
        usleep(1000);
    }
}

}  // namespace cryolite

#else

namespace cryolite {
void adopt_orphans() {}
std::vector<int> children_of(int) { return {}; }
size_t end_strays(std::span<const int>) { return 0; }
}  // namespace cryolite

#endif

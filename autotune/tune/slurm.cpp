#include "autotune/tune/slurm.h"

#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <thread>

#include "autotune/tune/generator.h"
#include "autotune/tune/shell_line.h"
#include "base/atomic_file.h"
#include "base/stopwatch.h"
#include "base/text_file.h"

namespace cryolite {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds look_every{100};  // for results
constexpr double ask_every_seconds = 3;               // the controller, which has other users
// A result may be seen here later than the end of its job: file systems over a network keep what they have read.
constexpr double file_system_seconds = 3;
constexpr double answer_seconds = 60;  // of a program of Slurm's
constexpr double grace_seconds = 60;   // for a task to start and end

// Each task begins where the tuner was started. Its exit status is written last, and gets its name at once. A program
// that a signal ended has none: whoever cancels a job ends it so.
std::string script_in(const std::string &folder) {
    return "#!/bin/sh\n"
           "t=" +
           shell_line(std::vector<std::string>{folder}) +
           "/$SLURM_ARRAY_TASK_ID\n"
           "sh \"$t.task\" >\"$t.out\" 2>&1 </dev/null\n"
           "s=$?\n"
           "[ $s -gt 128 ] && exit $s\n"
           "echo $s >\"$t.unfinished\" && mv \"$t.unfinished\" \"$t.status\"\n";
}

// Whether a line of what squeue said begins with a job's number: the others are warnings.
bool names_a_job(const std::string &said) {
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && std::isdigit(static_cast<unsigned char>(line[0]))) return true;
    return false;
}

fs::path file_of(const std::string &folder, size_t task, const char *suffix) {
    return fs::path(folder) / (std::to_string(task) + suffix);
}

bool is_done(const std::string &folder, size_t task) {
    std::error_code ignored;
    return fs::exists(file_of(folder, task, ".status"), ignored);
}

std::vector<size_t> not_done(const std::string &folder, size_t count) {
    std::vector<size_t> tasks;
    for (size_t i = 0; i < count; i++)
        if (!is_done(folder, i)) tasks.push_back(i);
    return tasks;
}

// Empty: it succeeded.
std::string failure_of(const std::string &folder, size_t task) {
    const auto status = read_text_file(file_of(folder, task, ".status").string());
    if (!status.ok()) return "its job was lost again and again, on Slurm's nodes";
    if (*status == "0\n") return "";
    ProgramResult said;
    if (const auto out = read_text_file(file_of(folder, task, ".out").string()); out.ok())
        said.output = *out;
    return "exit status " + status->substr(0, status->find('\n')) + ": " + last_words(said);
}

}  // namespace

Result<bool> Slurm::prepare() const {
    const auto answer = run_or_say_why({"squeue", "-h", "-o", "%i"}, {answer_seconds});
    if (!answer.ok())
        return Error{
            "--launcher slurm needs Slurm's programs on PATH and a controller that answers: " +
            answer.error().message};
    cancel();
    return true;
}

void Slurm::cancel() const {
    (void)run_program({"scancel", "--quiet", "--user=" + std::to_string(getuid()),
                       "--jobname=" + rules_.job_name},
                      {answer_seconds})
        .ok();
}

std::string Slurm::array_folder() {
    return (fs::path(rules_.folder) / ("array" + std::to_string(arrays_++))).string();
}

Result<bool> Slurm::submit(const std::string &folder, const std::vector<size_t> &tasks,
                           const std::vector<std::string> &options) const {
    std::string numbers;
    for (const size_t t : tasks) numbers += (numbers.empty() ? "" : ",") + std::to_string(t);
    std::vector<std::string> command{"sbatch",
                                     "--parsable",
                                     "--requeue",
                                     "--output=/dev/null",
                                     "--job-name=" + rules_.job_name,
                                     "--array=" + numbers};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), rules_.options.begin(), rules_.options.end());
    command.push_back((fs::path(folder) / "script").string());
    const auto submitted = run_or_say_why(command, {answer_seconds});
    if (!submitted.ok()) return submitted.error();
    return true;
}

// Until all have a status, or none is in Slurm's hands any more.
Result<bool> Slurm::wait(const std::string &folder, size_t count) const {
    Stopwatch asked, seen;
    bool is_gone = false;
    while (!not_done(folder, count).empty()) {
        if (rules_.stop && rules_.stop->load()) return Error{"stopped"};
        std::this_thread::sleep_for(look_every);
        if (is_gone && seen.seconds() > file_system_seconds) return true;
        if (asked.seconds() < ask_every_seconds) continue;
        asked = Stopwatch();
        const auto queue = run_program({"squeue", "-h", "--name=" + rules_.job_name, "-o", "%i"},
                                       {answer_seconds});
        // A controller that is away for a while comes back with its queue.
        if (!queue.ok() || !queue->succeeded()) continue;
        is_gone = !names_a_job(queue->output);
        if (!is_gone) seen = asked;
    }
    return true;
}

Result<std::vector<std::string>> Slurm::run(const std::vector<std::vector<std::string>> &commands,
                                            std::vector<std::string> options, double seconds) {
    const std::string folder = array_folder();
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    if (error) return Error{"cannot make '" + folder + "': " + error.message()};
    for (size_t i = 0; i < commands.size(); i++) {
        const auto written =
            write_atomically(file_of(folder, i, ".task").string(), shell_line(commands[i]) + "\n");
        if (!written.ok()) return written.error();
    }
    if (const auto w = write_atomically((fs::path(folder) / "script").string(), script_in(folder));
        !w.ok())
        return w.error();
    options.push_back("--time=" + std::to_string(static_cast<int64_t>(
                                      std::ceil((seconds + grace_seconds) / 60))));
    for (int tries = 0; tries <= rules_.retries; tries++) {
        const std::vector<size_t> left = not_done(folder, commands.size());
        if (left.empty()) break;
        auto done = submit(folder, left, options);
        if (done.ok()) done = wait(folder, commands.size());
        if (done.ok()) continue;
        cancel();
        return done.error();
    }
    std::vector<std::string> failures;
    for (size_t i = 0; i < commands.size(); i++) failures.push_back(failure_of(folder, i));
    fs::remove_all(folder, error);
    return failures;
}

}  // namespace cryolite

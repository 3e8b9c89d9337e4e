#include "autotune/runner/run.h"

#include <algorithm>
#include <optional>

#include "autotune/contest.h"
#include "autotune/runner/call_plan.h"
#include "autotune/runner/input_values.h"
#include "autotune/runner/library_run.h"
#include "autotune/runner/this_computer.h"
#include "autotune/stray_processes.h"
#include "base/child_call.h"

namespace cryolite {
namespace {

// What the process that opens the reference answers: a letter, and the rest of the text.
constexpr char planned = 'p', bad_request = 'r', failed = 'f', out_of_memory = 'm';

std::string plan_in_child(const RunRequest &request) {
    try {
        const FilterLibrary library(request.reference.library,
                                    request.function_of(request.reference));
        return planned + to_text(plan_call(library, request));
    } catch (const RequestError &error) {
        return bad_request + std::string(error.what());
    } catch (const std::bad_alloc &error) {
        return out_of_memory + std::string(error.what());
    } catch (const std::exception &error) {
        return failed + std::string(error.what());
    }
}

Entry ended(Entry::End end, std::string message) {
    Entry entry;
    entry.end = end;
    entry.message = std::move(message);
    return entry;
}

class Run {
public:
    explicit Run(const RunRequest &request) : request_(request) {
        libraries_.push_back(&request.reference);
        for (const RunLibrary &candidate : request.candidates) libraries_.push_back(&candidate);
        result_.machine = this_computer();
        result_.machine.threads = request.threads > 0 ? request.threads : result_.machine.cores;
    }

    Result<RunResult> result() {
        if (const Result<bool> plan = make_plan(); !plan.ok()) return plan.error();
        if (reference_failure_) {
            add(*reference_failure_);
            while (result_.entries.size() < libraries_.size())
                add(ended(Entry::End::NotReady, "the reference could not be run"));
            return result_;
        }
        if (const Result<bool> files = read_files(); !files.ok()) return files.error();
        const Prepare prepare = [&](size_t i) {
            return library_run(*libraries_[i], plan_, request_, files_, result_.machine.threads);
        };
        Conditions conditions;
        for (Entry &entry : contest(libraries_.size(), 0, prepare, rules(), &conditions))
            add(std::move(entry));
        result_.machine.other_load = conditions.other_load;
        return result_;
    }

private:
    void add(Entry entry) {
        result_.entries.push_back({libraries_[result_.entries.size()]->id, std::move(entry)});
    }

    // The reference is opened in a process of its own, like all that are run.
    Result<bool> make_plan() {
        const double limit = request_.rules.prepare_seconds;
        ChildCall call([&] { return plan_in_child(request_); }, limit, ChildCall::Sleep::Allowed);
        const bool is_in_time = call.ended(limit);
        call.stop();
        end_strays();
        if (!is_in_time) {
            reference_failure_ = ended(Entry::End::Hung, "it was not ready in time");
            return true;
        }
        const ChildAnswer &answer = call.answer();
        if (answer.outcome != ChildAnswer::Outcome::Answered || answer.text.empty()) {
            reference_failure_ = ended(Entry::End::Died, answer.text);
            return true;
        }
        const std::string text = answer.text.substr(1);
        switch (answer.text[0]) {
            case planned: plan_ = call_plan_of(text); break;
            case bad_request: return Error{"request: " + text};
            case out_of_memory: reference_failure_ = ended(Entry::End::OutOfMemory, text); break;
            default: reference_failure_ = ended(Entry::End::Failed, text);
        }
        return true;
    }

    Result<bool> read_files() {
        for (const PlannedArgument &argument : plan_.arguments) {
            const auto source = request_.inputs.find(argument.name);
            if (source == request_.inputs.end() || source->second.file.empty()) continue;
            const std::string &path = source->second.file;
            Result<FileArray> file = read_array_file(path, argument.type);
            if (!file.ok()) return Error{"request: " + file.error().message};
            if (const Result<bool> covered = covers(*file, argument); !covered.ok())
                return Error{"request: '" + path + "' " + covered.error().message};
            files_.emplace(argument.name, std::move(*file));
        }
        return true;
    }

    ContestRules rules() const {
        const RunRules &asked = request_.rules;
        ContestRules rules;
        rules.prepared_at_once = std::max(1, result_.machine.cores);
        rules.prepare_seconds = asked.prepare_seconds;
        rules.prepare_cpu_seconds = asked.prepare_seconds;
        rules.prepared_by = Deadline();  // each has its own
        rules.seconds = asked.seconds;
        rules.sample_seconds = asked.sample_seconds;
        rules.longest_run_seconds = asked.longest_run_seconds;
        rules.cut_off = asked.cut_off;
        for (size_t i = 0; i < libraries_.size(); i++)
            if (libraries_[i]->id == request_.anchor) rules.anchor = i;
        rules.memory_bytes = asked.memory_mb << 20;
        rules.limits_address_space = !plan_.has_device;
        rules.ends_strays = true;
        rules.output_bytes = plan_.output_bytes();
        rules.tolerance = request_.tolerance;
        return rules;
    }

    const RunRequest &request_;
    std::vector<const RunLibrary *> libraries_;  // the reference first
    CallPlan plan_;
    std::optional<Entry> reference_failure_;
    InputFiles files_;
    RunResult result_;
};

}  // namespace

Result<RunResult> run(const RunRequest &request) { return Run(request).result(); }

}  // namespace cryolite

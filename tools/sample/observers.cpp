#include "tools/sample/observers.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/terminal.h"
#include "tools/tune/budget.h"
#include "tools/tune/event_json.h"
#include "tools/tune/progress_text.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

class LiveLine : public GatherObserver {
public:
    ~LiveLine() override { clear(); }
    void progress(const GatherProgress &p) override {
        std::string line =
            cut_to_width(progress_line(p) + "\n", static_cast<size_t>(columns(Stream::Error)));
        line.pop_back();
        clear();
        std::cerr << line << std::flush;
        is_shown_ = true;
    }
    void say(const std::string &text) override {
        clear();
        std::cerr << text << "\n";
    }

private:
    void clear() {
        if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
        is_shown_ = false;
    }
    bool is_shown_ = false;
};

class Lines : public GatherObserver {
public:
    void progress(const GatherProgress &p) override {
        if (p.pipeline == pipeline_ && p.doing != "done") return;
        pipeline_ = p.pipeline;
        std::cerr << progress_line(p) << std::endl;
    }
    void say(const std::string &text) override { std::cerr << text << std::endl; }

private:
    std::string pipeline_;
};

class JsonEvents : public GatherObserver {
public:
    void progress(const GatherProgress &p) override {
        write_event({{"event", "progress"},
                     {"pipeline", p.pipeline},
                     {"pipeline_number", p.pipeline_number},
                     {"pipelines", p.pipelines},
                     {"doing", p.doing},
                     {"samples", p.samples_in_this_run},
                     {"by_status", counts_json(p.by_status)},
                     {"samples_per_hour", p.samples_per_hour()},
                     {"spent_seconds", p.spent_seconds},
                     {"budget_seconds", p.budget_seconds},
                     {"budget_samples", p.budget_samples},
                     {"quiet", p.quiet}});
    }
    void sampled(const std::string &pipeline, const Sample &s) override {
        json event = sample_event(s);
        event["pipeline"] = pipeline;
        write_event(event);
    }
    void say(const std::string &text) override { write_event(message_event(text)); }
};

}  // namespace

std::string progress_line(const GatherProgress &p) {
    std::string line = std::to_string(p.pipeline_number) + " of " + std::to_string(p.pipelines) +
                       " " + p.pipeline + ": " + std::to_string(p.samples_in_this_run) + " samples";
    if (p.samples_in_this_run > 0)
        line += " (" + status_text(p.by_status) + "), " +
                std::to_string(std::llround(p.samples_per_hour())) + " an hour";
    line += "; " + duration_text(p.spent_seconds);
    if (p.budget_seconds > 0) line += " of " + duration_text(p.budget_seconds);
    if (p.budget_samples > 0) line += ", of " + std::to_string(p.budget_samples) + " samples";
    if (!p.quiet) line += "; busy with other work";
    return line + "; " + p.doing;
}

std::unique_ptr<GatherObserver> make_gather_observer(Show show) {
    switch (show) {
        case Show::Table: return std::make_unique<LiveLine>();
        case Show::Lines: return std::make_unique<Lines>();
        case Show::Json: return std::make_unique<JsonEvents>();
        case Show::Nothing: break;
    }
    return std::make_unique<GatherObserver>();
}

}  // namespace cryolite::tools

#include "tools/tune/observers.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/terminal.h"
#include "tools/tune/event_json.h"
#include "tools/tune/progress_text.h"
#include "tools/tune/standing_json.h"

namespace cryolite::tools {
namespace {

using nlohmann::json;

class LiveTable : public TuneObserver {
public:
    explicit LiveTable(std::string pipeline) : pipeline_(std::move(pipeline)) {}

    void progress(const TuneProgress &p) override {
        const std::string table =
            cut_to_width(progress_table(pipeline_, p), static_cast<size_t>(columns(Stream::Error)));
        std::cerr << up() << table << std::flush;
        lines_ = std::ranges::count(table, '\n');
    }
    void say(const std::string &text) override {
        std::cerr << up() << text << "\n";
        lines_ = 0;
    }

private:
    // Back to the first line of the table, and everything below it cleared.
    std::string up() const {
        return lines_ > 0 ? "\x1b[" + std::to_string(lines_) + "A\x1b[J" : "";
    }

    const std::string pipeline_;
    int64_t lines_ = 0;
};

class Lines : public TuneObserver {
public:
    void progress(const TuneProgress &p) override { std::cerr << progress_line(p) << std::endl; }
    void say(const std::string &text) override { std::cerr << text << std::endl; }
};

class JsonEvents : public TuneObserver {
public:
    void progress(const TuneProgress &p) override {
        write_event({{"event", "progress"},
                     {"doing", p.doing},
                     {"round", p.round},
                     {"tried", p.tried},
                     {"by_status", counts_json(p.by_status)},
                     {"best", standing_json(p.best)},
                     {"one_shot", standing_json(p.one_shot)},
                     {"plain", standing_json(p.plain)},
                     {"by_hand", standing_json(p.by_hand)},
                     {"rank_correlation", p.rank_correlation},
                     {"spent_seconds", p.spent_seconds},
                     {"budget_seconds", p.budget_seconds},
                     {"quiet", p.quiet}});
    }
    void sampled(const Sample &s) override {
        json event = sample_event(s);
        event["round"] = s.round;
        write_event(event);
    }
    void say(const std::string &text) override { write_event(message_event(text)); }
};

}  // namespace

Show usual_show() { return is_terminal(Stream::Error) ? Show::Table : Show::Lines; }

std::unique_ptr<TuneObserver> make_observer(Show show, const std::string &pipeline) {
    switch (show) {
        case Show::Table: return std::make_unique<LiveTable>(pipeline);
        case Show::Lines: return std::make_unique<Lines>();
        case Show::Json: return std::make_unique<JsonEvents>();
        case Show::Nothing: break;
    }
    return std::make_unique<TuneObserver>();
}

}  // namespace cryolite::tools

#include "plugin/trial/trial.h"

#include <algorithm>
#include <memory>

#include "base/child_call.h"

namespace cryolite {
namespace {

constexpr double wait_seconds = 0.02;  // between two looks at the children
// Of what a schedule may take: then the next one is tried beside it.
constexpr double alone_share = 1.0 / 3;

Trial trial_of(const ChildAnswer &answer) {
    switch (answer.outcome) {
        case ChildAnswer::Outcome::Answered:
            if (answer.text.empty()) return {Trial::Verdict::Taken, ""};
            return {Trial::Verdict::Refused, answer.text};
        case ChildAnswer::Outcome::Died:
            return {Trial::Verdict::Refused, "(its lowering crashed: " + answer.text + ")"};
        case ChildAnswer::Outcome::GivenUp: return {Trial::Verdict::GivenUp, ""};
        case ChildAnswer::Outcome::NotStarted: break;
    }
    return {};
}

class Race {
public:
    Race(size_t count, const Check &check, const TrialLimits &limits, const Prepare &prepare)
        : check_(check),
          prepare_(prepare),
          limits_(limits),
          end_(limits.deadline.earlier(-limits.starved_seconds)),
          lanes_(count) {
        result_.of.resize(count);
    }

    Trials run() {
        for (;;) {
            look();
            if (const auto best = first_open(); !best || is_taken(*best)) {
                if (best) result_.taken = *best;
                return std::move(result_);
            }
            if (end_.passed() || (limits_.deadline.passed() && !is_running())) {
                give_up_all();
                continue;
            }
            if (!limits_.deadline.passed() && should_start_next()) start_next();
            wait();
        }
    }

private:
    struct Lane {
        std::unique_ptr<ChildCall> call;
        Deadline alone;
    };

    bool is_taken(size_t i) const { return result_.of[i].verdict == Trial::Verdict::Taken; }
    bool is_open(size_t i) const {
        return is_taken(i) || result_.of[i].verdict == Trial::Verdict::NotTried;
    }
    // The best that has not failed.
    std::optional<size_t> first_open() const {
        for (size_t i = 0; i < lanes_.size(); i++)
            if (is_open(i)) return i;
        return std::nullopt;
    }

    bool is_running() const {
        return std::ranges::any_of(lanes_, [](const Lane &l) { return l.call != nullptr; });
    }

    void look() {
        for (size_t i = 0; i < next_; i++) {
            if (!lanes_[i].call || !lanes_[i].call->ended(0)) continue;
            const ChildAnswer answer = lanes_[i].call->answer();
            lanes_[i].call.reset();
            if (answer.outcome == ChildAnswer::Outcome::NotStarted) {
                const std::string refused = check_(i);
                result_.of[i] = {refused.empty() ? Trial::Verdict::Taken : Trial::Verdict::Refused,
                                 refused};
            } else {
                result_.of[i] = trial_of(answer);
            }
        }
    }

    // Nobody knows better of a schedule for which there was no time.
    void give_up_all() {
        look();
        for (size_t i = 0; i < lanes_.size(); i++) {
            lanes_[i].call.reset();
            if (result_.of[i].verdict == Trial::Verdict::NotTried)
                result_.of[i].verdict = Trial::Verdict::GivenUp;
        }
    }

    bool should_start_next() const {
        if (next_ == lanes_.size()) return false;
        size_t running = 0;
        bool all_slow = true;
        for (size_t i = 0; i < next_; i++) {
            if (is_taken(i)) return false;  // nothing that is worse will be wanted
            if (!lanes_[i].call) continue;
            running++;
            all_slow &= lanes_[i].alone.passed();
        }
        return running == 0 || (running == 1 && all_slow);
    }

    void start_next() {
        const size_t i = next_++;
        if (prepare_) prepare_(i);
        const double most = std::min(limits_.seconds_of_each, limits_.deadline.left());
        lanes_[i].alone = limits_.deadline.at_most(most * alone_share);
        // Whole seconds are what a process can be limited to, rounded up.
        const double share = std::max(1.0, limits_.deadline.left() - 1);
        lanes_[i].call = std::make_unique<ChildCall>([this, i] { return check_(i); },
                                                     std::min(limits_.seconds_of_each, share));
    }

    void wait() {
        for (size_t i = 0; i < next_; i++)
            if (lanes_[i].call) {
                lanes_[i].call->ended(std::min(wait_seconds, end_.left()));
                return;
            }
    }

    const Check &check_;
    const Prepare &prepare_;
    const TrialLimits &limits_;
    const Deadline end_;
    std::vector<Lane> lanes_;
    size_t next_ = 0;
    Trials result_;
};

}  // namespace

Trials try_schedules(size_t count, const Check &check, const TrialLimits &limits,
                     const Prepare &prepare) {
    return Race(count, check, limits, prepare).run();
}

}  // namespace cryolite

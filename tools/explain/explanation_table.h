// An explanation as text for people.
#pragma once

#include <string>
#include <vector>

#include "analytical/explain/explanation.h"
#include "base/result.h"

namespace cryolite::tools {

struct Shown {
    std::string stage =
        {};                 // only this stage ("blur_x.s0"), or the stages of this Func; empty: all
    bool features = false;  // those that are not 0
    int columns =
        0;  // of the terminal: the table of terms is made to fit; 0: it may be as wide as it is
};

// A unit for times up to `largest` seconds, and the digits of one.
class TimeUnit {
public:
    explicit TimeUnit(double largest_seconds);
    const std::string &name() const { return name_; }
    std::string number(double seconds) const;  // without the unit
    std::string signed_number(double seconds) const;
    std::string text(double seconds) const { return number(seconds) + " " + name_; }

private:
    std::string name_;
    double seconds_;
};

// "16777216", "1.235e-06": whole numbers in full, of others the digits that people read.
std::string readable(double value);

// Whose numbers they are: pipeline, target, machine, predicted time.
std::string heading(const Explanation &explanation);

// What a schedule by hand and its import do not share, a line each under a head line. Empty for other schedules.
std::string difference_lines(const Explanation &explanation);

// A line of the loop nest each, with the stage whose body it is, or "".
struct NestLine {
    std::string text, stage;
};
std::vector<NestLine> nest_lines(const Explanation &explanation);

// The names of the stages that `shown` asks for, the slowest first. Errors: there is none, with what
// there is.
Result<std::vector<const ExplainedStage *>> shown_stages(const Explanation &explanation,
                                                         const Shown &shown);

// Loops with predicted times, stages by terms, and what `shown` asks for. Errors: no such stage.
Result<std::string> explanation_table(const Explanation &explanation, const Shown &shown);

}  // namespace cryolite::tools

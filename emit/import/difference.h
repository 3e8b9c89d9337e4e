// What an imported schedule does not share with the one that it was imported from.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"

namespace cryolite {

struct ScheduleDifference {
    enum class Kind : uint8_t {
        LeftOut,       // the directive has no place in our space
        Approximated,  // it has its nearest legal form
        Tail           // the end of a split is computed in another way
    };
    Kind kind = Kind::LeftOut;
    FuncId func;
    std::string where;      // "rows", or of one stage "rows.s1"
    std::string directive;  // "vectorize(c)"
    std::string what;       // what became of it
};

inline const char *name(ScheduleDifference::Kind kind) {
    switch (kind) {
        case ScheduleDifference::Kind::LeftOut: return "left_out";
        case ScheduleDifference::Kind::Approximated: return "approximated";
        case ScheduleDifference::Kind::Tail: break;
    }
    return "tail";
}

// "rows.s0: vectorize(c): a second vector loop; unrolled instead"
inline std::string to_text(const ScheduleDifference &d) {
    return d.where + ": " + d.directive + ": " + d.what;
}

using ScheduleDifferences = std::vector<ScheduleDifference>;

// Adds differences of one Func or stage.
class DifferenceNotes {
public:
    DifferenceNotes(ScheduleDifferences &all, FuncId func, std::string where)
        : all_(&all), func_(func), where_(std::move(where)) {}

    void left_out(std::string directive, std::string what) {
        add(ScheduleDifference::Kind::LeftOut, std::move(directive), std::move(what));
    }
    void approximated(std::string directive, std::string what) {
        add(ScheduleDifference::Kind::Approximated, std::move(directive), std::move(what));
    }
    void tail(std::string directive, std::string what) {
        add(ScheduleDifference::Kind::Tail, std::move(directive), std::move(what));
    }

private:
    void add(ScheduleDifference::Kind kind, std::string directive, std::string what) {
        all_->push_back({kind, func_, where_, std::move(directive), std::move(what)});
    }

    ScheduleDifferences *all_;
    FuncId func_;
    std::string where_;
};

}  // namespace cryolite

// What one state of a beam has found out about the loops of a Func, place by place, for the other states.
//
// The states of a beam are much alike, and so are the loops that suit a Func at one place in all of them. So only the
// first state that can place the Func there, a better one than all that follow, tries all tilings. The others try the
// best of these, and fewer of their own. They cost less to expand, and what one state finds is found for all.
#pragma once

#include <cstddef>
#include <vector>

#include "search/space/placements.h"

namespace cryolite {

// Loops that were tried, and the predicted time of the state that has them.
struct TriedLoops {
    std::vector<Action> how;
    double seconds;
};

class PlaceLessons {
public:
    bool knows(const PlacementActions &where) const { return find(where) != nullptr; }
    // The first lesson of a place holds.
    void learn(const PlacementActions &where, std::vector<TriedLoops> tried);
    // The best loops that were tried there, the best first. The place must be known.
    const std::vector<std::vector<Action>> &best(const PlacementActions &where) const;

private:
    struct Lesson {
        PlacementActions where;
        std::vector<std::vector<Action>> best;
    };
    const Lesson *find(const PlacementActions &where) const;

    std::vector<Lesson> lessons_;  // a few dozen
};

// Adds the loops of a lesson to those that were drawn, each once.
void add_lesson(const std::vector<std::vector<Action>> &best,
                std::vector<std::vector<Action>> &shapes);

}  // namespace cryolite

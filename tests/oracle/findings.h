// The text of what a check has found.
#pragma once

#include <sstream>
#include <string>

#include "schedule/loop_nest.h"

namespace cryolite::oracle {

inline std::ostream &operator<<(std::ostream &out, const Box &box) {
    for (size_t d = 0; d < box.size(); d++)
        out << (d == 0 ? "[" : ", ") << box[d].min << ".." << box[d].max;
    return out << "]";
}

class Findings {
public:
    // What the room says against what was counted.
    template <typename Said, typename Counted>
    void expect(bool holds, const std::string &where, const Said &said, const Counted &counted) {
        if (holds) return;
        std::ostringstream line;
        line << where << ": said " << said << ", counted " << counted << "\n";
        text_ += line.str();
    }
    std::string text() const { return text_; }

private:
    std::string text_;
};

// As in a trace: f1.s0 x.1
inline std::string describe(const StageGraph &graph, StageId s) {
    return graph.func_of(s).name + ".s" + std::to_string(graph.stage(s).index);
}
inline std::string describe(const StageGraph &graph, LoopName loop) {
    return describe(graph, loop.stage) + " " +
           graph.stage(loop.stage).loops[static_cast<size_t>(loop.dim)].name + "." +
           std::to_string(loop.level);
}

inline bool contains(const Box &outer, const Box &inner) {
    for (size_t d = 0; d < outer.size(); d++)
        if (!outer[d].contains(inner[d])) return false;
    return true;
}

inline Box joined(Box a, const Box &b) {
    if (a.empty()) return b;
    if (!b.empty()) grow_to_hull(a, b);
    return a;
}

}  // namespace cryolite::oracle

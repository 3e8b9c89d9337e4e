// Small pipelines in our own words that do what pipelines in reports about autoschedulers did when
// those crashed, ran out of memory or time, or scheduled wrongly. A file per theme.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/robustness/subject.h"

namespace cryolite::robustness {

struct Entry {
    std::string name;
    std::string about;  // what it is there for; numbers are issues of halide/Halide
    std::function<void(Subject &)> make;
    // What Halide says where it refuses schedules of it that look like any others: the plain one may then have to do.
    // Empty: it must not.
    std::string known_refusal = {};
};

std::vector<Entry> reductions();
std::vector<Entry> chains();
std::vector<Entry> fans();
std::vector<Entry> indirect_loads();
std::vector<Entry> sizes();
std::vector<Entry> updates();
std::vector<Entry> predicates();
std::vector<Entry> hand_schedules();
std::vector<Entry> partial_places();
std::vector<Entry> partial_directives();
std::vector<Entry> extern_stages();
std::vector<Entry> types();
std::vector<Entry> networks();
std::vector<Entry> pyramids();

struct GraphImage {
    int width = 640, height = 480;
};
// Random graphs, long chains and sort networks.
std::vector<Entry> graphs(GraphImage image);
// The same with hundreds of Funcs: minutes of compiling.
std::vector<Entry> large_graphs(GraphImage image);

struct Theme {
    std::string name;
    std::vector<Entry> entries;
    // Of pipelines of which the user has scheduled a part.
    bool has_user_schedules = false;
};
// All but the large graphs.
std::vector<Theme> corpus(GraphImage image);

}  // namespace cryolite::robustness

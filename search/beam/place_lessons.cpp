#include "search/beam/place_lessons.h"

#include <algorithm>

namespace cryolite {
namespace {

// One in so many of what was tried is worth trying again. With one in four or in two the search takes longer and finds
// nothing better.
constexpr size_t best_of = 8;

}  // namespace

const PlaceLessons::Lesson *PlaceLessons::find(const PlacementActions &where) const {
    const auto lesson = std::ranges::find(lessons_, where, &Lesson::where);
    return lesson == lessons_.end() ? nullptr : &*lesson;
}

void PlaceLessons::learn(const PlacementActions &where, std::vector<TriedLoops> tried) {
    if (knows(where)) return;
    std::ranges::stable_sort(tried, {}, &TriedLoops::seconds);
    tried.resize(std::min(tried.size(), (tried.size() + best_of - 1) / best_of));
    Lesson lesson{where, {}};
    for (TriedLoops &t : tried) lesson.best.push_back(std::move(t.how));
    lessons_.push_back(std::move(lesson));
}

const std::vector<std::vector<Action>> &PlaceLessons::best(const PlacementActions &where) const {
    return find(where)->best;
}

void add_lesson(const std::vector<std::vector<Action>> &best,
                std::vector<std::vector<Action>> &shapes) {
    for (const std::vector<Action> &how : best)
        if (std::ranges::find(shapes, how) == shapes.end()) shapes.push_back(how);
}

}  // namespace cryolite

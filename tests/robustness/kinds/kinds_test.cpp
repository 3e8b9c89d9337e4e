// The list of the halves fits the kinds, and the cheapest kinds get schedules that compute the right values.
// kinds_long_test has all kinds and the schedules by hand.
#include <algorithm>
#include <set>

#include "tests/robustness/expect_sound.h"
#include "tests/robustness/kinds/kinds.h"

namespace cryolite::robustness {
namespace {

size_t count_by_hand(const Theme &theme, bool is_aside) {
    return static_cast<size_t>(
        std::count_if(theme.entries.begin(), theme.entries.end(), [&](const Entry &entry) {
            Subject subject;
            entry.make(subject);
            return subject.hand_schedule && is_set_aside(entry.name) == is_aside;
        }));
}

TEST(KindsHalves, HoldEveryKindOnce) {
    std::vector<Halves> listed = halves();
    const std::vector<Theme> themes = kinds();
    ASSERT_EQ(listed.size(), themes.size());
    std::set<std::string> all_names;
    for (size_t i = 0; i < themes.size(); i++) {
        EXPECT_EQ(listed[i].theme, themes[i].name);
        std::multiset<std::string> expected, found(listed[i].open.begin(), listed[i].open.end());
        found.insert(listed[i].set_aside.begin(), listed[i].set_aside.end());
        for (const Entry &entry : themes[i].entries) expected.insert(entry.name);
        EXPECT_EQ(found, expected) << themes[i].name;
        EXPECT_EQ(listed[i].open.size(), listed[i].set_aside.size()) << themes[i].name;
        for (const std::string &name : found) EXPECT_TRUE(all_names.insert(name).second) << name;
    }
    for (const Theme &theme : corpus(small_image))
        for (const Entry &entry : theme.entries)
            EXPECT_TRUE(all_names.insert(entry.name).second) << entry.name;
}

TEST(KindsHalves, HaveAboutEquallyManySchedulesByHand) {
    size_t open = 0, set_aside = 0;
    for (const Theme &theme : kinds()) {
        open += count_by_hand(theme, false);
        set_aside += count_by_hand(theme, true);
    }
    EXPECT_GE(open + set_aside, 20u);
    EXPECT_LE(std::max(open, set_aside) - std::min(open, set_aside), 2u)
        << open << " " << set_aside;
}

TEST(Kinds, ThatAreCheapestGetLegalSchedulesAndTheRightValues) {
    warm_up();
    const std::set<std::string> cheapest = {"squeeze_and_excite", "batched_products",
                                            "ellpack_product",    "time_warping",
                                            "quarter_turn",       "recurrent_cell"};
    for (const Theme &theme : kinds())
        for (const Entry &entry : theme.entries)
            if (cheapest.count(entry.name) > 0) expect_sound(entry);
}

}  // namespace
}  // namespace cryolite::robustness

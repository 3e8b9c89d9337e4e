"""The figures by which a learned model is compared with the analytical one."""

import math
import unittest

from bench.harness import learned_quality
from bench.harness.learned_quality import Group

MEASURED = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


def group(pipeline, analytical, learned, archive="here"):
    return Group(archive, pipeline, MEASURED, analytical, learned)


class LearnedQualityTest(unittest.TestCase):
    def test_a_scale_that_all_schedules_share_explains_nothing_away(self):
        scaled = [7 * seconds for seconds in MEASURED]
        self.assertAlmostEqual(learned_quality.explained_share([(scaled, MEASURED)]), 1)
        constant = [3.0] * len(MEASURED)
        self.assertAlmostEqual(learned_quality.explained_share([(constant, MEASURED)]), 0)
        self.assertTrue(math.isnan(learned_quality.explained_share([([1.0], [2.0])])))

    def test_both_models_are_judged_by_the_same_schedules(self):
        groups = [group("a", MEASURED[::-1], MEASURED), group("b", MEASURED, MEASURED)]
        before = learned_quality.quality(groups, lambda g: g.analytical)
        after = learned_quality.quality(groups, lambda g: g.learned)
        self.assertEqual((before.groups, after.groups), (2, 2))
        self.assertAlmostEqual(before.spearman, 0)
        self.assertAlmostEqual(before.pick, math.sqrt(6))
        self.assertEqual((after.pick, after.top_pick, after.recall), (1, 1, 1))
        self.assertAlmostEqual(after.r2, 1)

    def test_pipelines_that_change_are_named(self):
        groups = [
            group("better", MEASURED[::-1], MEASURED),
            group("same", MEASURED, MEASURED),
            group("worse", MEASURED, MEASURED[::-1]),
        ]
        self.assertEqual(learned_quality.changed_pipelines(groups), (["better"], ["worse"]))

    def test_small_groups_are_left_out(self):
        small = Group("here", "small", (1.0, 2.0), (1.0, 2.0), (1.0, 2.0))
        whole = group("whole", MEASURED, MEASURED)
        self.assertEqual(learned_quality.large_enough([small, whole]), [whole])


if __name__ == "__main__":
    unittest.main()

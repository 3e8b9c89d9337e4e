"""The figures by which a cost model is judged."""

import unittest

from bench.harness import ranking


class RankingTest(unittest.TestCase):
    def test_the_picks_are_judged_by_their_measured_times(self):
        predicted = [5, 1, 2, 3, 4, 6, 7]
        measured = [20, 40, 30, 25, 50, 10, 60]
        ranked = ranking.rank(predicted, measured, search_at=0)
        self.assertEqual(ranked.count, 7)
        self.assertEqual(ranked.pick, 4)
        self.assertEqual(ranked.top_pick, 2)
        # Of the fastest five, 10, 20, 25, 30 and 40, the first is not among the five predictions.
        self.assertAlmostEqual(ranked.recall, 4 / 5)
        self.assertEqual(ranked.search, 2)
        self.assertEqual(ranked.median, 3)
        self.assertAlmostEqual(ranked.p10, 1.6)
        self.assertAlmostEqual(ranked.p90, 5.4)
        self.assertAlmostEqual(ranked.scale, 7 / 60)

    def test_a_perfect_model_has_no_regret(self):
        measured = [3.0, 1.0, 2.0]
        ranked = ranking.rank(measured, measured)
        self.assertEqual((ranked.pick, ranked.top_pick, ranked.recall), (1, 1, 1))
        self.assertAlmostEqual(ranked.spearman, 1)
        self.assertIsNone(ranked.search)

    def test_what_was_measured_twice_says_how_sure_a_rank_is(self):
        measured = [3.0, 1.0, 2.0, 4.0, 5.0, 6.0, 7.0, 8.0]
        twice = [(time, -time) for time in measured]
        self.assertAlmostEqual(ranking.rank(measured, measured, repeated=twice).repeat, -1)
        self.assertIsNone(ranking.rank(measured, measured, repeated=twice[1:]).repeat)

    def test_means_leave_out_what_has_no_meaning(self):
        rankings = [
            ranking.rank([1, 2], [2, 1]),
            ranking.rank([1, 1], [1, 8]),
            ranking.rank([1, 2], [1, 2], search_at=1),
        ]
        self.assertAlmostEqual(ranking.median(rankings, "spearman"), 0)
        self.assertIsNone(ranking.geometric_mean(rankings, "spearman"))
        self.assertAlmostEqual(ranking.geometric_mean(rankings, "pick"), 2 ** (1 / 3))
        self.assertEqual(ranking.geometric_mean(rankings, "search"), 2)
        self.assertIsNone(ranking.median([], "pick"))


if __name__ == "__main__":
    unittest.main()

"""Who is to blame for a loss, on made-up explanations."""

import math
import unittest

from bench.harness import blame
from bench.harness.blame import MODEL, SEARCH, SPACE, Case
from bench.harness.robust import Ratio
from bench.harness.tests.explanations import read_made_up

LEFT_OUT = ["b: compute_with(a, y): in loops of its own"]


def exactly(ratio):
    return Ratio(ratio, ratio, ratio)


def case(ours, by_hand, measured=2.0, imported=None, differences=(), algorithm="0123"):
    """Of predictions in ms, all of it arithmetic in one stage."""
    return Case(
        "app", read_made_up({"output.s0": (ours, 0, 0)}),
        read_made_up({"output.s0": (by_hand, 0, 0)}, algorithm, differences),
        exactly(measured) if measured else None, exactly(imported) if imported else None,
    )  # fmt: skip


def kinds(of):
    return [(part.kind, part.sure) for part in blame.blame(of)]


class LossTest(unittest.TestCase):
    def test_a_loss_is_beyond_the_noise(self):
        self.assertTrue(case(1, 1, 1.11).is_loss)
        self.assertFalse(case(1, 1, 1.09).is_loss)
        self.assertFalse(case(1, 1, None).is_loss)
        noisy = Case("app", None, None, Ratio(1.3, 0.98, 1.5))
        self.assertFalse(noisy.is_loss)

    def test_a_search_loss_is_told_by_predictions(self):
        self.assertTrue(case(1.04, 1, None).is_search_loss)
        self.assertFalse(case(1.02, 1, None).is_search_loss)


class BlameTest(unittest.TestCase):
    def test_an_import_that_is_as_slow_as_ours_is_the_spaces(self):
        parts = blame.blame(case(1, 1, 2, imported=1.95, differences=LEFT_OUT))
        self.assertEqual([part.kind for part in parts], [SPACE])
        self.assertIn("compute_with of b", parts[0].evidence)
        self.assertIn("1.95x", parts[0].evidence)

    def test_an_import_that_is_predicted_and_runs_faster_is_the_searchs(self):
        self.assertEqual(kinds(case(1.5, 1, 2, imported=1)), [(SEARCH, True)])

    def test_an_import_that_is_predicted_slower_and_runs_faster_is_the_models(self):
        self.assertEqual(kinds(case(1, 1.5, 2, imported=1)), [(MODEL, True)])

    def test_an_import_that_is_predicted_faster_and_is_not_is_the_spaces(self):
        self.assertEqual(kinds(case(1.5, 1, 2, imported=2.2)), [(SPACE, True)])

    def test_a_loss_of_two_factors_has_two_parts_the_larger_first(self):
        found = case(1, 1, 3, imported=1.4, differences=LEFT_OUT)
        self.assertEqual(kinds(found), [(MODEL, True), (SPACE, True)])
        found = case(1, 1, 3, imported=2, differences=LEFT_OUT)
        self.assertEqual(kinds(found), [(SPACE, True), (MODEL, True)])

    def test_every_loss_has_somebody_to_blame(self):
        for measured in (1.11, 1.5, 7):
            for imported in (None, 0.5, 1, 1.05, 2, 20):
                for ours in (0.2, 1, 5):
                    for differences in ((), LEFT_OUT):
                        parts = blame.blame(case(ours, 1, measured, imported, differences))
                        self.assertTrue(parts)
                        self.assertTrue(all(part.evidence for part in parts))

    def test_a_faithful_import_that_is_slow_says_what_else_differs(self):
        tails = ["output.s0: tails of splits: y by 2 GuardWithIf, here RoundUp"]
        (part,) = blame.blame(case(1, 1, 2, imported=2, differences=tails))
        self.assertEqual(part.kind, SPACE)
        self.assertIn("tails of splits", part.evidence)

    def test_without_the_imports_time_what_is_left_out_may_be_the_model(self):
        found = case(1, 1.5, 2, differences=LEFT_OUT)
        self.assertEqual(kinds(found), [(SPACE, True), (MODEL, False)])
        self.assertEqual(kinds(case(1, 1.5, 2)), [(MODEL, True)])
        self.assertEqual(kinds(case(1.5, 1, 2, differences=LEFT_OUT)), [(SEARCH, True)])

    def test_no_search_finds_funcs_that_are_not_there(self):
        found = Case(
            "app", read_made_up({"output.s0": (2, 0, 0)}),
            read_made_up({"output.s0": (1, 0, 0), "sum_intm.s0": (0, 0, 0)}, "4567"), exactly(2),
        )  # fmt: skip
        (part,) = blame.blame(found)
        self.assertEqual((part.kind, part.evidence), (SPACE, "rfactor makes sum_intm"))


class SuspectsTest(unittest.TestCase):
    def test_the_term_that_makes_the_faster_one_slow_is_named(self):
        ours = read_made_up({"a.s0": (1, 1, 1), "b.s0": (1, 1, 1)})
        by_hand = read_made_up({"a.s0": (1, 3, 1), "b.s0": (1, 2, 1.5)})
        first, second = blame.suspects(ours, by_hand, 1.1)
        self.assertEqual((first.term, first.stage), ("l1_loads", "a.s0"))
        self.assertAlmostEqual(first.seconds, 3e-3)
        self.assertAlmostEqual(first.stage_seconds, 2e-3)
        self.assertEqual((second.term, second.stage), ("memory_loads", "b.s0"))
        scale = math.sqrt(6e-3 * 9.5e-3)
        mistake = 3.5e-3 + scale * (1.1**0.5 - 1.1**-0.5)
        self.assertAlmostEqual(first.share, 3e-3 / mistake)

    def test_work_that_moved_to_another_stage_is_no_suspect(self):
        ours = read_made_up({"a.s0": (5, 1, 1)})
        by_hand = read_made_up({"a.s0": (1, 1, 1), "b.s0": (4, 0.5, 0)})
        (suspect,) = blame.suspects(ours, by_hand, 1.1)
        self.assertEqual((suspect.term, suspect.stage), ("l1_loads", "b.s0"))

    def test_where_prices_are_alike_the_overlap_is_suspect(self):
        ours = read_made_up({"a.s0": (1, 1, 1)}, hidden={"a.s0": (0, 2, 0)})
        by_hand = read_made_up({"a.s0": (1.1, 0.9, 1)}, hidden={"a.s0": (0, 0.5, 0)})
        price, hidden = blame.suspects(ours, by_hand, 2)
        self.assertEqual((price.term, price.hidden), ("compute", False))
        self.assertEqual((hidden.term, hidden.hidden), ("l1_loads", True))
        self.assertAlmostEqual(hidden.seconds, 1.5e-3)

    def test_a_right_prediction_has_none(self):
        ours = read_made_up({"a.s0": (2, 1, 1)})
        by_hand = read_made_up({"a.s0": (1, 1, 0)})
        self.assertEqual(blame.suspects(ours, by_hand, 2), [])

    def test_a_model_that_believes_too_little_of_ours_is_wrong_as_well(self):
        ours = read_made_up({"a.s0": (1, 4, 1)})
        by_hand = read_made_up({"a.s0": (1, 1, 1)})
        found = Case("app", ours, by_hand, exactly(0.8))
        self.assertLess(found.log_error, 0)
        self.assertEqual(blame.suspects_of(found)[0].term, "l1_loads")

    def test_the_import_is_what_the_model_is_judged_by(self):
        found = case(1, 1, 3, imported=1.5)
        self.assertAlmostEqual(found.judged, 2)
        self.assertAlmostEqual(found.log_error, math.log(2))


if __name__ == "__main__":
    unittest.main()

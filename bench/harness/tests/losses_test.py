"""Manual schedules beside ours over stand-ins: predictions are asked for once, and what was predicted is what
runs."""

import contextlib
import io
import tempfile
import unittest

from bench.harness import loss_report
from bench.harness.explanation import Explainer
from bench.harness.losses import Losses, LossesOptions
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import RoundOptions
from bench.harness.tests.explanations import made_up
from bench.harness.tests.stand_ins import StandIns

LIMITS = Limits(seconds=30, memory_mb=1024)


def predicted(milliseconds, trace="", **more):
    return made_up({"output.s0": (milliseconds, 0, 0)}, trace=trace, **more)


class LossesTest(unittest.TestCase):
    """The second word of a trace is its measured time; the manual schedule takes a millisecond."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stand_ins = StandIns(folder.name, apps=["one"])

    def losses(self, ours, by_hand):
        self.stand_ins.set_answers(explain={"one_shot": ours, "as_scheduled": by_hand})
        results = self.stand_ins.folder / "results"
        explainer = Explainer(self.stand_ins.tools, "host", 2, results / "explanations")
        options = LossesOptions(RoundOptions(rounds=2, limits=LIMITS), LIMITS, jobs=2)
        return Losses(self.stand_ins.tools, explainer, "host", options, results, Progress())

    def compare(self, ours, by_hand, measure=True):
        with contextlib.redirect_stderr(io.StringIO()):
            losses = self.losses(ours, by_hand)
            comparisons = losses.predict(self.stand_ins.apps)
            if measure:
                comparisons = list(losses.measure(self.stand_ins.apps, comparisons))
        path = self.stand_ins.folder / "results.csv"
        loss_report.write_csv(comparisons, path)
        self.rows = path.read_text(encoding="utf-8").splitlines()
        self.text = "\n".join(loss_report.markdown(comparisons, ["about"], []))
        self.assertTrue(loss_report.text(comparisons) or not comparisons[0].predicted)
        return comparisons[0]

    def test_ours_the_import_and_the_manual_schedule_run_by_turns(self):
        one = self.compare(predicted(1, "ours 0.002"), predicted(2, "import 0.001"))
        self.assertAlmostEqual(one.case.measured.centre, 2)
        self.assertAlmostEqual(one.case.imported.centre, 1)
        self.assertAlmostEqual(one.case.predicted, 0.5)
        self.assertEqual(one.checks() + one.notes(), [])
        self.assertIn("| one | 2.00 (2.00 to 2.00) | 1.00 (1.00 to 1.00) | 0.50 | model |", self.text)
        self.assertIn("above 1.5: 1, above 1.25: 1; losses: 1 (space 0, search 0, model 1)", self.text)
        self.assertEqual(len(self.rows), 2)

    def test_predictions_alone_run_nothing(self):
        one = self.compare(predicted(2, "ours 0.002"), predicted(1, "import 0.001"), measure=False)
        self.assertIsNone(one.case.measured)
        self.assertEqual(
            self.stand_ins.calls(), ["explain one as_scheduled", "explain one one_shot"]
        )
        self.assertIn("search losses: 1;", self.text)
        self.assertIn("| one | 2.00 | 2.00 | 1.00 | - | yes |", self.text)

    def test_a_second_run_asks_and_measures_nothing(self):
        answers = (predicted(1, "ours 0.002"), predicted(2, "import 0.001"))
        first = self.compare(*answers)
        self.stand_ins.calls()
        self.assertEqual(self.compare(*answers), first)
        self.assertEqual(self.stand_ins.calls(), [])

    def test_an_import_with_funcs_of_its_own_has_no_time(self):
        by_hand = made_up(
            {"output.s0": (1, 0, 0), "sum_intm.s0": (0, 0, 0)}, algorithm="4567", trace="import 0.001"
        )
        one = self.compare(predicted(2, "ours 0.002"), by_hand)
        self.assertIsNone(one.case.imported)
        self.assertIn("| space | space: rfactor makes sum_intm |", self.text)
        self.assertIn("| no: rfactor makes sum_intm |", self.text)
        self.assertIn("search losses: 0, and 1 by Funcs", self.text)

    def test_an_app_without_a_manual_schedule_is_a_note(self):
        said = "Error: mode=as_scheduled finds no schedule by hand: say more"
        one = self.compare(predicted(1, "ours 0.002"), said)
        self.assertEqual((one.case, one.checks(), len(one.notes())), (None, [], 1))

    def test_a_missing_schedule_of_ours_fails_the_run(self):
        one = self.compare(None, predicted(1))
        self.assertEqual((len(one.checks()), one.notes()), (1, []))

    def test_a_missing_import_fails_the_run(self):
        one = self.compare(predicted(1), "Error: the import is broken")
        self.assertEqual((len(one.checks()), one.notes()), (1, []))

    def test_a_wrong_output_of_ours_fails_the_run(self):
        one = self.compare(predicted(1, "ours 0.002 wrong"), predicted(1, "import 0.001"))
        self.assertEqual(len(one.checks()), 1)

    def test_a_wrong_output_of_the_import_fails_the_run(self):
        one = self.compare(predicted(1, "ours 0.002"), predicted(1, "import 0.001 wrong"))
        self.assertEqual(len(one.checks()), 1)

    def test_an_import_that_halide_refuses_is_a_note(self):
        one = self.compare(predicted(1, "ours 0.002"), predicted(1, "uncompilable 0.001"))
        self.assertEqual((len(one.checks()), len(one.notes())), (0, 1))
        self.assertIsNone(one.case.imported)
        self.assertAlmostEqual(one.case.measured.centre, 2)


if __name__ == "__main__":
    unittest.main()

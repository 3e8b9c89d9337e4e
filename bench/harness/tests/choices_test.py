"""Old choices against new ones, over stand-ins: what differs is measured by turns and once."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from bench.harness import choices, processes
from bench.harness.probe import Probe
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import RoundOptions
from bench.harness.tests.stand_ins import StandIns

LIMITS = Limits(seconds=30, memory_mb=1024)


class ChoicesTest(unittest.TestCase):
    """A trace's text is its predicted and its measured time."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (Path(folder.name) / "old").mkdir()
        self.old = StandIns(Path(folder.name) / "old", apps=["one"])
        self.new = StandIns(folder.name, apps=["one"])

    def compare(self, old, new, old_algorithm="0123"):
        for stand_ins, trace, algorithm in ((self.old, old, old_algorithm), (self.new, new, "0123")):
            search = {"full": {"trace": trace}} if trace else {}
            stand_ins.set_answers(search=search, algorithm=algorithm)
        results = self.new.folder / "results"
        comparer = choices.Choices(
            self.new.tools, Probe(self.old.tools, "host", 2, results / "reports" / "old"),
            Probe(self.new.tools, "host", 2, results / "reports" / "new"), "host",
            choices.ChoicesOptions(RoundOptions(rounds=2, limits=LIMITS), LIMITS), results,
            Progress(),
        )  # fmt: skip
        with contextlib.redirect_stderr(io.StringIO()):
            (comparison,) = comparer.run(self.new.apps)
        choices.write_csv([comparison], self.new.folder)
        self.assertEqual(len(choices.table([comparison])), 3)
        return comparison

    def test_choices_that_differ_are_measured_in_rounds(self):
        comparison = self.compare("0.4 0.006", "0.2 0.002")
        self.assertAlmostEqual(comparison.speedup, 3)
        self.assertAlmostEqual(comparison.predicted_speedup, 2)
        self.assertEqual((len(comparison.old.samples), len(comparison.new.samples)), (2, 2))
        self.assertEqual(comparison.checks() + comparison.notes(), [])
        self.assertIn("another schedule for 1", choices.summary([comparison]))

    def test_they_are_measured_once(self):
        first = self.compare("0.4 0.006", "0.2 0.002")
        self.new.calls()
        second = self.compare("0.4 0.006", "0.2 0.002")
        self.assertEqual((first.old, first.new), (second.old, second.new))
        self.assertEqual([c for c in self.new.calls() if not c.startswith("ask ")], [])
        self.assertAlmostEqual(self.compare("0.4 0.006", "0.2 0.004").speedup, 1.5)

    def test_the_same_choice_is_not_compiled(self):
        comparison = self.compare("0.4 0.006", "0.4 0.006")
        self.assertTrue(comparison.same)
        self.assertEqual(comparison.speedup, 1)
        self.assertEqual([c for c in self.new.calls() if not c.startswith("ask ")], [])
        self.assertIn("another schedule for 0", choices.summary([comparison]))

    def test_an_old_choice_that_is_refused_today_is_a_note(self):
        comparison = self.compare("refused 0.006", "0.2 0.002")
        self.assertIsNone(comparison.speedup)
        self.assertEqual((len(comparison.checks()), len(comparison.notes())), (0, 1))

    def test_a_new_choice_that_is_wrong_fails_the_run(self):
        comparison = self.compare("0.4 0.006", "0.2 0.002 wrong")
        self.assertEqual(comparison.new.kind, processes.WRONG)
        self.assertEqual((len(comparison.checks()), len(comparison.notes())), (1, 0))

    def test_an_old_choice_that_is_wrong_does_not(self):
        comparison = self.compare("0.4 0.006 wrong", "0.2 0.002")
        self.assertEqual((len(comparison.checks()), len(comparison.notes())), (0, 1))

    def test_another_algorithm_is_not_compared(self):
        comparison = self.compare("0.4 0.006", "0.2 0.002", old_algorithm="4567")
        self.assertIsNone(comparison.speedup)
        self.assertEqual(len(comparison.notes()), 1)

    def test_a_search_without_an_answer_is_said(self):
        comparison = self.compare("0.4 0.006", "")
        self.assertEqual(len(comparison.checks()), 1)
        comparison = self.compare("", "0.2 0.002")
        self.assertEqual((len(comparison.checks()), len(comparison.notes())), (0, 1))


if __name__ == "__main__":
    unittest.main()

"""One shot against mode=top_k over stand-ins: ratios, what is the same, and who failed."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from bench.harness import top_k
from bench.harness.compile import CompiledVariant
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import MeasuredVariant, RoundOptions
from bench.harness.schedulers import OURS, ROOT
from bench.harness.tests.stand_ins import StandIns

NAMES = (ROOT, OURS, top_k.TOP_K)


class OutcomeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def outcome(self, objects, samples, seconds=(1, 2, 9)):
        variants = {}
        for name, text, taken in zip(NAMES, objects, seconds):
            file = self.folder / f"{name}.o"
            file.write_text(text)
            variants[name] = CompiledVariant("app", name, object_file=file, process_seconds=taken)
        measured = {name: MeasuredVariant(list(s)) for name, s in zip(NAMES, samples)}
        return top_k.outcome_of("app", variants, measured)

    def test_ratios_are_those_within_a_round(self):
        # A third round in which everything takes ten times as long changes none.
        rounds = [[[8.0], [8.0], [80.0]], [[4.0], [4.0, 5.0], [40.0]], [[3.0, 9.0], [3.0], [30.0]]]
        found = self.outcome(["plain", "first", "second"], rounds)
        self.assertEqual(found.failure, "")
        self.assertFalse(found.same)
        self.assertAlmostEqual(found.to_one_shot.centre, 0.75)
        self.assertAlmostEqual(found.to_plain.centre, 0.375)
        self.assertAlmostEqual(found.takes, 4.5)
        self.assertAlmostEqual(found.one_shot_ms, 4000)

    def test_the_same_code_is_as_fast_whatever_the_clock_says(self):
        found = self.outcome(["plain", "first", "first"], [[[8.0]], [[4.0]], [[5.0]]])
        self.assertTrue(found.same)
        self.assertEqual(found.to_one_shot.centre, 1)
        self.assertIn("same", top_k.table([found])[-1])

    def test_the_summary_names_who_lost(self):
        slower = self.outcome(["plain", "first", "second"], [[[4.5]], [[4.0]], [[5.0]]])
        text = "\n".join(top_k.summary([slower]))
        self.assertIn("than one shot: app; slower than the plain schedule: app", text)
        self.assertIn("1 apps, 1 with another schedule", text)


class ComparisonTest(unittest.TestCase):
    def compare(self, **stand_ins):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        programs = StandIns(folder.name, apps=["one"], **stand_ins)
        options = RoundOptions(rounds=2, threads=1, seconds=0.01)
        results = programs.folder / "results"
        results.mkdir()
        with contextlib.redirect_stderr(io.StringIO()):
            comparison = top_k.Comparison(
                programs.tools, top_k.Mode(5, 3, 1), options, Limits(30, 1024), results, Progress()
            )
            return comparison.compare(programs.apps["one"]), programs.calls()

    def test_all_three_are_scheduled_and_run_by_turns(self):
        found, calls = self.compare()
        self.assertEqual(found.failure, "")
        self.assertEqual(found.to_one_shot.centre, 1)
        self.assertEqual(sum(call.startswith("schedule") for call in calls), 3)
        self.assertEqual(sum(call.startswith("run") for call in calls), 6)

    def test_one_that_fails_is_named(self):
        found, _ = self.compare(failing=top_k.TOP_K)
        self.assertIn("the pipeline failed with -1", found.failure)
        self.assertIn("check failed: one", top_k.summary([found])[0])


if __name__ == "__main__":
    unittest.main()

"""Searches by seed over stand-ins: the spread is that of the results, and nothing is searched twice."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from bench.harness import seeds
from bench.harness.probe import Probe
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.tests.stand_ins import StandIns


def found(predicted):
    return {
        "states": {"generated": 100, "rejected": {}}, "cpu_seconds": 2.0,
        "predicted_seconds": predicted, "trace": f"trace of {predicted}",
    }  # fmt: skip


class SeedsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stand_ins = StandIns(folder.name, apps=["one", "two"])
        self.stand_ins.set_answers(search={"full": [found(0.004), found(0.002), found(0.003)]})

    def run_seeds(self, count=3, variant="full"):
        folder = self.stand_ins.folder / "results"
        probe = Probe(self.stand_ins.tools, "host", 2, folder / "reports")
        options = seeds.SeedOptions(count, Limits(seconds=30, memory_mb=1024), 2, variant)
        with contextlib.redirect_stderr(io.StringIO()):
            return seeds.Seeds(probe, options, folder, Progress()).run(self.stand_ins.apps)

    def test_the_spread_is_that_of_the_predicted_times(self):
        spreads = self.run_seeds()
        self.assertEqual([s.app for s in spreads], ["one", "two"])
        self.assertAlmostEqual(spreads[0].spread, 1.0)
        self.assertEqual(spreads[0].best_seed, 1)
        self.assertAlmostEqual(spreads[0].over_best, (4 * 2 * 3 / 8) ** (1 / 3) - 1)
        self.assertAlmostEqual(seeds.mean_spread(spreads), 1.0)
        self.assertIn("100.0%", "\n".join(seeds.table(spreads)))
        self.assertEqual(seeds.failures(spreads), [])

    def test_one_seed_has_no_spread(self):
        spreads = self.run_seeds(count=1)
        self.assertIsNone(spreads[0].spread)
        self.assertIsNone(seeds.mean_spread(spreads))
        self.assertEqual(seeds.summary(spreads), "no app has two results")

    def test_a_crash_is_a_failure_and_leaves_the_table(self):
        spreads = self.run_seeds(variant="crashing")
        self.assertEqual(len(seeds.failures(spreads)), 6)
        self.assertEqual(len(seeds.table(spreads)), 4)

    def test_a_second_run_searches_only_new_seeds(self):
        self.run_seeds(count=2)
        self.assertEqual(len(self.stand_ins.calls()), 4)
        self.run_seeds(count=3)
        self.assertEqual(len(self.stand_ins.calls()), 2)


if __name__ == "__main__":
    unittest.main()

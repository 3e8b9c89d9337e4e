"""Batches over stand-ins: measured once, kept with their traces, gone on with after a kill, and
predicted anew without being compiled."""

import contextlib
import csv
import io
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bench.harness import processes, quality_report
from bench.harness.batch import ANY, UNMEASURED, Batches, BatchOptions
from bench.harness.probe import Probe
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import RoundOptions
from bench.harness.tests.processes_test import CHECKOUT, wait_for
from bench.harness.tests.stand_ins import StandIns
from bench.quality import judged

LIMITS = Limits(seconds=30, memory_mb=1024)
TO_BE_KILLED = """
import sys
from bench.harness.tests.batch_test import batches
from bench.harness.tests.stand_ins import StandIns
stand_ins = StandIns(sys.argv[1], apps=["one"], seconds=0.3)
batches(stand_ins).collect(stand_ins.apps["one"])
"""


def drawn(*traces):
    return [
        {"hash": f"h{at}", "trace": trace, "noise": 2.0, "beam_size": 1, "tilings": 8}
        for at, trace in enumerate(traces)
    ]


def batches(stand_ins, **options):
    options = {
        "rounds": RoundOptions(rounds=2, limits=LIMITS), "draw_limits": LIMITS,
        "compile_limits": LIMITS, "samples": 5,
    } | options  # fmt: skip
    folder = stand_ins.folder / "results"
    probe = Probe(stand_ins.tools, "host", 2, folder / "reports")
    return Batches(
        stand_ins.tools, probe, "host", BatchOptions(**options), folder, Progress()
    )


class BatchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stand_ins = StandIns(folder.name, apps=["one"])
        self.app = self.stand_ins.apps["one"]
        self.answer("0.004 0.002", "0.003 0.003", "0.002 0.001", "0.001 0.004")
        progress = contextlib.redirect_stderr(io.StringIO())
        progress.__enter__()
        self.addCleanup(progress.__exit__, None, None, None)

    def answer(self, *traces, **answers):
        """A trace's text is its predicted and its measured time."""
        self.stand_ins.set_answers(draw=drawn(*traces), **answers)

    def collect(self, **options):
        return batches(self.stand_ins, **options).collect(self.app)

    def quality(self, batch):
        probe = Probe(self.stand_ins.tools, "host", 2, self.stand_ins.folder / "reports")
        answer = probe.predict(self.app, [sample.trace for sample in batch.samples], LIMITS)
        return quality_report.Quality(batch, answer.report["found"])

    def test_schedules_are_compiled_measured_in_rounds_and_ranked(self):
        batch, known = self.collect()
        self.assertFalse(known)
        self.assertTrue(batch.complete)
        self.assertEqual([s.times for s in batch.samples], [[[t]] * 2 for t in (0.002, 0.003, 0.001, 0.004)])
        ranked = self.quality(batch).ranking
        self.assertEqual((ranked.count, ranked.pick, ranked.top_pick, ranked.search), (4, 4, 1, 2))
        self.assertEqual(self.quality(batch).checks(), [])

    def test_a_batch_is_made_once_and_outlives_a_new_model_and_a_new_emission(self):
        first, _ = self.collect()
        self.stand_ins.calls()
        self.stand_ins.tools.plugins["Cryolite"].write_text("another model", encoding="utf-8")
        self.stand_ins.tools.plugins["SearchProbe"].write_text("another model", encoding="utf-8")
        second, known = self.collect()
        self.assertTrue(known)
        self.assertEqual(first, second)
        self.assertEqual(self.stand_ins.calls(), ["ask one predict"])
        self.assertEqual(batches(self.stand_ins).stored(self.app), first)
        self.assertEqual(self.stand_ins.calls(), [])
        self.answer("0.001 0.001", "0.002 0.002", algorithm="4567")
        self.assertEqual(len(self.collect()[0].samples), 2)

    def test_a_batch_is_predicted_for_the_machine_that_it_was_measured_on(self):
        batch, _ = self.collect()
        self.assertEqual(batches(self.stand_ins).stored(self.app).machine, {"name": "here"})
        self.stand_ins.calls()
        probe = Probe(self.stand_ins.tools, "host", 2, self.stand_ins.folder / "reports")
        answer = judged(probe, self.app, batch, LIMITS)
        self.assertEqual(len(answer.predictions), 4)
        self.assertEqual(self.stand_ins.calls(), ["ask one predict for here"])
        batch.machine = {}  # of a batch that does not say
        judged(probe, self.app, batch, LIMITS)
        self.assertEqual(self.stand_ins.calls(), ["ask one predict"])

    def test_any_schedules_are_asked_for_by_name_and_kept_apart(self):
        self.collect()
        self.assertIn("ask one draw likely", self.stand_ins.calls())
        _, known = self.collect(draw=ANY)
        self.assertFalse(known)
        self.assertIn("ask one draw any", self.stand_ins.calls())
        folders = (self.stand_ins.folder / "results" / "work" / "one").iterdir()
        self.assertEqual(sorted(folder.name for folder in folders), ["any0_5", "seed0_5"])

    def test_libraries_are_gone_when_a_batch_is_done(self):
        self.collect()
        work = self.stand_ins.folder / "results" / "work" / "one"
        self.assertEqual(list(work.rglob("*.so")), [])
        self.assertTrue(list(work.rglob("batch.json")))

    def test_failures_are_samples_too(self):
        self.answer("0.1 0.001", "0.2 uncompilable", "0.3 0.002 wrong", "refused 0.003", "0.4 0.004")
        quality = self.quality(self.collect()[0])
        self.assertEqual(
            [sample.kind for sample in quality.batch.samples],
            ["", processes.ERROR, processes.WRONG, "", ""],
        )
        self.assertEqual(quality.ranking.count, 2)
        self.assertEqual(len(quality.checks()), 2)
        self.assertEqual(len(quality.notes()), 1)
        quality_report.write_csv([quality], self.stand_ins.folder)
        with open(self.stand_ins.folder / "samples.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["failure_kind"] for row in rows], ["", "error", "wrong output", "", ""])
        self.assertEqual(rows[0]["predicted_core_ms"], "50")
        self.assertEqual(rows[3]["refused"], "no")
        self.assertEqual(len(quality_report.table([quality])), 5)
        self.assertIn("apps: 1;", quality_report.summary([quality]))

    def test_a_wrong_schedule_that_is_refused_today_is_no_failure(self):
        self.answer("refused 0.002 wrong", "0.3 0.003", "0.4 0.004")
        quality = self.quality(self.collect()[0])
        self.assertEqual(quality.batch.samples[0].kind, processes.WRONG)
        self.assertEqual(quality.checks(), [])
        self.assertEqual(len(quality.notes()), 1)

    def test_without_a_reference_there_is_no_batch(self):
        self.stand_ins = StandIns(self.stand_ins.folder, apps=["one"], failing="root")
        batch, _ = self.collect()
        self.assertIn("the plain schedule", batch.failure)
        self.assertEqual(len(quality_report.Quality(batch).checks()), 1)
        self.assertIsNone(batches(self.stand_ins).stored(self.app))

    def test_what_there_was_no_time_for_is_left_out_and_made_up_for_with_more(self):
        batch, _ = self.collect(seconds=0)
        self.assertFalse(batch.complete)
        self.assertEqual({sample.kind for sample in batch.samples}, {UNMEASURED})
        self.assertTrue(self.collect(seconds=0)[1])
        batch, known = self.collect(seconds=60)
        self.assertFalse(known)
        self.assertTrue(all(sample.ok for sample in batch.samples))

    def test_a_slow_schedule_is_measured_once(self):
        self.answer("1 0.001", "2 3.5")
        batch, _ = self.collect()
        self.assertEqual([len(sample.times) for sample in batch.samples], [2, 1])
        self.assertTrue(batch.complete)

    def test_a_killed_run_goes_on_where_it_was(self):
        killed = subprocess.Popen(
            [sys.executable, "-c", TO_BE_KILLED, str(self.stand_ins.folder)], cwd=CHECKOUT
        )
        compiled = self.stand_ins.folder / "results/work/one/seed0_5/compiled"
        self.assertTrue(wait_for((compiled / "h1.json").exists))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        self.stand_ins.calls()
        batch, _ = self.collect()
        calls = self.stand_ins.calls()
        self.assertNotIn("ask one draw likely", calls)
        self.assertNotIn("schedule one_root", calls)
        self.assertLessEqual(calls.count("schedule one_Cryolite"), 2)
        self.assertTrue(all(sample.ok for sample in batch.samples))


if __name__ == "__main__":
    unittest.main()

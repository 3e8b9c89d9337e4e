"""A race over stand-ins: failures are results, nothing is done twice, nothing stale is used."""

import contextlib
import io
import signal
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from bench.harness import processes
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.race import Race, RaceOptions
from bench.harness.rounds import RoundOptions
from bench.harness.tests.processes_test import CHECKOUT, wait_for
from bench.harness.tests.stand_ins import StandIns

LIMITS = Limits(seconds=30, memory_mb=1024)
TO_BE_KILLED = """
import sys
from bench.harness.tests.race_test import race
from bench.harness.tests.stand_ins import StandIns
race(StandIns(sys.argv[1], seconds=0.3), "peer")
"""


def race(
    stand_ins, *names, limits=LIMITS, target="host", measuring=RoundOptions(rounds=2), **options
):
    """Runs a whole race and returns its table."""
    table = None
    with contextlib.redirect_stderr(io.StringIO()):
        running = Race(
            stand_ins.tools, target, stand_ins.schedulers(*names),
            RaceOptions(rounds=measuring, limits=limits, **options),
            stand_ins.folder / "results", Progress(),
        )  # fmt: skip
        for _, table in running.run(stand_ins.apps):
            pass
    return table


class RaceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_failures_are_results_of_their_kind(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        table = race(stand_ins, "peer", "crashing", "wrong", "absent")
        kinds = {result.scheduler: result.kind for result in table.all()}
        self.assertEqual(
            kinds,
            {"root": "", "peer": "", "crashing": processes.CRASH, "wrong": processes.WRONG,
             "absent": processes.MISSING},
        )  # fmt: skip
        self.assertTrue(table.get("one", "peer").ok)
        self.assertFalse(table.get("one", "wrong").ok)
        self.assertEqual(table.get("one", "peer").compiled.scheduling_seconds, 0.25)

    def test_rounds_alternate_and_begin_with_another_variant(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins, "peer")
        runs = [call for call in stand_ins.calls() if call.startswith("run")]
        self.assertEqual(
            runs, ["run one_root", "run one_peer", "run one_peer", "run one_root"]
        )

    def test_without_the_reference_the_others_are_compared_with_each_other(self):
        stand_ins = StandIns(self.folder, apps=["one"], failing="root")
        table = race(stand_ins, "peer", "wrong")
        self.assertEqual(table.get("one", "root").kind, processes.ERROR)
        self.assertTrue(table.get("one", "peer").ok)
        self.assertEqual(table.get("one", "wrong").kind, processes.WRONG)

    def test_a_slow_variant_runs_in_two_rounds_only(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins, measuring=RoundOptions(rounds=4, slow_seconds=0))
        self.assertEqual(stand_ins.calls(), ["schedule one_root"] + ["run one_root"] * 2)

    def test_a_second_run_does_nothing_anew_and_knows_the_same(self):
        stand_ins = StandIns(self.folder)
        first = race(stand_ins, "peer", "crashing")
        stand_ins.calls()
        second = race(stand_ins, "peer", "crashing")
        self.assertEqual(stand_ins.calls(), [])
        self.assertEqual(first.all(), second.all())

    def test_a_fresh_run_forgets_the_earlier_one_and_is_kept(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins)
        calls = stand_ins.calls()
        race(stand_ins, fresh=True)
        self.assertEqual(stand_ins.calls(), calls)
        race(stand_ins)
        self.assertEqual(stand_ins.calls(), [])

    def test_a_run_that_keeps_nothing_is_always_anew(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins, keep=False)
        calls = stand_ins.calls()
        race(stand_ins, keep=False)
        self.assertEqual(stand_ins.calls(), calls)

    def test_a_killed_run_goes_on_where_it_was(self):
        stand_ins = StandIns(self.folder, seconds=0.3)
        killed = subprocess.Popen(
            [sys.executable, "-c", TO_BE_KILLED, str(self.folder)], cwd=CHECKOUT
        )
        second_app = self.folder / "results" / "work" / "two" / "root.json"
        self.assertTrue(wait_for(second_app.exists))
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        stand_ins.calls()
        table = race(stand_ins, "peer")
        scheduled = [call for call in stand_ins.calls() if call.startswith("schedule")]
        self.assertNotIn("schedule one_root", scheduled)
        self.assertNotIn("schedule one_peer", scheduled)
        self.assertNotIn("schedule two_root", scheduled)
        self.assertIn("schedule three_peer", scheduled)
        self.assertTrue(all(result.ok for result in table.all()))
        self.assertEqual(len(table.all()), 6)

    def test_what_depends_on_a_changed_program_is_done_anew(self):
        stand_ins = StandIns(self.folder, apps=["one", "two"])
        race(stand_ins, "peer")
        stand_ins.calls()
        stand_ins.write_generator("two", note="another algorithm")
        race(stand_ins, "peer")
        self.assertEqual(
            [call for call in stand_ins.calls() if call.startswith("schedule")],
            ["schedule two_root", "schedule two_peer"],
        )
        stand_ins.tools.plugins["peer"].write_text("another plugin", encoding="utf-8")
        race(stand_ins, "peer")
        calls = stand_ins.calls()
        self.assertEqual(
            [call for call in calls if call.startswith("schedule")],
            ["schedule one_peer", "schedule two_peer"],
        )
        # A comparison is of all at the same time, or it is none.
        self.assertIn("run one_root", calls)

    def test_another_call_is_measured_anew_with_the_schedules_that_are_there(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins)
        stand_ins.calls()
        stand_ins.apps["one"] = replace(stand_ins.apps["one"], call={"tolerance": [0.5, 0, 0]})
        race(stand_ins)
        self.assertEqual(stand_ins.calls(), ["run one_root"] * 2)

    def test_a_run_of_fewer_schedulers_leaves_the_comparison_of_all(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins, "peer", "wrong")
        race(stand_ins, "peer")
        stand_ins.calls()
        race(stand_ins, "peer", "wrong")
        self.assertEqual(stand_ins.calls(), [])

    def test_a_timeout_is_tried_again_only_with_more_time(self):
        stand_ins = StandIns(self.folder, apps=["one"], seconds=1)
        short, longer = Limits(seconds=0.2, memory_mb=1024), Limits(seconds=20, memory_mb=1024)
        table = race(stand_ins, limits=short)
        self.assertEqual(table.get("one", "root").kind, processes.TIMEOUT)
        stand_ins.calls()
        race(stand_ins, limits=short)
        self.assertEqual(stand_ins.calls(), [])
        self.assertTrue(race(stand_ins, limits=longer).get("one", "root").ok)
        # What took longer than a limit is no success under it.
        table = race(stand_ins, limits=short)
        self.assertEqual(table.get("one", "root").kind, processes.TIMEOUT)

    def test_failures_can_be_tried_again(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        race(stand_ins, "crashing")
        stand_ins.calls()
        race(stand_ins, "crashing", retry_failures=True)
        self.assertEqual(stand_ins.calls(), ["schedule one_crashing"])

    def test_a_target_without_a_device_is_only_compiled(self):
        stand_ins = StandIns(self.folder, apps=["one"])
        table = race(stand_ins, "peer", "crashing", target="host-metal")
        self.assertEqual(
            stand_ins.calls(), ["schedule one_root", "schedule one_peer", "schedule one_crashing"]
        )
        self.assertEqual(table.get("one", "peer").failure, "")
        self.assertEqual(table.get("one", "crashing").kind, processes.CRASH)


if __name__ == "__main__":
    unittest.main()

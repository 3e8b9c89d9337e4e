"""A race over stand-ins that is packed, run by the script of the pack, and read back."""

import contextlib
import io
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from bench.harness import packed_race, processes
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.race import Race, RaceOptions
from bench.harness.rounds import RoundOptions
from bench.harness.tests.stand_ins import StandIns

GPU = "host-cuda-cuda_capability_80"


class PackedRaceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # One name begins with the other, which files of outputs must not mix up.
        self.stand_ins = StandIns(self.folder, apps=["one", "one_more"])

    def _pack(self, target, *names):
        options = RaceOptions(rounds=RoundOptions(), limits=Limits(30, 1024), link=True)
        with contextlib.redirect_stderr(io.StringIO()):
            race = Race(self.stand_ins.tools, target, self.stand_ins.schedulers(*names), options,
                        self.folder / "results", Progress())  # fmt: skip
            packed_race.pack(race, self.stand_ins.tools, target, self.stand_ins.apps, options, ["about"],
                             self.folder / "pack", Progress())  # fmt: skip
            race.close()
        return self.folder / "pack"

    def _run(self, pack, *arguments):
        return subprocess.run([pack / "run", *arguments], capture_output=True, text=True, check=False)

    def test_what_was_run_elsewhere_comes_back(self):
        pack = self._pack("host", "peer", "wrong", "crashing")
        ran = self._run(pack, "--jobs", "4", "--rounds", "2")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        packed, measured = packed_race.load(pack)
        results = {(r.app, r.scheduler): r for r in packed_race.results(packed, measured)}
        for app in ("one", "one_more"):
            self.assertEqual(results[app, "peer"].minimum_ms, 1)
            self.assertEqual(len(results[app, "peer"].measured.samples), 2)
            self.assertEqual(results[app, "wrong"].kind, processes.WRONG)
            self.assertEqual(results[app, "crashing"].kind, processes.CRASH)
        self.assertEqual([f for f in pack.rglob("*.output")], [])

    def test_gpus_are_checked_against_the_plain_cpu_schedule(self):
        pack = self._pack(GPU, "peer")
        packed = json.loads((pack / "pack.json").read_text())
        self.assertEqual(next(iter(packed["apps"]["one"])), packed_race.REFERENCE)
        self.assertEqual(self._run(pack, "--only-check").returncode, 0)
        packed, measured = packed_race.load(pack)
        names = {r.scheduler for r in packed_race.results(packed, measured)}
        self.assertEqual(names, {"root", "peer"})

    def test_a_folder_with_something_in_it_is_left_alone(self):
        (self.folder / "pack").mkdir()
        (self.folder / "pack" / "mine").touch()
        with self.assertRaises(SystemExit):
            self._pack("host", "peer")

    def test_a_pack_that_was_not_run_says_so(self):
        with self.assertRaises(SystemExit):
            packed_race.load(self._pack("host", "peer"))


if __name__ == "__main__":
    unittest.main()

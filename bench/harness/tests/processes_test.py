"""Limits hold, and a failure is called by its name."""

import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from bench.harness import processes
from bench.harness.processes import Limits

CHECKOUT = Path(__file__).resolve().parent.parent.parent.parent
PLENTY = Limits(seconds=60, memory_mb=2048)


def python(code, limits=PLENTY):
    return processes.run([sys.executable, "-c", code], limits)


class ProcessesTest(unittest.TestCase):
    def test_a_process_that_ends_well_is_ok_and_its_output_is_kept(self):
        result = python("import sys; print('out'); print('err', file=sys.stderr)")
        self.assertTrue(result.ok)
        self.assertEqual((result.output, result.errors), ("out\n", "err\n"))
        self.assertGreater(result.peak_mb, 1)

    def test_a_process_that_takes_too_long_is_ended(self):
        result = python("import time; time.sleep(60)", Limits(seconds=0.3, memory_mb=2048))
        self.assertEqual(result.failure, "not done after 0 s")
        self.assertEqual(result.kind, processes.TIMEOUT)
        self.assertLess(result.wall_seconds, 20)

    def test_a_process_that_has_done_enough_is_ended_and_ok(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "done"
            text = f"import time; open({str(file)!r}, 'w').close(); time.sleep(60)"
            result = processes.run([sys.executable, "-c", text], PLENTY, enough=file.exists)
        self.assertTrue(result.ok, result.failure)
        self.assertLess(result.wall_seconds, 30)

    def test_a_process_that_takes_too_much_memory_is_ended(self):
        result = python(
            "import time; data = bytearray(b'x') * (300 << 20); time.sleep(60)",
            Limits(seconds=50, memory_mb=100),
        )
        self.assertEqual(result.failure, "needed more than 100 MB")
        self.assertEqual(result.kind, processes.OUT_OF_MEMORY)
        self.assertTrue(result.hit_limit)

    def test_a_crash_is_named_by_its_signal(self):
        result = python("import os; os.abort()")
        self.assertEqual(result.failure, "crashed: SIGABRT")
        self.assertEqual(result.kind, processes.CRASH)

    def test_an_error_is_described_by_the_line_that_says_so(self):
        result = python("import sys; sys.exit('Internal Error: no schedule')")
        self.assertEqual(
            processes.describe_failure(result), "exit code 1: Internal Error: no schedule"
        )

    def test_a_failed_allocation_is_out_of_memory(self):
        result = python(
            "import os, sys; print('terminate: std::bad_alloc', file=sys.stderr, flush=True); "
            "os.abort()"
        )
        self.assertEqual(result.kind, processes.OUT_OF_MEMORY)

    def test_a_child_does_not_outlive_a_killed_harness(self):
        harness = subprocess.Popen(
            [sys.executable, "-c",
             "import sys; from bench.harness import processes; "
             "processes.run([sys.executable, '-c', 'import time; time.sleep(60)'], "
             "processes.Limits(60, 2048))"],
            cwd=CHECKOUT,
        )  # fmt: skip
        child = wait_for(lambda: children_of(harness.pid))[0]
        harness.send_signal(signal.SIGKILL)
        harness.wait()
        self.assertTrue(wait_for(lambda: not alive(child)))


def children_of(pid):
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in text.split()]


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    return False


if __name__ == "__main__":
    unittest.main()

"""Tests of the harness: limits hold, and the numbers that people read are the right ones."""

import sys
import unittest

from bench.harness import loop_nest, processes, robust, tables
from bench.harness.compile import CompiledVariant
from bench.harness.processes import Limits
from bench.harness.results import Result, ResultTable
from bench.harness.rounds import MeasuredVariant

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
        self.assertLess(result.wall_seconds, 20)

    def test_a_process_that_takes_too_much_memory_is_ended(self):
        result = python(
            "import time; data = bytearray(b'x') * (300 << 20); time.sleep(60)",
            Limits(seconds=50, memory_mb=100),
        )
        self.assertEqual(result.failure, "needed more than 100 MB")
        self.assertTrue(result.hit_limit)

    def test_a_crash_is_named_by_its_signal(self):
        result = python("import os; os.abort()")
        self.assertEqual(result.failure, "crashed: SIGABRT")

    def test_an_error_is_described_by_the_line_that_says_so(self):
        result = python("import sys; sys.exit('Internal Error: no schedule')")
        self.assertEqual(
            processes.describe_failure(result), "exit code 1: Internal Error: no schedule"
        )


class RobustTest(unittest.TestCase):
    def test_minimum_median_and_spread(self):
        samples = [0.004, 0.002, 0.003, 0.001, 0.005]
        self.assertAlmostEqual(robust.minimum_ms(samples), 1)
        self.assertAlmostEqual(robust.median_ms(samples), 3)
        self.assertAlmostEqual(robust.spread_percent(samples), 100 * 2 / 3)
        self.assertEqual(robust.spread_percent([1.0]), 0)

    def test_geometric_mean(self):
        self.assertAlmostEqual(robust.geometric_mean([2, 8]), 4)


def result_of(app, scheduler, seconds, scheduling_seconds=None, failure=""):
    compiled = CompiledVariant(
        app, scheduler, failure=failure, scheduling_seconds=scheduling_seconds
    )
    measured = None if failure else MeasuredVariant(samples=[[seconds]])
    return Result(app, scheduler, compiled, measured)


class TablesTest(unittest.TestCase):
    def setUp(self):
        self.table = ResultTable()
        for result in (
            result_of("blur", "manual", 0.001),
            result_of("blur", "Adams2019", 0.004, scheduling_seconds=6),
            result_of("blur", "Cryolite", 0.002, scheduling_seconds=1),
            result_of("hist", "manual", 0.001),
            result_of("hist", "Adams2019", 0, failure="crashed: SIGABRT"),
            result_of("hist", "Cryolite", 0.001, scheduling_seconds=1),
        ):
            self.table.add(result)

    def test_the_summary_averages_only_where_both_have_a_time(self):
        self.assertEqual(
            tables.summary(self.table, ["Adams2019"]),
            "geometric mean: 1.41x slower than the manual schedule (2 apps); 2.00x faster than "
            "Adams2019 (1 of 2 apps, 1 failure); scheduling 6.00x faster than Adams2019",
        )

    def test_failures_are_listed(self):
        self.assertEqual(
            tables.remarks(self.table), ["failure: hist with Adams2019: crashed: SIGABRT"]
        )

    def test_numbers_have_three_digits(self):
        self.assertEqual(
            [tables.number(value) for value in (0.01234, 1.234, 123.4, 1234.0, 0, None)],
            ["0.0123", "1.23", "123", "1234", "0", "-"],
        )


class LoopNestTest(unittest.TestCase):
    def test_the_nest_ends_where_the_next_message_starts(self):
        log = "Cryolite: pass 1\nCryolite: loops:\ncompute f\n  for x\n\nCryolite: done\n"
        self.assertEqual(loop_nest.loop_nest(log), ["compute f", "  for x"])
        self.assertEqual(loop_nest.loop_nest("nothing"), [])


if __name__ == "__main__":
    unittest.main()

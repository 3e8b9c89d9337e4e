"""The numbers that people read are the right ones."""

import unittest

from bench.harness import loop_nest, ptxas, robust, tables
from bench.harness.compile import CompiledVariant
from bench.harness.progress import Eta, duration
from bench.harness.results import Result, ResultTable
from bench.harness.rounds import MeasuredVariant


class RobustTest(unittest.TestCase):
    def test_minimum_median_and_spread(self):
        samples = [0.004, 0.002, 0.003, 0.001, 0.005]
        self.assertAlmostEqual(robust.minimum_ms(samples), 1)
        self.assertAlmostEqual(robust.median_ms(samples), 3)
        self.assertAlmostEqual(robust.spread_percent(samples), 100 * 2 / 3)
        self.assertEqual(robust.spread_percent([1.0]), 0)

    def test_geometric_mean(self):
        self.assertAlmostEqual(robust.geometric_mean([2, 8]), 4)
        self.assertEqual(robust.geometric_mean([2, 0]), 0)

    def test_one_disturbed_round_moves_neither_a_ratio_nor_its_quartiles_far(self):
        ours = [[2.0, 2.1], [2.0], [9.0, 8.0], [2.0], [2.2]]
        found = robust.ratio_by_rounds(ours, [[1.0, 5.0]] * 5)
        self.assertEqual((found.centre, found.low, found.high), (2.0, 2.0, 2.2))

    def test_a_round_of_one_schedule_alone_has_no_ratio(self):
        found = robust.ratio_by_rounds([[3.0]], [[2.0], [1.0]])
        self.assertEqual((found.centre, found.low, found.high), (1.5, 1.5, 1.5))
        self.assertIsNone(robust.ratio_by_rounds([], [[1.0]]))

    def test_rank_correlation_with_ties(self):
        self.assertEqual(robust.ranks([30, 10, 20, 10]), [4, 1.5, 3, 1.5])
        self.assertAlmostEqual(robust.spearman([1, 2, 3, 4], [10, 20, 30, 400]), 1)
        self.assertAlmostEqual(robust.spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1)
        # By hand: sums of squared differences of ranks 2, so 1 - 6 * 2 / (4 * 15).
        self.assertAlmostEqual(robust.spearman([1, 2, 3, 4], [1, 3, 2, 4]), 0.8)
        self.assertIsNone(robust.spearman([1, 1, 1], [1, 2, 3]))
        self.assertIsNone(robust.spearman([1], [1]))


def result_of(app, scheduler, seconds, scheduling_seconds=None, failure=""):
    compiled = CompiledVariant(
        app, scheduler, failure=failure, kind="crash" if failure else "", scheduling_seconds=scheduling_seconds
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

    def test_the_short_table_says_the_kind_of_a_failure(self):
        self.assertIn("crash", tables.short_table(self.table)[-1])

    def test_a_target_that_nothing_ran_on_shows_kernels(self):
        compiled = CompiledVariant(
            "blur", "Li2018", scheduling_seconds=2.0, kernels=ptxas.KernelReport(3, 40, 8)
        )
        table = ResultTable()
        table.add(Result("blur", "Li2018", compiled, None))
        self.assertEqual(tables.compiled_rows(table, "blur")[0][5:8], ["3", "40", "8"])
        self.assertEqual(
            tables.compiled_summary(table),
            "schedules: Li2018 1 of 1 app, geometric mean 2.00 s",
        )


class EtaTest(unittest.TestCase):
    def test_steps_of_an_earlier_run_teach_nothing_about_the_time(self):
        now = [0.0]
        eta = Eta(4, clock=lambda: now[0])
        self.assertEqual(eta.text(), "1 of 4")
        eta.start_step()
        eta.end_step(known_before=True)
        self.assertEqual(eta.text(), "2 of 4")
        eta.start_step()
        now[0] = 30.0
        eta.end_step(known_before=False)
        self.assertEqual(eta.text(), "3 of 4, about 60 s left")

    def test_durations_are_in_the_unit_that_people_use(self):
        self.assertEqual(
            [duration(seconds) for seconds in (5, 600, 7320)], ["5 s", "10 min", "2:02 h"]
        )


class PtxasTest(unittest.TestCase):
    def test_the_worst_kernel_counts(self):
        free = "ptxas info : Used 14 registers\nptxas info : Used 96 registers, 400 bytes cmem[0]\n"
        capped = (
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "    80 bytes stack frame, 76 bytes spill stores, 72 bytes spill loads\n"
        )
        self.assertEqual(ptxas.parse(free, capped), ptxas.KernelReport(2, 96, 76))


class LoopNestTest(unittest.TestCase):
    def test_the_nest_ends_where_the_next_message_starts(self):
        log = "Cryolite: pass 1\nCryolite: loops:\ncompute f\n  for x\n\nCryolite: done\n"
        self.assertEqual(loop_nest.loop_nest(log), ["compute f", "  for x"])
        self.assertEqual(loop_nest.loop_nest("nothing"), [])


if __name__ == "__main__":
    unittest.main()

"""What the bars stand for."""

import unittest

from bench.harness import plot


def row(app, scheduler, minimum_ms, kind=""):
    return {
        "app": app, "scheduler": scheduler, "minimum_ms": minimum_ms,
        "failure": f"it failed: {kind}" if kind else "", "failure_kind": kind,
    }  # fmt: skip


class PlotDataTest(unittest.TestCase):
    def setUp(self):
        self.data = plot.plot_data(
            [
                row("blur", "manual", "1"), row("blur", "Cryolite", "2"),
                row("hist", "manual", "8"), row("hist", "Cryolite", "4"),
                row("bgu", "manual", "3"), row("bgu", "Cryolite", "", "timeout"),
                row("gone", "manual", "", "crash"), row("gone", "Cryolite", "", "crash"),
            ]
        )  # fmt: skip

    def test_the_fastest_is_one_and_the_mean_stands_last(self):
        self.assertEqual(self.data.groups, ["blur", "hist", "bgu", plot.MEAN])
        self.assertEqual(self.data.throughput["manual"][:3], [1, 0.5, 1])
        self.assertEqual(self.data.throughput["Cryolite"][:3], [0.5, 1, None])
        self.assertAlmostEqual(self.data.throughput["Cryolite"][3], 0.5**0.5)

    def test_failures_are_marked_by_their_kind(self):
        self.assertEqual(self.data.failures["Cryolite"], ["", "", "timeout", ""])

    def test_a_wrong_output_has_no_bar(self):
        data = plot.plot_data([row("blur", "manual", "1"), row("blur", "peer", "0.1", "wrong output")])
        self.assertEqual(data.throughput["peer"], [None, None])
        self.assertEqual(data.throughput["manual"], [1, 1])

    def test_many_apps_are_spread_over_rows(self):
        rows = plot._rows_of(list(range(30)))
        self.assertEqual([len(row) for row in rows], [10, 10, 10])
        self.assertEqual([i for row in rows for i in row], list(range(30)))


if __name__ == "__main__":
    unittest.main()

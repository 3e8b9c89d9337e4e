"""What the bars stand for, and that a picture comes of them."""

import importlib.util
import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

from bench.harness import csv_file, plot

HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
COLUMNS = ("app", "scheduler", "minimum_ms", "failure", "failure_kind")


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


class DrawingTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.results, self.picture = self.folder / "results.csv", self.folder / "results.svg"
        self.write_results(
            [row("blur", "manual", "1"), row("blur", "Cryolite", "2"),
             row("bilateral_grid", "manual", "3"), row("bilateral_grid", "Cryolite", "", "timeout")]
        )  # fmt: skip

    def write_results(self, rows):
        csv_file.write(self.results, COLUMNS, [[r[c] for c in COLUMNS] for r in rows])

    def checkout(self, script):
        """A checkout whose ./dev is that script."""
        dev = self.folder / "dev"
        dev.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        dev.chmod(0o755)
        return self.folder

    def try_to_draw(self, script="exit 1"):
        return plot.try_to_draw(self.checkout(script), self.results, self.picture)

    def test_a_picture_has_every_app_and_is_the_same_on_every_run(self):
        if HAS_MATPLOTLIB:
            script = "exit 1"
        elif folder := _fetched_matplotlib():
            script = f"echo {folder}"
        else:
            self.skipTest("matplotlib is neither installed nor fetched: ./dev packages plot")
        self.assertEqual(self.try_to_draw(script), f"plot: {self.picture.resolve()}")
        first = self.picture.read_text(encoding="utf-8")
        xml.etree.ElementTree.fromstring(first)
        for text in ("blur", "bilateral", "grid", "manual", "Cryolite", "geometric mean"):
            self.assertIn(f"<!-- {text}", first)  # matplotlib writes each text beside its outlines
        self.assertEqual(first.count(plot.COLOURS["Cryolite"]), 1 + 3 + 1, "a bar each, ×, legend")
        self.try_to_draw(script)
        self.assertEqual(self.picture.read_text(encoding="utf-8"), first)

    @unittest.skipIf(HAS_MATPLOTLIB, "matplotlib is installed here")
    def test_what_is_missing_is_fetched_by_dev_and_found(self):
        package = self.folder / "fetched" / "matplotlib"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("raise SystemExit('the stand-in')", encoding="utf-8")
        called = self.folder / "called"
        drawn = self.try_to_draw(f"echo $* >>{called}; echo {package.parent}")
        self.assertEqual(drawn, "no plot: the stand-in")
        self.assertEqual(called.read_text(encoding="utf-8"), "packages plot\n")

    @unittest.skipIf(HAS_MATPLOTLIB, "matplotlib is installed here")
    def test_without_matplotlib_there_is_a_line_and_no_picture(self):
        self.assertIn("cannot be fetched", self.try_to_draw("exit 1"))
        self.assertFalse(self.picture.exists())

    def test_without_times_there_is_nothing_to_draw(self):
        self.write_results([row("gone", "manual", "", "crash")])
        self.assertEqual(self.try_to_draw(), "no plot: there are no run times to draw")


def _fetched_matplotlib():
    """Where ./dev packages plot has put it for this Python, if it has; a test fetches nothing."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cryolite"
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return next(iter(sorted(cache.glob(f"packages-plot-{tag}-*"))), None)


if __name__ == "__main__":
    unittest.main()

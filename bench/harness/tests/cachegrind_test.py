"""Reading what the simulator of caches writes, and judging predictions by it."""

import tempfile
import unittest
from pathlib import Path

from bench.harness import cachegrind, miss_report
from bench.harness.miss_report import CountedKernel

EVENTS = "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n"


def case(predicted, counted):
    return {
        "symbol": "k_0", "sizes": [3, 5], "trace": "cryolite-trace 1\nalgorithm 0\ncompute_root out\n",
        "predicted": predicted, "counted": counted, "instructions": 10,
    }  # fmt: skip


class CachegrindTest(unittest.TestCase):
    def test_data_misses_are_those_of_reads_and_writes(self):
        text = f"desc: D1\n{EVENTS}fl=???\nfn=f\n0 1 1 1 1 1 1 1 1 1\nsummary: 9 1 1 8 70 6 5 4 3\n"
        self.assertEqual(cachegrind.parse_totals(text), cachegrind.Counts(74, 9, 9))

    def test_a_file_without_a_summary_is_an_error(self):
        for text in ("", EVENTS, f"{EVENTS}summary: 1 2\n"):
            with self.assertRaises(cachegrind.CountingError):
                cachegrind.parse_totals(text)

    def test_the_call_alone_is_a_difference(self):
        found = cachegrind.Counts(9, 5, 100) - cachegrind.Counts(4, 4, 90)
        self.assertEqual(found, cachegrind.Counts(5, 1, 10))

    def test_calls_name_types_and_extents(self):
        buffers = [{"type": "f32", "extents": [3, 5]}, {"type": "u16", "extents": []}]
        line = cachegrind.call_line({"symbol": "k_0", "buffers": buffers})
        self.assertEqual(line, "k_0 f32:3:5 u16")


class MissReportTest(unittest.TestCase):
    def test_kernels_are_judged_by_rank_and_by_the_median_ratio(self):
        cases = [
            case({"model": [1, 10], "thesis": None}, [2, 30]),
            case({"model": [2, 20], "thesis": [5, 5]}, [4, 20]),
            case({"model": [3, 30], "thesis": [6, 6]}, [6, 10]),
            {"symbol": "k_3", "failure": "crashed"},
        ]
        kernel = CountedKernel("k", cases)
        self.assertAlmostEqual(kernel.spearman("model", 0), 1)
        self.assertAlmostEqual(kernel.spearman("model", 1), -1)
        self.assertAlmostEqual(kernel.ratio("model", 0), 0.5)
        self.assertEqual(len(kernel.pairs("thesis", 0)), 2)
        self.assertEqual([level for _, level, _ in miss_report.below([kernel], "model")], ["LL"])
        self.assertIn("below 0.9: k LL -1.000", miss_report.summary([kernel], "model"))
        with tempfile.TemporaryDirectory() as directory:
            miss_report.write_csv([kernel], Path(directory) / "results.csv")
            rows = (Path(directory) / "results.csv").read_text().splitlines()
        self.assertEqual(len(rows), 5)
        self.assertTrue(all(row.count(",") == rows[0].count(",") for row in rows))


if __name__ == "__main__":
    unittest.main()

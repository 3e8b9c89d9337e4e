"""Ablations over stand-ins: what must not change is checked, and nothing is searched twice."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from bench.harness import ablation, processes
from bench.harness.probe import Probe, variants_of
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.tests.stand_ins import StandIns

VARIANTS = [
    {"name": "full", "doc": "", "same_result": True},
    {"name": "no_memo", "doc": "", "same_result": True},
    {"name": "greedy", "doc": "", "same_result": False},
]


def found(states=100, cpu_seconds=2.0, predicted=0.001, trace="a trace", remembered=60):
    return {
        "states": {"generated": states, "rejected": {}},
        "kernels_evaluated": 40, "kernels_remembered": remembered, "cpu_seconds": cpu_seconds,
        "kilobytes": 1024, "hit_memory_limit": False, "predicted_seconds": predicted,
        "trace": trace,
    }  # fmt: skip


class AblationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.stand_ins = StandIns(folder.name, apps=["one", "two"])
        self.answer()

    def answer(self, variants=VARIANTS, **search):
        search = {
            "full": found(),
            "no_memo": found(cpu_seconds=8.0, remembered=0),
            "greedy": found(states=10, predicted=0.003, trace="another"),
        } | search
        self.stand_ins.set_answers(variants=variants, search=search)

    def run_ablation(self, **options):
        folder = self.stand_ins.folder / "results"
        probe = Probe(self.stand_ins.tools, "host", 2, folder / "reports")
        variants = variants_of(probe, self.stand_ins.apps["one"])
        options = ablation.AblationOptions(Limits(seconds=30, memory_mb=1024), **options)
        table = None
        with contextlib.redirect_stderr(io.StringIO()):
            for _, table in ablation.Ablation(
                probe, variants, options, folder, Progress()
            ).run(self.stand_ins.apps):
                pass
        return table

    def searches(self):
        return [call for call in self.stand_ins.calls() if " search " in call]

    def test_ratios_are_to_the_full_search_and_means_over_apps(self):
        table = self.run_ablation()
        cpu = next(f for f in ablation.FIGURES if f.column == "cpu_seconds")
        remembered = next(f for f in ablation.FIGURES if f.column == "kernels_remembered")
        self.assertAlmostEqual(table.mean("no_memo", cpu), 4)
        self.assertEqual(table.mean("no_memo", remembered), 0)
        self.assertAlmostEqual(table.mean("greedy", ablation.PREDICTED), 3)
        self.assertEqual(ablation.failed_checks(table), [])
        for figure in ablation.FIGURES:
            self.assertEqual(len(ablation.figure_table(table, figure)), 5)
        self.assertIn("3.00x", "\n".join(ablation.mean_table(table)))
        written = (self.stand_ins.folder / "results" / "results.csv").read_text(encoding="utf-8")
        self.assertEqual(len(written.splitlines()), 7)

    def test_another_schedule_or_other_states_fail_where_they_must_not(self):
        self.answer(no_memo=found(trace="another", states=99))
        checks = ablation.failed_checks(self.run_ablation())
        self.assertEqual(len(checks), 4)
        self.assertIn("one, no_memo: its trace differs", checks[0])
        self.assertIn("one, no_memo: its states differs", checks[1])

    def test_a_crash_is_a_failed_check_and_leaves_the_other_figures(self):
        crashing = {"name": "crashing", "doc": "", "same_result": False}
        self.answer(variants=VARIANTS + [crashing])
        table = self.run_ablation()
        self.assertEqual(table.get("one", "crashing").kind, processes.CRASH)
        self.assertEqual(len(ablation.failed_checks(table)), 2)
        self.assertAlmostEqual(table.mean("greedy", ablation.PREDICTED), 3)
        self.assertIn(processes.CRASH, "\n".join(ablation.figure_table(table, ablation.PREDICTED)))

    def test_a_second_run_searches_only_what_changed(self):
        self.run_ablation()
        self.assertEqual(len(self.searches()), 6)
        self.run_ablation()
        self.assertEqual(self.searches(), [])
        self.stand_ins.write_generator("two", note="another algorithm")
        self.run_ablation()
        self.assertEqual(
            self.searches(), [f"ask two search {v['name']}" for v in VARIANTS]
        )
        self.run_ablation(fresh=True)
        self.assertEqual(len(self.searches()), 6)


if __name__ == "__main__":
    unittest.main()

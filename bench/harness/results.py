"""What is known of one app under one scheduler, and the files that keep it."""

from dataclasses import dataclass

from bench.harness import csv_file, robust
from bench.harness.schedulers import OURS

COLUMNS = (
    "app", "scheduler", "failure", "failure_kind", "minimum_ms", "median_ms", "spread_percent", "samples",
    "ratio_to_cryolite", "ratio_to_least", "scheduling_seconds", "scheduling_cpu_seconds", "scheduling_peak_mb",
    "process_seconds", "process_cpu_seconds", "process_peak_mb", "differing_fraction",
    "largest_difference", "kernels", "registers", "spill_bytes", "notes",
)  # fmt: skip


@dataclass
class Result:
    app: str
    scheduler: str
    compiled: object  # CompiledVariant
    measured: object  # MeasuredVariant, or None if there was nothing to run

    @property
    def failure(self):
        return self.compiled.failure or (self.measured.failure if self.measured else "")

    @property
    def kind(self):
        return self.compiled.kind or (self.measured.kind if self.measured else "")

    @property
    def ok(self):
        return not self.failure and bool(self.measured) and bool(self.measured.all_samples)

    @property
    def wrong(self):
        return self.measured is not None and self.measured.wrong

    @property
    def minimum_ms(self):
        return robust.minimum_ms(self.measured.all_samples) if self.ok else None

    @property
    def median_ms(self):
        return robust.median_ms(self.measured.all_samples) if self.ok else None

    @property
    def spread_percent(self):
        return robust.spread_percent(self.measured.all_samples) if self.ok else None

    @property
    def notes(self):
        return list(self.measured.notes) if self.measured else []


class ResultTable:
    """Results by app and scheduler, in the order in which they came."""

    def __init__(self):
        self._results = {}

    def add(self, result):
        self._results[(result.app, result.scheduler)] = result

    def get(self, app, scheduler):
        return self._results.get((app, scheduler))

    def all(self):
        return list(self._results.values())

    def apps(self):
        return list(dict.fromkeys(app for app, _ in self._results))

    def schedulers(self):
        return list(dict.fromkeys(scheduler for _, scheduler in self._results))

    def ratio(self, app, scheduler, base=OURS):
        """Run time over the base's: above 1, the base is faster. None where one has no time."""
        left, right = self.get(app, scheduler), self.get(app, base)
        if left is None or right is None or not left.ok or not right.ok:
            return None
        return left.minimum_ms / right.minimum_ms

    def over_least(self, app, scheduler):
        """Run time over the least that the roofline model allows; None where one is not known."""
        result, ours = self.get(app, scheduler), self.get(app, OURS)
        if result is None or ours is None or not result.ok or not ours.compiled.least_seconds:
            return None
        return result.minimum_ms / (1e3 * ours.compiled.least_seconds)

    def scheduling_ratio(self, app, scheduler, base=OURS):
        left, right = self.get(app, scheduler), self.get(app, base)
        if left is None or right is None or not left.ok or not right.ok:
            return None
        if left.compiled.scheduling_seconds is None or not right.compiled.scheduling_seconds:
            return None
        return left.compiled.scheduling_seconds / right.compiled.scheduling_seconds


def write_csv(table, directory):
    """results.csv: a row per variant. samples.csv: a row per sample, for whoever doubts them."""
    rows = []
    for result in table.all():
        compiled, measured = result.compiled, result.measured
        rows.append((
            result.app, result.scheduler, result.failure, result.kind, result.minimum_ms,
            result.median_ms, result.spread_percent, len(measured.all_samples) if measured else 0,
            table.ratio(result.app, result.scheduler),
            table.over_least(result.app, result.scheduler), compiled.scheduling_seconds,
            compiled.scheduling_cpu_seconds, compiled.scheduling_peak_mb,
            compiled.process_seconds, compiled.process_cpu_seconds, compiled.process_peak_mb,
            measured.differing_fraction if measured else None,
            measured.largest_difference if measured else None,
            *(getattr(compiled.kernels, name, None) for name in ("kernels", "registers", "spill_bytes")),
            "; ".join(result.notes),
        ))  # fmt: skip
    csv_file.write(directory / "results.csv", COLUMNS, rows)

    samples = [
        (result.app, result.scheduler, number + 1, 1e3 * sample)
        for result in table.all()
        if result.measured
        for number, one_round in enumerate(result.measured.samples)
        for sample in one_round
    ]
    columns = ("app", "scheduler", "round", "milliseconds")
    csv_file.write(directory / "samples.csv", columns, samples)

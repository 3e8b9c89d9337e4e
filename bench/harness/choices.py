"""What the search chooses against what an older build's chooses: traces that differ are both compiled
by today's plugin and measured by turns, so that nothing but the choice differs."""

import shutil
from dataclasses import dataclass, field

from bench.harness import csv_file, processes, robust, rounds, tables
from bench.harness.by_turns import ByTurns
from bench.harness.processes import Limits
from bench.harness.progress import Eta
from bench.harness.schedulers import PLAIN, ROOT

OLD, NEW = "old", "new"
# What may happen to a choice without anybody being wrong.
HARMLESS = (processes.TIMEOUT, processes.OUT_OF_MEMORY)


@dataclass(frozen=True)
class ChoicesOptions:
    rounds: rounds.RoundOptions
    limits: Limits  # of one search or one compilation
    fresh: bool = False


@dataclass
class Choice:
    """One build's. predicted: seconds, by today's model; None where it refuses the trace."""

    trace: str = ""
    predicted: float = None
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult
    samples: list = field(default_factory=list)  # seconds per call, of all rounds

    @property
    def milliseconds(self):
        return robust.minimum_ms(self.samples) if self.samples else None


@dataclass
class Comparison:
    app: str
    old: Choice = field(default_factory=Choice)
    new: Choice = field(default_factory=Choice)

    @property
    def same(self):
        return bool(self.new.trace) and self.old.trace == self.new.trace

    @property
    def speedup(self):
        """How many times faster the new choice is; None where either has no time."""
        if self.same:
            return 1.0
        old, new = self.old.milliseconds, self.new.milliseconds
        return old / new if old and new else None

    @property
    def predicted_speedup(self):
        if not self.old.predicted or not self.new.predicted:
            return None
        return self.old.predicted / self.new.predicted

    def checks(self):
        """What makes the run fail: of the new build a search without an answer, a schedule that does not
        compile, run or compute the right thing; not a time."""
        if self.new.failure and self.new.kind not in HARMLESS:
            return [f"{self.app}, {NEW}: {self.new.failure}"]
        return []

    def notes(self):
        lines = [
            f"note: {self.app}, {name}: {choice.failure}"
            for name, choice in ((OLD, self.old), (NEW, self.new))
            if choice.failure
        ]
        return [line for line in lines if not any(check in line for check in self.checks())]


class Choices:
    """old_probe and new_probe: of the two builds; `tools` are the new one's."""

    def __init__(self, tools, old_probe, new_probe, target, options, directory, progress):
        self._probes = {OLD: old_probe, NEW: new_probe}
        self._options, self._progress = options, progress
        work = directory / "work"
        if options.fresh:
            shutil.rmtree(work, ignore_errors=True)
        self._by_turns = ByTurns(tools, target, options.rounds, options.limits, work, progress)

    def run(self, apps):
        """Yields a Comparison for each app."""
        eta = Eta(len(apps))
        for name, app in apps.items():
            eta.start_step()
            self._progress.say(f"{name} ({eta.text()})")
            comparison = self._search(app)
            known = comparison.same or bool(comparison.old.failure or comparison.new.failure)
            if not known:
                known = self._measure(app, comparison)
            eta.end_step(known)
            yield comparison

    def _search(self, app):
        comparison = Comparison(app.name)
        algorithms = {}
        for name in (OLD, NEW):
            self._progress.show(f"{app.name}: the {name} search")
            answer = self._probes[name].ask(app, "search", self._options.limits, variant="full")
            choice = getattr(comparison, name)
            if answer.ok:
                choice.trace = answer.report["found"]["trace"]
                algorithms[name] = answer.report["algorithm"]
            else:
                choice.failure, choice.kind = f"searching: {answer.failure}", answer.kind
        if len(set(algorithms.values())) > 1:
            comparison.old.failure = "the app's algorithm was another one"
            comparison.old.trace = ""
        self._predict(app, comparison)
        return comparison

    def _predict(self, app, comparison):
        choices = [choice for choice in (comparison.old, comparison.new) if choice.trace]
        answer = self._probes[NEW].predict(
            app, [choice.trace for choice in choices], self._options.limits
        )
        if not answer.ok:
            return
        for choice, found in zip(choices, answer.report["found"]):
            choice.predicted = found.get("seconds")
            if "refused" in found:
                choice.failure, choice.kind = f"refused today: {found['refused']}", processes.ERROR

    def _measure(self, app, comparison):
        """Fills in samples and failures; whether an earlier run had found them."""
        schedules = {ROOT: PLAIN, OLD: comparison.old.trace, NEW: comparison.new.trace}
        measured, known = self._by_turns.measure(app, schedules, reference=ROOT)
        for name in (OLD, NEW):
            choice, timed = getattr(comparison, name), measured[name]
            choice.samples = timed.all_samples
            choice.failure, choice.kind = timed.failure, timed.kind
        return known


HEAD = ["app", "old ms", "new ms", "faster by", "predicted", ""]


def row(comparison):
    old, new = comparison.old, comparison.new
    if comparison.same:
        return [comparison.app, "-", "-", "-", "-", "the same schedule"]
    return [
        comparison.app, tables.number(old.milliseconds), tables.number(new.milliseconds),
        tables.times(comparison.speedup), tables.times(comparison.predicted_speedup),
        new.kind or old.kind,
    ]  # fmt: skip


def table(comparisons):
    return tables.align([HEAD] + [row(comparison) for comparison in comparisons])


def summary(comparisons):
    """The one line that is printed last."""
    speedups = [c.speedup for c in comparisons if c.speedup is not None]
    changed = [c.speedup for c in comparisons if c.speedup is not None and not c.same]
    text = f"apps: {len(comparisons)}; another schedule for {sum(not c.same for c in comparisons)}"
    if changed:
        text += f", faster by {tables.times(robust.geometric_mean(changed))} (geometric mean)"
        text += f"; over all apps by {tables.times(robust.geometric_mean(speedups))}"
        worst = min((c for c in comparisons if c.speedup is not None), key=lambda c: c.speedup)
        text += f"; the worst: {worst.app}, {tables.times(worst.speedup)}"
    return text


COLUMNS = ("app", "same", "failure_kind", "old_ms", "new_ms", "old_predicted_ms", "new_predicted_ms")


def write_csv(comparisons, directory):
    """results.csv: a row per app."""
    rows = [
        [c.app, int(c.same), c.new.kind or c.old.kind, c.old.milliseconds, c.new.milliseconds]
        + [None if p.predicted is None else 1e3 * p.predicted for p in (c.old, c.new)]
        for c in comparisons
    ]
    csv_file.write(directory / "results.csv", COLUMNS, rows)

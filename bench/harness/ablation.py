"""The search with one idea less at a time, on every app: what each idea saves and what it finds."""

import shutil
from dataclasses import asdict, dataclass, field

from bench.harness import csv_file, processes, robust, store, tables
from bench.harness.processes import Limits
from bench.harness.progress import Eta
from bench.harness.tools import processor_name

FULL = "full"  # what the others are compared with
# What is no failure of ours: some variants are there to be slow.
LIMITS_HIT = (processes.TIMEOUT, processes.OUT_OF_MEMORY)


@dataclass(frozen=True)
class Figure:
    column: str  # in the CSV
    title: str
    of: object  # report -> number


PREDICTED = Figure("predicted_ms", "predicted ms", lambda r: 1e3 * r["predicted_seconds"])
FIGURES = (
    Figure("states_generated", "states generated", lambda r: r["states"]["generated"]),
    Figure("kernels_evaluated", "kernels evaluated", lambda r: r["kernels_evaluated"]),
    Figure("kernels_remembered", "kernels remembered", lambda r: r["kernels_remembered"]),
    Figure("cpu_seconds", "search CPU s", lambda r: r["cpu_seconds"]),
    # What features and costs take: of a variant without the memo, every state's whole.
    Figure(
        "states_per_cpu_second",
        "states a CPU s",
        lambda r: r["states"]["generated"] / r["cpu_seconds"] if r["cpu_seconds"] else None,
    ),
    Figure("search_mb", "search MB", lambda r: r["kilobytes"] / 1024),
    PREDICTED,
)


@dataclass
class Outcome:
    app: str
    variant: str
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult
    report: dict = field(default_factory=dict)  # of the probe's task `search`

    def figure(self, figure):
        return None if self.failure else figure.of(self.report)


class AblationTable:
    def __init__(self, variants):
        self.variants = variants  # name -> its line of the probe's table
        self._outcomes = {}

    def add(self, outcome):
        self._outcomes[(outcome.app, outcome.variant)] = outcome

    def get(self, app, variant):
        return self._outcomes.get((app, variant))

    def all(self):
        return list(self._outcomes.values())

    def apps(self):
        return list(dict.fromkeys(app for app, _ in self._outcomes))

    def value(self, app, variant, figure):
        outcome = self.get(app, variant)
        return outcome.figure(figure) if outcome else None

    def ratio(self, app, variant, figure):
        """To the full search's; None where one has none, or the full search's is 0."""
        value, full = self.value(app, variant, figure), self.value(app, FULL, figure)
        return value / full if value is not None and full else None

    def mean(self, variant, figure):
        """Of the ratios over all apps; None if there are none."""
        ratios = [self.ratio(app, variant, figure) for app in self.apps()]
        ratios = [ratio for ratio in ratios if ratio is not None]
        return robust.geometric_mean(ratios) if ratios else None


def failed_checks(table):
    """A variant that must not change the result and did, or a search that ended badly."""
    checks = []
    for outcome in table.all():
        label = f"{outcome.app}, {outcome.variant}"
        if outcome.failure:
            if outcome.kind not in LIMITS_HIT:
                checks.append(f"{label}: {outcome.failure}")
            continue
        full = table.get(outcome.app, FULL)
        if not table.variants[outcome.variant]["same_result"] or full is None or full.failure:
            continue
        for what in ("trace", "states"):
            if outcome.report[what] != full.report[what]:
                checks.append(f"{label}: its {what} differs from that of the full search")
    return checks


@dataclass(frozen=True)
class AblationOptions:
    limits: Limits  # of one search
    fresh: bool = False
    retry_failures: bool = False


class Ablation:
    def __init__(self, probe, variants, options, directory, progress):
        self._probe, self._variants, self._options = probe, variants, options
        self._directory, self._progress = directory, progress
        self._lock = store.Lock(directory)
        if options.fresh:
            shutil.rmtree(directory / "work", ignore_errors=True)
        self._store = store.Store(directory / "work")

    def run(self, apps):
        """Yields the name of each app when it is done, with the table so far."""
        table, eta = AblationTable(self._variants), Eta(len(apps))
        try:
            for name, app in apps.items():
                eta.start_step()
                self._progress.say(f"{name} ({eta.text()})")
                all_known = True
                for variant in self._variants:
                    outcome, known = self._search(app, variant)
                    all_known = all_known and known
                    table.add(outcome)
                write_csv(table, self._directory / "results.csv")
                eta.end_step(all_known)
                yield name, table
        finally:
            self._lock.release()

    def _search(self, app, variant):
        """The outcome, and whether an earlier run had found it."""
        key = store.key(
            probe=self._probe.version(app), variant=variant, processor=processor_name()
        )
        record = f"{app.name}/{variant}"
        known = self._store.get(record, key)
        if known is not None and self._holds(known):
            return Outcome(**known["outcome"]), True
        self._progress.show(f"{app.name}: {variant}")
        answer = self._probe.ask(app, "search", self._options.limits, variant=variant)
        report = answer.report["found"] if answer.ok else {}
        outcome = Outcome(app.name, variant, answer.failure, answer.kind, report)
        value = {
            "outcome": asdict(outcome), "limits": asdict(self._options.limits),
            "seconds": answer.seconds, "peak_mb": answer.peak_mb,
        }  # fmt: skip
        self._store.put(record, key, value)
        return outcome, False

    def _holds(self, known):
        if self._options.retry_failures and known["outcome"]["failure"]:
            return False
        return processes.still_holds(
            known["outcome"]["kind"], known["seconds"], known["peak_mb"],
            Limits(**known["limits"]), self._options.limits,
        )  # fmt: skip


def write_csv(table, path):
    columns = ["app", "variant", "failure_kind", "failure"]
    columns += [figure.column for figure in FIGURES] + ["hit_memory_limit", "predicted_vs_full"]
    rows = [
        [outcome.app, outcome.variant, outcome.kind, outcome.failure]
        + [outcome.figure(figure) for figure in FIGURES]
        + [
            int(outcome.report.get("hit_memory_limit", False)),
            table.ratio(outcome.app, outcome.variant, PREDICTED),
        ]
        for outcome in table.all()
    ]
    csv_file.write(path, columns, rows)


def _number(value):
    return f"{value:.0f}" if isinstance(value, int) else tables.number(value)


def app_table(table, app):
    """One app: a row per variant, with the numbers as they are."""
    rows = [[app] + [figure.title for figure in FIGURES] + ["vs full", ""]]
    for variant in table.variants:
        outcome = table.get(app, variant)
        rows.append(
            [variant]
            + [_number(outcome.figure(figure)) for figure in FIGURES]
            + [tables.times(table.ratio(app, variant, PREDICTED)), outcome.kind]
        )
    return tables.align(rows)


def figure_table(table, figure):
    """All apps: the full search's number, and the others' ratios to it."""
    others = [variant for variant in table.variants if variant != FULL]
    rows = [[figure.title, FULL] + others]
    for app in table.apps():
        cells = [tables.times(table.ratio(app, variant, figure)) for variant in others]
        for at, variant in enumerate(others):
            outcome = table.get(app, variant)
            cells[at] = outcome.kind or cells[at] if outcome else "-"
        rows.append([app, _number(table.value(app, FULL, figure))] + cells)
    rows.append(
        ["geometric mean", ""] + [tables.times(table.mean(variant, figure)) for variant in others]
    )
    return tables.align(rows)


def mean_table(table):
    """A row per variant: the geometric means of all figures, against the full search's."""
    rows = [["geometric mean vs full"] + [figure.title for figure in FIGURES] + ["apps"]]
    for variant in table.variants:
        if variant == FULL:
            continue
        ratios = [table.ratio(app, variant, PREDICTED) for app in table.apps()]
        counted = sum(1 for ratio in ratios if ratio is not None)
        rows.append(
            [variant]
            + [tables.times(table.mean(variant, figure)) for figure in FIGURES]
            + [str(counted)]
        )
    return tables.align(rows)

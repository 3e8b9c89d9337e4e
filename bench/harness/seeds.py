"""One search per seed and app: how far apart the predicted times of the results are."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from bench.harness import csv_file, processes, robust, store, tables
from bench.harness.ablation import FULL
from bench.harness.processes import Limits
from bench.harness.tools import processor_name


@dataclass(frozen=True)
class Found:
    """What the search with one seed found; its predicted seconds are None after a failure."""

    app: str
    seed: int
    predicted_seconds: float | None = None
    cpu_seconds: float | None = None
    states: int = 0
    trace: str = ""
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult


@dataclass(frozen=True)
class Spread:
    """Of the predicted times of an app over the seeds."""

    app: str
    found: tuple

    def _predicted(self):
        return [f.predicted_seconds for f in self.found if f.predicted_seconds]

    @property
    def best(self):
        return min(self._predicted(), default=None)

    @property
    def best_seed(self):
        known = [f for f in self.found if f.predicted_seconds]
        return min(known, key=lambda f: f.predicted_seconds).seed if known else None

    @property
    def spread(self):
        """The worst over the best, less 1; None without two results."""
        times = self._predicted()
        return max(times) / min(times) - 1 if len(times) > 1 else None

    @property
    def over_best(self):
        """The geometric mean over the best, less 1: what a user loses by not trying seeds."""
        times = self._predicted()
        return robust.geometric_mean(times) / min(times) - 1 if times else None

    @property
    def mean_cpu_seconds(self):
        seconds = [f.cpu_seconds for f in self.found if f.cpu_seconds]
        return sum(seconds) / len(seconds) if seconds else None


@dataclass(frozen=True)
class SeedOptions:
    seeds: int
    limits: Limits  # of one search
    jobs: int = 1
    variant: str = FULL


class Seeds:
    def __init__(self, probe, options, directory, progress):
        self._probe, self._options, self._progress = probe, options, progress
        self._lock = store.Lock(directory)
        self._store = store.Store(directory / "work")

    def run(self, apps):
        """The spreads in the order of the apps. Several apps are searched at once."""
        try:
            with ThreadPoolExecutor(self._options.jobs) as pool:
                return list(pool.map(self._spread, apps.values()))
        finally:
            self._lock.release()

    def _spread(self, app):
        found = tuple(self._search(app, seed) for seed in range(self._options.seeds))
        spread = Spread(app.name, found)
        self._progress.say(f"{app.name}: {percent(spread.spread)}")
        return spread

    def _search(self, app, seed):
        options = self._options
        key = store.key(
            probe=self._probe.version(app), seed=seed, variant=options.variant,
            limits=asdict(options.limits), processor=processor_name(),
        )  # fmt: skip
        record = f"{app.name}/{options.variant}_{seed}"
        known = self._store.get(record, key)
        if known is not None:
            return Found(**known)
        answer = self._probe.ask(app, "search", options.limits, variant=options.variant, seed=seed)
        if answer.ok:
            report = answer.report["found"]
            found = Found(
                app.name, seed, report["predicted_seconds"], report["cpu_seconds"],
                report["states"]["generated"], report["trace"],
            )  # fmt: skip
        else:
            found = Found(app.name, seed, failure=answer.failure, kind=answer.kind)
        self._store.put(record, key, asdict(found))
        return found


def percent(share):
    return "-" if share is None else f"{100 * share:.1f}%"


def mean_spread(spreads):
    known = [s.spread for s in spreads if s.spread is not None]
    return sum(known) / len(known) if known else None


def most(spreads):
    """The spread that is the largest, or None."""
    return max((s for s in spreads if s.spread is not None), key=lambda s: s.spread, default=None)


def failures(spreads):
    return [
        f"{f.app}, seed {f.seed}: {f.failure}"
        for s in spreads
        for f in s.found
        if f.failure and f.kind not in (processes.TIMEOUT, processes.OUT_OF_MEMORY)
    ]


def table(spreads):
    seeds = max((len(s.found) for s in spreads), default=0)
    rows = [
        ["app", "best ms"] + [f"seed {i}" for i in range(seeds)]
        + ["spread", "mean over best", "search CPU s"]
    ]  # fmt: skip
    for s in spreads:
        rows.append(
            [s.app, tables.number(s.best and 1e3 * s.best)]
            + [
                f"{f.predicted_seconds / s.best:.3f}" if f.predicted_seconds else f.kind or "failed"
                for f in s.found
            ]
            + [percent(s.spread), percent(s.over_best), tables.number(s.mean_cpu_seconds)]
        )
    return tables.align(rows)


def summary(spreads):
    worst = most(spreads)
    if worst is None:
        return "no app has two results"
    over = [s.over_best for s in spreads if s.over_best is not None]
    seconds = [s.mean_cpu_seconds for s in spreads if s.mean_cpu_seconds]
    best = robust.geometric_mean(s.best for s in spreads if s.best)
    return (
        f"{len(spreads)} apps: spread in the mean {percent(mean_spread(spreads))}, at most "
        f"{percent(worst.spread)} ({worst.app}); a seed's result is over the best of all seeds by "
        f"{percent(sum(over) / len(over))} in the mean; search "
        f"{tables.number(sum(seconds) / len(seconds))} CPU s in the mean; best results "
        f"{tables.number(1e3 * best)} ms in geometric mean"
    )


def write_csv(spreads, path):
    columns = ["app", "seed", "predicted_ms", "over_best", "cpu_seconds", "states", "failure_kind"]
    rows = [
        [
            f.app, f.seed,
            1e3 * f.predicted_seconds if f.predicted_seconds else None,
            f.predicted_seconds / s.best if f.predicted_seconds else None,
            f.cpu_seconds, f.states, f.kind,
        ]
        for s in spreads
        for f in s.found
    ]  # fmt: skip
    csv_file.write(path, columns, rows)

"""One shot against mode=top_k: what both emit, run by turns, and what emitting took."""

import shutil
from dataclasses import dataclass, replace

from bench.harness import compile as compiling
from bench.harness import robust, rounds, tables
from bench.harness.schedulers import OURS, PLAIN, ROOT, cpu_schedulers
from bench.harness.targets import CPU

TOP_K = "top_k"


@dataclass(frozen=True)
class Mode:
    top_k: int
    benchmark_seconds: float
    threads: int


@dataclass
class Outcome:
    """Ratios are medians over the rounds, of the minima in a round. Where both modes emit the same code, its ratio to
    itself is 1, whatever the clock says."""

    app: str
    failure: str = ""
    one_shot_ms: float = None
    to_one_shot: robust.Ratio = None
    to_plain: robust.Ratio = None
    same: bool = False
    one_shot_seconds: float = None  # from generator to object
    top_k_seconds: float = None

    @property
    def takes(self):
        return self.top_k_seconds / self.one_shot_seconds


class Comparison:
    def __init__(self, tools, mode, options, limits, directory, progress):
        """options: rounds.RoundOptions; limits: of one generator; directory: a folder of its own."""
        self._tools, self._options, self._limits = tools, options, limits
        self._directory, self._progress = directory.resolve(), progress
        self._backend = None
        ours = cpu_schedulers(mode.threads)[OURS]
        measured = {
            "mode": "top_k", "top_k": str(mode.top_k), "benchmark_seconds": str(mode.benchmark_seconds),
        }  # fmt: skip
        self._schedulers = {
            ROOT: PLAIN,
            OURS: ours,
            TOP_K: replace(ours, name=TOP_K, parameters=ours.parameters | measured),
        }

    def compare(self, app):
        if self._backend is None:
            self._backend = compiling.compile_backend(
                self._tools, app, CPU, self._directory / "runtime"
            )
        folder = self._directory / app.name
        folder.mkdir(exist_ok=True)
        variants = {}
        for name, scheduler in self._schedulers.items():
            self._progress.show(f"{app.name}: {name}")
            variants[name] = compiling.compile_variant(
                self._tools, app, scheduler, self._backend, folder, self._limits
            )
        measured = rounds.measure(
            self._tools, app.name, variants, folder, self._options,
            progress=lambda text: self._progress.show(f"{app.name}: {text}"),
        )  # fmt: skip
        outcome = outcome_of(app.name, variants, measured)
        shutil.rmtree(folder)
        return outcome


def outcome_of(app, variants, measured):
    """variants: name -> CompiledVariant; measured: name -> MeasuredVariant."""
    outcome = Outcome(app)
    for name, variant in variants.items():
        failure = variant.failure or (measured[name].failure if name in measured else "not measured")
        if failure:
            outcome.failure = f"{name}: {failure}"
            return outcome
    one_shot, best, plain = measured[OURS], measured[TOP_K], measured[ROOT]
    objects = [variants[name].object_file.read_bytes() for name in (OURS, TOP_K)]
    outcome.same = objects[0] == objects[1]
    outcome.one_shot_ms = robust.minimum_ms(one_shot.all_samples)
    outcome.to_one_shot = (
        robust.Ratio(1, 1, 1)
        if outcome.same
        else robust.ratio_by_rounds(best.samples, one_shot.samples)
    )
    outcome.to_plain = robust.ratio_by_rounds(best.samples, plain.samples)
    outcome.one_shot_seconds = variants[OURS].process_seconds
    outcome.top_k_seconds = variants[TOP_K].process_seconds
    return outcome


def table(outcomes):
    rows = [["app", "one shot ms", "of one shot", "quartiles", "of plain", "one shot s", "top k s", "times"]]
    for one in outcomes:
        if one.failure:
            rows.append([one.app, one.failure] + [""] * 6)
            continue
        ratio = one.to_one_shot
        rows.append(
            [
                one.app,
                tables.number(one.one_shot_ms),
                "same" if one.same else f"{ratio.centre:.3f}",
                "" if one.same else f"{ratio.low:.3f} to {ratio.high:.3f}",
                f"{one.to_plain.centre:.3f}",
                tables.number(one.one_shot_seconds),
                tables.number(one.top_k_seconds),
                f"{one.takes:.2f}",
            ]
        )
    return tables.align(rows)


def summary(outcomes):
    good = [one for one in outcomes if not one.failure]
    lines = [f"check failed: {one.app}: {one.failure}" for one in outcomes if one.failure]
    if not good:
        return lines
    changed = sum(not one.same for one in good)
    slower = [one.app for one in good if one.to_one_shot.centre > 1.02]
    worse = [one.app for one in good if one.to_plain.centre > 1]
    return lines + [
        f"{len(good)} apps, {changed} with another schedule than in one shot; geometric mean of the time over one "
        f"shot's: {robust.geometric_mean(one.to_one_shot.centre for one in good):.3f}",
        f"more than 2 % slower than one shot: {', '.join(slower) or 'none'}; slower than the plain schedule: "
        f"{', '.join(worse) or 'none'}",
        f"time from generator to object over one shot's: geometric mean "
        f"{robust.geometric_mean(one.takes for one in good):.2f}, at most {max(one.takes for one in good):.2f}",
    ]

"""Batches of random schedules, drawn by the search's own choices, compiled from their traces and
measured together: what a cost model is judged by. A batch is worth hours and depends on no model
once it is drawn, so it is kept whole, with its traces, under a key of what was measured: the
algorithm, the call, the machine and how; not the code that drew or scheduled it."""

import os
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace

from bench.harness import compile as compiling
from bench.harness import processes, robust, rounds, store
from bench.harness.probe import Answer
from bench.harness.processes import Limits
from bench.harness.schedulers import PLAIN, ROOT, replaying
from bench.harness.tools import processor_name

COMPILING_SHARE = 0.6  # of the time for an app; the rest is for measuring
SLOW_SECONDS = 1.0  # noise is small against a longer call: one round is enough
# What is drawn, as in search/draw.h.
LIKELY, ANY = "likely", "any"
UNMEASURED = "not measured"  # the kind of what the time limit left out


@dataclass(frozen=True)
class BatchOptions:
    rounds: rounds.RoundOptions
    draw_limits: Limits  # of all of an app's schedules
    compile_limits: Limits  # of one of them
    samples: int = 100
    seed: int = 0
    draw: str = LIKELY  # or ANY
    seconds: float = 600  # for compiling and measuring one app's
    jobs: int = 1  # of compiling
    fresh: bool = False


@dataclass
class Sample:
    """One schedule. times: seconds per call, one list per round."""

    hash: str
    trace: str
    noise: float  # how it was drawn: search/draw.h
    beam_size: int
    tilings: int
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult, or UNMEASURED
    times: list = field(default_factory=list)

    @property
    def ok(self):
        return not self.failure and bool(self.all_times)

    @property
    def all_times(self):
        return [seconds for one_round in self.times for seconds in one_round]

    @property
    def milliseconds(self):
        return robust.minimum_ms(self.all_times)


@dataclass
class Batch:
    """The first sample is the search's choice when the batch was drawn."""

    app: str
    samples: list = field(default_factory=list)
    failure: str = ""  # why there is none
    kind: str = ""
    threads: int = 0
    processor: str = ""
    # A machine file of what the computer said of its cores and caches, to predict for.
    machine: dict = field(default_factory=dict)
    date: str = ""
    seconds: float = 0.0  # that it was given
    complete: bool = False  # the time was enough
    # Of the generator, where `app` is the generator's name: see apps.app_of().
    parameters: dict = field(default_factory=dict)

    def to_json(self):
        return asdict(self)

    @staticmethod
    def from_json(value):
        samples = [Sample(**sample) for sample in value["samples"]]
        return Batch(**(value | {"samples": samples}))


class Batches:
    """Makes batches, goes on with those that a killed run left, and finds those that are there."""

    def __init__(self, tools, probe, target, options, directory, progress):
        self._tools, self._probe, self._target = tools, probe, target
        self._options, self._progress = options, progress
        self._work = directory / "work"
        self._store = store.Store(self._work)
        self._backend = None

    def stored(self, app):
        """The batch that is there, or None."""
        value = self._store.latest(self._record(app, "batch"))
        return Batch.from_json(value) if value else None

    def collect(self, app):
        """The batch, and whether an earlier run had made it. Without one its failure says why."""
        if self._options.fresh:
            shutil.rmtree(self._folder(app), ignore_errors=True)
        about = self._probe.predict(app, [], self._options.compile_limits)
        if not about.ok:
            return Batch(app.name, failure=about.failure, kind=about.kind), False
        key = self._key(app, about.report["algorithm"])
        known = self._store.get(self._record(app, "batch"), key)
        if known and (known["complete"] or known["seconds"] >= self._options.seconds):
            return Batch.from_json(known), True
        batch = self._make(app, key, about.report["machine"])
        if not batch.failure:
            self._store.put(self._record(app, "batch"), key, batch.to_json())
            for folder in self._folder(app).glob("*/"):
                if folder.name != "compiled":  # records; the others hold libraries
                    shutil.rmtree(folder)
        return batch, False

    def _record(self, app, name):
        options = self._options
        seed = "seed" if options.draw == LIKELY else options.draw
        return f"{app.name}/{seed}{options.seed}_{options.samples}/{name}"

    def _folder(self, app):
        return (self._work / self._record(app, "")).resolve()

    def _key(self, app, algorithm):
        return store.key(
            algorithm=algorithm, app=[app.name, app.generator, app.parameters, app.call],
            target=self._target, processor=processor_name(), cores=os.cpu_count(),
            halide=[self._tools.halide_version, store.file_digest(self._tools.halide_library)],
            runner=[store.file_digest(file) for file in self._tools.runner_sources],
            rounds=asdict(self._options.rounds),
        )  # fmt: skip

    def _make(self, app, key, machine):
        options = self._options
        batch = Batch(
            app.name, threads=options.rounds.threads, processor=processor_name(), machine=machine,
            date=time.strftime("%Y-%m-%d"), seconds=options.seconds,
        )  # fmt: skip
        answer = self._draw(app, key)
        if not answer.ok:
            batch.failure, batch.kind = f"drawing: {answer.failure}", answer.kind
            return batch
        batch.samples = [Sample(**drawn) for drawn in answer.report]
        start = time.monotonic()
        variants = self._compile_all(
            app, key, batch.samples,
            lambda: time.monotonic() - start > COMPILING_SHARE * options.seconds,
        )  # fmt: skip
        root = variants[ROOT]
        if not root.ok:
            batch.failure, batch.kind = f"the plain schedule: {root.failure}", root.kind
            return batch
        measured, in_time = self._measure(
            app, key, variants, lambda: time.monotonic() - start > options.seconds
        )
        if measured[ROOT].failure:
            batch.failure, batch.kind = f"the plain schedule: {measured[ROOT].failure}", measured[ROOT].kind
            return batch
        batch.complete = in_time
        for sample in batch.samples:
            variant, times = variants.get(sample.hash), measured.get(sample.hash)
            if variant is None:
                batch.complete = False
            else:
                sample.failure, sample.kind = variant.failure, variant.kind
            if times is not None:
                sample.times = times.samples
                sample.failure, sample.kind = times.failure, times.kind
            if not sample.failure and not sample.times:
                sample.failure, sample.kind = "there was no time left for it", UNMEASURED
        return batch

    def _draw(self, app, key):
        record = self._record(app, "drawn")
        known = self._store.get(record, key)
        if known is None:
            self._progress.show(f"{app.name}: drawing schedules")
            answer = self._probe.ask(
                app, "draw", self._options.draw_limits,
                count=self._options.samples, seed=self._options.seed,
                **{"from": self._options.draw},
            )  # fmt: skip
            if not answer.ok:
                return answer
            known = answer.report["found"]
            self._store.put(record, key, known)
        return Answer(report=known)

    def _compile_all(self, app, key, samples, out_of_time):
        """hash or ROOT -> CompiledVariant, of those that there was time for."""
        if self._backend is None:
            self._backend = compiling.compile_backend(
                self._tools, app, self._target, self._work / "runtime"
            )
        variants = {ROOT: self._compile(app, key, PLAIN, ROOT)}
        done = 0

        def compile_sample(sample):
            nonlocal done
            if out_of_time():
                return
            folder = self._folder(app) / sample.hash
            replay = replaying(sample.trace, self._options.rounds.threads, folder)
            variants[sample.hash] = self._compile(app, key, replay, sample.hash)
            done += 1
            self._progress.show(f"{app.name}: compiled {done} of {len(samples)}")

        with ThreadPoolExecutor(self._options.jobs) as pool:
            try:
                for finished in [pool.submit(compile_sample, sample) for sample in samples]:
                    finished.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        # In the order of the batch, whoever was compiled first.
        names = [ROOT] + [sample.hash for sample in samples]
        return {name: variants[name] for name in names if name in variants}

    def _compile(self, app, key, scheduler, name):
        record = self._record(app, f"compiled/{name}")
        known = self._store.get(record, key)
        if known is not None:
            variant = compiling.variant_from_json(known["variant"])
            holds = processes.still_holds(
                variant.kind, variant.process_seconds, variant.process_peak_mb,
                Limits(**known["limits"]), self._options.compile_limits,
            )  # fmt: skip
            if holds and (not variant.ok or variant.library.exists()):
                return variant
        folder = self._folder(app) / name
        folder.mkdir(parents=True, exist_ok=True)
        variant = compiling.compile_variant(
            self._tools, app, scheduler, self._backend, folder, self._options.compile_limits
        )
        if variant.object_file is not None:
            variant.object_file.unlink()
            variant.object_file = None
        value = {
            "variant": compiling.variant_to_json(variant),
            "limits": asdict(self._options.compile_limits),
        }
        self._store.put(record, key, value)
        return variant

    def _measure(self, app, key, variants, out_of_time):
        """name -> MeasuredVariant over all rounds, and whether there was time for all of them.
        Every round has its own order and its own record."""
        options = self._options.rounds
        total, left = {}, dict(variants)
        for number in range(options.rounds):
            round_key = store.key(batch=key, variants=list(variants))
            record = self._record(app, f"round{number + 1}")
            known = self._store.get(record, round_key)
            if known is not None:
                measured = {name: rounds.MeasuredVariant(**one) for name, one in known.items()}
            elif total and out_of_time():
                return total, False
            else:
                names = list(left)
                random.Random(f"{self._options.seed} {number}").shuffle(names)
                measured = rounds.measure(
                    self._tools, app.name, {name: left[name] for name in names},
                    self._folder(app), replace(options, rounds=1), out_of_time=out_of_time,
                    progress=lambda text: self._progress.show(
                        f"{app.name}: round {number + 1} of {options.rounds}: {text}"
                    ),
                )  # fmt: skip
                for output in self._folder(app).glob("*.output"):
                    output.unlink()
                if whole := all(one.samples or one.failure for one in measured.values()):
                    value = {name: asdict(one) for name, one in measured.items()}
                    self._store.put(record, round_key, value)
            for name, one in measured.items():
                _add(total.setdefault(name, rounds.MeasuredVariant()), one)
            if measured[ROOT].failure or not (known or whole):
                return total, False
            left = {name: v for name, v in left.items() if name == ROOT or _again(total.get(name))}
        return total, True


def _again(measured):
    """Is another round worth its time?"""
    if measured is None:  # it could not be run at all
        return False
    return not measured.failure and min(measured.all_samples, default=0) < SLOW_SECONDS


def _add(total, one_round):
    total.samples += one_round.samples
    if one_round.failure:
        total.failure, total.kind = one_round.failure, one_round.kind
    total.differing_fraction = max(total.differing_fraction, one_round.differing_fraction)
    total.largest_difference = max(total.largest_difference, one_round.largest_difference)
    total.notes += [note for note in one_round.notes if note not in total.notes]

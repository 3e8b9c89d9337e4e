"""Schedules of one app, compiled one by one and measured by turns. What was measured is kept, under a key
of all that could change it."""

import os
import shutil
from dataclasses import asdict, dataclass, field

from bench.harness import compile as compiling
from bench.harness import rounds, store
from bench.harness.schedulers import OURS, Scheduler, replaying
from bench.harness.tools import processor_name


@dataclass
class Timed:
    samples: list = field(default_factory=list)  # seconds per call, a list per round
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult

    @property
    def all_samples(self):
        return [sample for one_round in self.samples for sample in one_round]


class ByTurns:
    def __init__(self, tools, target, options, limits, work, progress):
        """options: rounds.RoundOptions; limits: of one compilation; work: a folder of its own."""
        self._tools, self._target, self._options, self._limits = tools, target, options, limits
        self._work, self._progress = work.resolve(), progress
        self._work.mkdir(parents=True, exist_ok=True)
        self._store = store.Store(self._work)
        self._backend = None

    def measure(self, app, schedules, reference):
        """schedules: name -> a Scheduler, or a trace's text, which Cryolite replays. All outputs are
        compared with those of the one called `reference`. Returns name -> Timed, and whether an earlier
        run had measured them."""
        key = self._key(app, schedules, reference)
        known = self._store.get(app.name, key)
        if known is not None:
            return {name: Timed(**value) for name, value in known.items()}, True
        found = self._measure_anew(app, schedules, reference)
        self._store.put(app.name, key, {name: asdict(timed) for name, timed in found.items()})
        return found, False

    def _measure_anew(self, app, schedules, reference):
        if self._backend is None:
            self._backend = compiling.compile_backend(
                self._tools, app, self._target, self._work / "runtime"
            )
        folder = self._work / app.name
        variants = {
            name: self._compile(app, name, schedule, folder / name)
            for name, schedule in schedules.items()
        }
        measured = rounds.measure(
            self._tools, app.name, variants, folder, self._options, reference=reference,
            progress=lambda text: self._progress.show(f"{app.name}: {text}"),
        )  # fmt: skip
        shutil.rmtree(folder)
        return {
            name: Timed(one.samples, one.failure, one.kind)
            if (one := measured.get(name))
            else Timed(failure=variant.failure, kind=variant.kind)
            for name, variant in variants.items()
        }

    def _compile(self, app, name, schedule, folder):
        self._progress.show(f"{app.name}: compiling {name}")
        folder.mkdir(parents=True, exist_ok=True)
        if not isinstance(schedule, Scheduler):
            schedule = replaying(schedule, self._options.threads, folder)
        return compiling.compile_variant(
            self._tools, app, schedule, self._backend, folder, self._limits
        )

    def _key(self, app, schedules, reference):
        tools = self._tools
        files = [tools.plugins[OURS], tools.generator(app.generator), tools.halide_library]
        return store.key(
            schedules={
                name: asdict(one) if isinstance(one, Scheduler) else one
                for name, one in schedules.items()
            },
            reference=reference, parameters=app.parameters, call=app.call, target=self._target,
            processor=processor_name(), cores=os.cpu_count(),
            files=[store.file_digest(file) for file in [*files, *tools.runner_sources]],
            options=asdict(self._options), limits=asdict(self._limits),
        )  # fmt: skip

"""All schedulers on all apps, for one target: compiled one after the other, run in alternating
rounds. What ./dev bench cpu and ./dev bench peers have in common."""

import os
import shutil
import time
from dataclasses import asdict, dataclass

from bench.harness import compile as compiling
from bench.harness import processes, ptxas, rounds, store, tables, targets
from bench.harness.processes import Limits
from bench.harness.progress import Eta
from bench.harness.results import Result, ResultTable, write_csv
from bench.harness.tools import BUSY_LOAD, processor_name


@dataclass(frozen=True)
class RaceOptions:
    rounds: rounds.RoundOptions
    limits: Limits  # of one scheduling
    keep: bool = True  # what is found, for a later run
    fresh: bool = False  # forgets what an earlier run kept
    retry_failures: bool = False  # those that an earlier run kept
    link: bool = False  # also what cannot run here


class Race:
    """`directory` belongs to this target: programs, records of what is known, results."""

    def __init__(self, tools, target, schedulers, options, directory, progress):
        self._tools, self._target, self._schedulers = tools, target, schedulers
        self._options, self._directory, self._progress = options, directory, progress
        self.why_not_run = targets.why_not_runnable(target)
        self._links = options.link or not self.why_not_run
        self._lock = store.Lock(directory)
        self._work = directory / "work"
        if options.fresh or not options.keep:
            shutil.rmtree(self._work, ignore_errors=True)
        self._work.mkdir(exist_ok=True)
        self._store = store.Store(self._work if options.keep else None)
        self._backend = None
        self._dates, self._busy = set(), []
        self._common_key = store.key(
            processor=processor_name(),
            cores=os.cpu_count(),
            target=target,
            halide=[tools.halide_version, store.file_digest(tools.halide_library)],
            compiler=tools.compiler,
            runnable=self._links,
        )

    def close(self):
        """Lets other runs write into the directory. run() does so when it ends."""
        self._lock.release()

    def run(self, apps):
        """Yields the name of each app when it is done, with the table so far."""
        try:
            yield from self._run(apps)
        finally:
            self._lock.release()

    def _run(self, apps):
        table = ResultTable()
        eta = Eta(len(apps))
        for name, app in apps.items():
            eta.start_step()
            self._progress.say(f"{self._target}: {name} ({eta.text()})")
            results, known_before = self._race_app(app)
            for result in results:
                table.add(result)
            write_csv(table, self._directory)
            eta.end_step(known_before)
            yield name, table

    def _compile_key(self, app, scheduler):
        plugin = self._tools.plugins.get(scheduler.plugin) if scheduler.autoscheduler else None
        plugins = [plugin, self._tools.plugins["Timed"]] if plugin else []
        return store.key(
            common=self._common_key,
            generator=store.file_digest(self._tools.generator(app.generator)),
            plugins=[store.file_digest(file) for file in plugins],
            app=[app.name, app.generator, app.parameters],
            scheduler=asdict(scheduler),
        )

    def _known_variant(self, record, key):
        value = self._store.get(record, key)
        if value is None:
            return None
        variant = compiling.variant_from_json(value["variant"])
        if variant.library is not None and not variant.library.exists():
            return None
        if self._options.retry_failures and not variant.ok:
            return None
        holds = processes.still_holds(
            variant.kind, variant.process_seconds, variant.process_peak_mb,
            Limits(**value["limits"]), self._options.limits,
        )  # fmt: skip
        return variant if holds else None

    def _compile(self, app, scheduler, directory):
        """The variant, and whether an earlier run had made it."""
        key = self._compile_key(app, scheduler)
        record = f"{app.name}/{scheduler.name}"
        known = self._known_variant(record, key)
        if known is not None:
            return known, True
        self._progress.show(f"{app.name}: scheduling with {scheduler.name}")
        variant = compiling.compile_variant(
            self._tools, app, scheduler, self._backend_for(app), directory, self._options.limits
        )
        if variant.ok and targets.interface(self._target) == "cuda":
            capability = targets.cuda_capability(self._target)
            variant.kernels = ptxas.report(variant.object_file, capability)
        if variant.object_file is not None:
            variant.object_file.unlink()
            variant.object_file = None
        value = {
            "variant": compiling.variant_to_json(variant), "limits": asdict(self._options.limits),
        }  # fmt: skip
        self._store.put(record, key, value)
        outcome = variant.failure or f"{tables.number(variant.process_seconds)} s"
        self._progress.say(f"{app.name}: {scheduler.name}: {outcome}")
        return variant, False

    def _backend_for(self, app):
        """The same for all apps: any generator can emit the runtime."""
        if self._backend is None:
            if not self._links:
                self._backend = compiling.Backend(self._target)
            else:
                self._backend = compiling.compile_backend(
                    self._tools, app, self._target, self._work / "runtime"
                )
        return self._backend

    def compile(self, app):
        """The variants by their schedulers' names, without running any."""
        return self._compile_all(app)[0]

    def _compile_all(self, app):
        """The variants, whether all were known before, and their keys."""
        directory = self._work / app.name
        directory.mkdir(exist_ok=True)
        compiled, all_known, keys = {}, True, []
        for scheduler in self._schedulers.values():
            variant, known = self._compile(app, scheduler, directory)
            compiled[scheduler.name] = variant
            all_known = all_known and known
            keys.append(self._compile_key(app, scheduler))
        return compiled, all_known, keys

    def _race_app(self, app):
        """The results, and whether all were known before."""
        compiled, all_known, keys = self._compile_all(app)
        directory = self._work / app.name
        measured, known = self._measure(app, compiled, keys, directory)
        results = [
            Result(app.name, name, variant, measured.get(name))
            for name, variant in compiled.items()
        ]
        return results, all_known and known

    def _measure(self, app, compiled, keys, directory):
        if self.why_not_run:
            return {}, True
        # A schedule made anew may differ even under the same key, so the files are asked as well.
        round_key = store.key(
            compiled=keys,
            libraries=[store.file_digest(v.library) if v.library else "" for v in compiled.values()],
            # Not the runner itself: it has the list of apps in it, and one more app is no reason
            # to measure the others again.
            runner=[store.file_digest(file) for file in self._tools.runner_sources],
            call=app.call,
            options=asdict(self._options.rounds),
        )
        # One record per set of schedulers: a run of fewer leaves the others' comparison alone.
        record = f"{app.name}/measured_{store.key(schedulers=list(compiled))[:12]}"
        known = self._store.get(record, round_key)
        if known is not None:
            self._remember(app, known["date"], known["load"])
            measured = known["measured"]
            return {name: rounds.MeasuredVariant(**one) for name, one in measured.items()}, True
        date, load = time.strftime("%Y-%m-%d"), os.getloadavg()[0]
        self._remember(app, date, load)
        measured = rounds.measure(
            self._tools, app.name, compiled, directory, self._options.rounds,
            progress=lambda text: self._progress.show(f"{app.name}: {text}"),
        )  # fmt: skip
        for output in directory.glob("*.output"):
            output.unlink()
        value = {
            "date": date, "load": load,
            "measured": {name: asdict(variant) for name, variant in measured.items()},
        }  # fmt: skip
        self._store.put(record, round_key, value)
        return measured, False

    def _remember(self, app, date, load):
        self._dates.add(date)
        # The race itself keeps as many cores busy as it has threads.
        if load > self._options.rounds.threads + BUSY_LOAD * (os.cpu_count() or 1):
            self._busy.append(app.name)

    def notes(self):
        """When, and under what disturbance, the apps were measured; a line each."""
        lines = []
        if self._dates:
            lines.append(f"measured: {' to '.join(sorted({min(self._dates), max(self._dates)}))}")
        if self._busy:
            lines.append(
                f"note: other work was on the machine while these were measured, and only large "
                f"ratios of theirs mean something: {', '.join(self._busy)}"
            )
        return lines

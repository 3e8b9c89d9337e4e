"""Asks the search about an app, with nothing compiled: the app's generator runs with SearchProbe
(bench/search_probe) in an autoscheduler's place, which writes a report and ends the run."""

import json
from dataclasses import dataclass

from bench.harness import processes, store
from bench.harness.processes import Limits
from bench.harness.targets import HOSTS_OF_PRESETS, preset_of

PROBE = "SearchProbe"


@dataclass(frozen=True)
class Answer:
    """report is what the task gives, as search_probe.cpp says; None after a failure."""

    report: object = None
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult
    seconds: float = 0.0  # of the whole process
    peak_mb: float = 0.0

    @property
    def ok(self):
        return not self.failure


class Probe:
    def __init__(self, tools, target, threads, directory):
        """threads: those of the apps, for which schedules are made."""
        self._tools, self._target, self._threads = tools, target, threads
        self._directory = directory  # for reports in passing
        directory.mkdir(parents=True, exist_ok=True)

    def version(self, app):
        """Changes with whatever could change an answer about the app."""
        files = [self._tools.plugins[PROBE], self._tools.generator(app.generator)]
        halide = [self._tools.halide_version, store.file_digest(self._tools.halide_library)]
        return [app.name, app.generator, app.parameters, self._target, self._threads, halide] + [
            store.file_digest(file) for file in files
        ]

    def ask(self, app, task, limits, target=None, **parameters):
        report = self._directory / f"{app.name}_{task}.report"
        report.unlink(missing_ok=True)
        command = [
            str(self._tools.generator(app.generator)), "-g", app.generator, "-f", app.name,
            "-o", str(self._directory), "-e", "schedule", "-p", str(self._tools.plugins[PROBE]),
            *(f"{key}={value}" for key, value in app.parameters.items()),
            f"target={target or self._target}-no_runtime", f"autoscheduler={PROBE}",
            f"autoscheduler.task={task}", f"autoscheduler.report={report}",
            f"autoscheduler.parallelism={self._threads}",
            *(f"autoscheduler.{name}={value}" for name, value in parameters.items()),
        ]  # fmt: skip
        result = processes.run(command, limits)
        used = {"seconds": result.wall_seconds, "peak_mb": result.peak_mb}
        if not result.ok:
            return Answer(failure=processes.describe_failure(result), kind=result.kind, **used)
        try:
            return Answer(report=json.loads(report.read_text(encoding="utf-8")), **used)
        except (OSError, ValueError) as error:
            return Answer(failure=f"no report: {error}", kind=processes.ERROR, **used)
        finally:
            report.unlink(missing_ok=True)

    def predict(self, app, traces, limits, machine=None, **parameters):
        """What the model of today says of each trace, in their order. machine: a machine file's
        contents, whose preset names the target; without one both are the computer here."""
        return self.ask_of_traces(app, "predict", traces, limits, machine, **parameters)

    def stages(self, app, traces, limits, machine=None):
        """The raw terms and the features of each trace's stages, in their order."""
        return self.ask_of_traces(app, "stages", traces, limits, machine)

    def ask_of_traces(self, app, task, traces, limits, machine=None, **parameters):
        file = self._directory / f"{app.name}.traces"
        machine_file = self._directory / f"{app.name}.machine.json"
        store.write_json(file, list(traces))
        parameters["traces"] = file
        if machine:
            parameters["target"] = HOSTS_OF_PRESETS.get(preset_of(machine))
            store.write_json(machine_file, machine)
            parameters["machine"] = machine_file
        try:
            return self.ask(app, task, limits, **parameters)
        finally:
            file.unlink(missing_ok=True)
            machine_file.unlink(missing_ok=True)


def variants_of(probe, app):
    """The table of bench/search_probe/variants.h; any app's generator can give it."""
    answer = probe.ask(app, "variants", Limits(seconds=60, memory_mb=4096))
    if not answer.ok:
        raise SystemExit(f"cannot ask for the variants of the search: {answer.failure}")
    return {variant["name"]: variant for variant in answer.report["found"]}

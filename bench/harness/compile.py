"""From an app and a scheduler to a shared library that the runner can open."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.harness import processes, ptxas
from bench.harness.processes import Limits
from bench.harness.schedulers import OURS

# Linking one object file is not what is measured; the limit only catches a hanging linker.
LINK_LIMITS = Limits(seconds=120, memory_mb=4096)


@dataclass(frozen=True)
class Backend:
    """What variants are compiled for. Without a runtime they are not linked, since nothing here
    could run them."""

    target: str
    runtime: Path = None


@dataclass
class CompiledVariant:
    """A variant is usable when failure is empty; without a library it is only compiled. Times are of the scheduling process alone:
    `scheduling` is what the autoscheduler itself took (None where none ran or it failed), `process`
    the whole generator, with Halide's lowering and LLVM."""

    app: str
    scheduler: str
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult
    object_file: Path = None
    library: Path = None
    log: str = ""
    process_seconds: float = 0.0
    process_cpu_seconds: float = 0.0
    process_peak_mb: float = 0.0
    scheduling_seconds: float = None
    scheduling_cpu_seconds: float = None
    scheduling_peak_mb: float = None
    kernels: ptxas.KernelReport = None  # where they were looked at
    # The least that any schedule of the app could take by the roofline model; None where ours did not say.
    least_seconds: float = None

    @property
    def ok(self):
        return not self.failure


def variant_to_json(variant):
    paths = {"object_file": variant.object_file, "library": variant.library}
    return asdict(variant) | {name: str(path) if path else None for name, path in paths.items()}


def variant_from_json(value):
    paths = {name: Path(value[name]) if value[name] else None for name in ("object_file", "library")}
    kernels = ptxas.KernelReport(**value["kernels"]) if value["kernels"] else None
    return CompiledVariant(**(value | paths | {"kernels": kernels}))


def generator_command(
    tools, app, scheduler, target, stem, directory, report, extra_parameters=None, emit="object"
):
    """The command that any user would type, except that the autoscheduler is called through the
    one that takes its time. `emit`: what is wanted beside the schedule, as for -e."""
    command = [
        str(tools.generator(app.generator)), "-g", app.generator, "-f", app.name, "-n", stem,
        "-o", str(directory), *(f"{key}={value}" for key, value in app.parameters.items()),
    ]  # fmt: skip
    target = f"{target}-no_runtime"
    if not scheduler.autoscheduler:
        return command + ["-e", emit, f"target={target}", f"schedule={scheduler.name}"]
    plugins = f"{tools.plugins['Timed']},{tools.plugins[scheduler.plugin]}"
    parameters = scheduler.parameters | (extra_parameters or {})
    return (
        command
        + ["-e", f"{emit},schedule", "-p", plugins, f"target={target}", "autoscheduler=Timed"]
        + [f"autoscheduler.scheduler={scheduler.plugin}", f"autoscheduler.report={report}"]
        + [f"autoscheduler.{name}={value}" for name, value in parameters.items()]
    )


def compile_runtime(tools, app, target, directory):
    """Halide's runtime as one object file, the same for all variants: compiling it with each would
    add the same second to everybody's time. Any app's generator can emit it."""
    result = processes.run(
        [str(tools.generator(app.generator)), "-r", "runtime", "-o", str(directory), "-e", "object"]
        + [f"target={target}"],
        LINK_LIMITS,
    )
    if not result.ok:
        raise SystemExit(f"cannot emit Halide's runtime: {result.failure}: {result.errors}")
    return directory / "runtime.o"


def compile_backend(tools, app, target, directory):
    """The target with its runtime in the directory, which must be the target's own."""
    directory.mkdir(parents=True, exist_ok=True)
    return Backend(target, compile_runtime(tools, app, target, directory))


def link_variant(tools, variant, backend, library):
    """Makes the library of the variant's object file and the runtime, or sets its failure."""
    link = processes.run(
        [tools.compiler, "-shared", "-o", str(library), str(variant.object_file)]
        + [str(backend.runtime)]
        + ["-lpthread", "-ldl", "-lm"],
        LINK_LIMITS,
    )
    if not link.ok:
        variant.failure, variant.kind = f"linking: {processes.describe_failure(link)}", link.kind
        return
    variant.library = library.resolve()


def least_seconds(file):
    """Of an explanation that ours has written (docs/explain.md)."""
    if not file.exists():
        return None
    explanation = json.loads(file.read_text(encoding="utf-8"))
    return max(explanation["least_arithmetic_seconds"], explanation["least_traffic_seconds"]) or None


def compile_variant(tools, app, scheduler, backend, directory, limits, extra_parameters=None):
    """Makes <directory>/<app.name>_<scheduler>.so under the limits and says what it took."""
    variant = CompiledVariant(app=app.name, scheduler=scheduler.name)
    if scheduler.autoscheduler and scheduler.plugin not in tools.plugins:
        variant.failure, variant.kind = "its plugin is not built here", processes.MISSING
        return variant
    stem = f"{app.name}_{scheduler.name}"
    report = directory / f"{stem}.scheduling.json"
    report.unlink(missing_ok=True)
    explanation = directory / f"{stem}.explanation.json"
    explanation.unlink(missing_ok=True)
    if scheduler.name == OURS:
        extra_parameters = {"explain": str(explanation), **(extra_parameters or {})}
    command = generator_command(
        tools, app, scheduler, backend.target, stem, directory, report, extra_parameters
    )
    result = processes.run(command, limits)
    variant.process_seconds = result.wall_seconds
    variant.process_cpu_seconds = result.cpu_seconds
    variant.process_peak_mb = result.peak_mb
    variant.log = result.errors
    if report.exists():  # also when the compiler failed after the scheduler had succeeded
        times = json.loads(report.read_text(encoding="utf-8"))
        variant.scheduling_seconds = times["seconds"]
        variant.scheduling_cpu_seconds = times["cpu_seconds"]
        variant.scheduling_peak_mb = times["peak_kilobytes"] / 1024
    variant.least_seconds = least_seconds(explanation)
    explanation.unlink(missing_ok=True)
    if not result.ok:
        variant.failure, variant.kind = processes.describe_failure(result), result.kind
        return variant
    variant.object_file = (directory / f"{stem}.o").resolve()
    if backend.runtime is None:
        return variant

    link_variant(tools, variant, backend, directory / f"{stem}.so")
    return variant

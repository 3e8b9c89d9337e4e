"""./dev bench gpu_check: do the apps' own GPU schedules, and Cryolite's, compute what their plain CPU
schedule does?
A check and not a race: every variant is called once. See bench/README.md."""

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import compile as compiling
from bench.harness import ptxas, rounds, tables, targets
from bench.harness.apps import chosen, known_apps
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.schedulers import GPU_STRATEGIES, MANUAL, OURS, ROOT, Scheduler
from bench.harness.tools import load_tools

SMOKE_APPS = ["blur", "hist"]
REFERENCE = "cpu_root"  # also the variant's name in files
HEAD = [
    "app", "schedule", "target", "compile s", "first call ms", "registers", "spills", "result",
]  # fmt: skip


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev bench gpu_check",
        description="Compiles the manual, the plain, autogpu's and Cryolite's GPU schedule of each app, runs "
        "them where there is a device (PoCL's OpenCL on a CPU is one) and compares their outputs "
        "with the plain CPU schedule's.",
    )
    parser.add_argument("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--smoke", action="store_true", help=f"only {', '.join(SMOKE_APPS)}")
    parser.add_argument("--apps", metavar="A,B", help="only these apps")
    parser.add_argument(
        "--target", help=f"to run ({targets.OPENCL} if a device is found, else none)"
    )
    parser.add_argument(
        "--compile-target", default=targets.CUDA, help=f"only compiled for ({targets.CUDA})"
    )
    parser.add_argument(
        "--limit-seconds", type=float, default=120, metavar="S", help="per variant and step (120)"
    )
    parser.add_argument(
        "--limit-memory-mb", type=float, default=8192, metavar="MB", help="for each (8192)"
    )
    parser.add_argument("--output", type=Path, help="where to write (BUILD/bench/gpu_check)")
    return parser.parse_args()


SCHEDULES = (ROOT, MANUAL, *GPU_STRATEGIES, OURS)


def own(name):
    if name in GPU_STRATEGIES:
        return Scheduler(name, autoscheduler=True, ours=True, parameters={"strategy": name})
    return Scheduler(name, autoscheduler=name == OURS, ours=True)


class Check:
    def __init__(self, tools, arguments, directory, progress):
        self._tools = tools
        self._limits = Limits(arguments.limit_seconds, arguments.limit_memory_mb)
        self._options = rounds.RoundOptions(rounds=1, once=True, limits=self._limits)
        self._directory = directory
        self._progress = progress
        self._compile_target = arguments.compile_target
        self._run_target = arguments.target
        if self._run_target is None and not targets.why_not_runnable(targets.OPENCL):
            self._run_target = targets.OPENCL
        self._backends = {}

    def describe(self):
        if not self._run_target:
            return f"no OpenCL device here: only compiling, for {self._compile_target}"
        names = [device.name for device in targets.devices_of(self._run_target)]
        return f"running on {self._run_target} ({', '.join(names)}), compiling for {self._compile_target}"

    def _backend(self, app, target):
        if target not in self._backends:
            self._backends[target] = compiling.compile_backend(
                self._tools, app, target, self._directory / target
            )
        return self._backends[target]

    def _compile(self, app, schedule, backend, label):
        directory = self._directory / app.name / label
        directory.mkdir(parents=True)
        self._progress.show(f"{app.name}: compiling {label}")
        return compiling.compile_variant(
            self._tools, app, own(schedule), backend, directory, self._limits
        )

    def app(self, app):
        """The table's rows for one app."""
        variants, measured = {}, {}
        if self._run_target:
            variants[REFERENCE] = self._compile(
                app, ROOT, self._backend(app, targets.CPU), REFERENCE
            )
            for schedule in SCHEDULES:
                variants[schedule] = self._compile(
                    app, schedule, self._backend(app, self._run_target), f"run_{schedule}"
                )
            measured = rounds.measure(
                self._tools, app.name, variants, self._directory / app.name, self._options,
                reference=REFERENCE,
                progress=lambda text: self._progress.show(f"{app.name}: {text}"),
            )  # fmt: skip
        rows = []
        for name, variant in variants.items():
            target = targets.CPU if name == REFERENCE else self._run_target
            schedule = ROOT if name == REFERENCE else name
            run = measured.get(name)
            failure = variant.failure or (run.failure if run else "")
            compared = name != REFERENCE and not measured_failed(measured, REFERENCE)
            good = "right" if compared else "ran" if name == REFERENCE else "nothing to compare with"
            milliseconds = 1e3 * run.all_samples[0] if run and run.all_samples else None
            rows.append(
                [app.name, schedule, target, tables.number(variant.process_seconds)]
                + [tables.number(milliseconds), "", "", failure or good]
            )
        for schedule in SCHEDULES:
            rows.append(self._compile_only(app, schedule))
        return rows

    def _compile_only(self, app, schedule):
        backend = compiling.Backend(self._compile_target)
        variant = self._compile(app, schedule, backend, f"compile_{schedule}")
        kernels = None
        if variant.ok and targets.interface(self._compile_target) == "cuda":
            capability = targets.cuda_capability(self._compile_target)
            kernels = ptxas.report(variant.object_file, capability)
        outcome = variant.failure or (kernels.failure if kernels else "") or "compiles"
        numbers = ["", ""]
        if kernels and not kernels.failure:
            numbers = [str(kernels.registers), str(kernels.spill_bytes)]
        return (
            [app.name, schedule, self._compile_target, tables.number(variant.process_seconds), ""]
            + numbers
            + [outcome]
        )


def measured_failed(measured, name):
    return name not in measured or bool(measured[name].failure)


def main():
    arguments = parse_arguments()
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps or arguments.smoke:
        apps = chosen(arguments.apps or ",".join(SMOKE_APPS), apps, "app")
    directory = arguments.output or arguments.build_dir / "bench" / "gpu_check"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    progress = Progress()
    check = Check(tools, arguments, directory, progress)
    print(check.describe(), flush=True)
    rows, bad = [HEAD], []
    try:
        for app in apps.values():
            app_rows = check.app(app)
            progress.clear()
            print("\n".join("  ".join(cell for cell in row if cell) for row in app_rows), flush=True)
            rows += app_rows
            bad += [row for row in app_rows if row[-1] not in ("right", "ran", "compiles")]
            shutil.rmtree(directory / app.name, ignore_errors=True)
    except KeyboardInterrupt:
        return 130
    lines = [check.describe(), ""] + tables.align(rows, left_columns=3)
    (directory / "results.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n" + "\n".join(lines))
    for row in bad:
        print(f"check failed: {row[0]}, {row[1]}, {row[2]}: {row[-1]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

"""./dev bench cpu: run time of our schedules, of Halide's other autoschedulers' and of the apps'
own, on this machine. See bench/README.md for how it measures and what its numbers mean."""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import compile as compiling
from bench.harness import rounds, tables
from bench.harness.apps import known_apps
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.results import Result, ResultTable, write_csv
from bench.harness.schedulers import OURS, ROOT, all_schedulers
from bench.harness.tools import busy_note, load_tools, processor_name

SMOKE_APPS = ["blur", "harris", "hist"]
SMOKE_SCHEDULERS = [ROOT, "Mullapudi2016", OURS]


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev bench cpu",
        description="Compares schedules for the CPU: run time, scheduling time and memory.",
    )
    parser.add_argument("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--smoke", action="store_true", help="three quick apps, one short round")
    parser.add_argument("--apps", metavar="A,B", help="only these apps")
    parser.add_argument("--schedulers", metavar="A,B", help="only these schedulers")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of measurement (5)")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="of samples per variant and round (0.5)"
    )
    parser.add_argument(
        "--limit-seconds", type=float, default=600, metavar="S", help="for one scheduling (600)"
    )
    parser.add_argument(
        "--limit-memory-mb", type=float, default=8192, metavar="MB", help="for it (8192)"
    )
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    parser.add_argument("--output", type=Path, help="where to write (BUILD/bench/cpu)")
    return parser.parse_args()


def chosen(text, known, what):
    names = text.split(",")
    for name in names:
        if name not in known:
            raise SystemExit(f"no {what} is called {name}; there are: {', '.join(known)}")
    return [name for name in known if name in names]


def bench_app(tools, app, schedulers, runtime, directory, limits, options, progress):
    """All schedulers on one app. Returns their results."""
    compiled = {}
    for scheduler in schedulers:
        progress.show(f"{app.name}: scheduling with {scheduler.name}")
        variant = compiling.compile_variant(tools, app, scheduler, runtime, directory, limits)
        compiled[scheduler.name] = variant
        outcome = variant.failure or f"{tables.number(variant.process_seconds)} s"
        progress.say(f"{app.name}: {scheduler.name}: {outcome}")
    measured = rounds.measure(
        tools, app.name, compiled, directory, options,
        progress=lambda text: progress.show(f"{app.name}: {text}"),
    )  # fmt: skip
    return [
        Result(app.name, name, variant, measured.get(name)) for name, variant in compiled.items()
    ]


def failed_checks(table, schedulers):
    """What makes the run fail: a wrong output of anybody's, or no result of ours. Not a time."""
    checks = []
    for result in table.all():
        if result.wrong or (result.failure and schedulers[result.scheduler].ours):
            checks.append(f"{result.app} with {result.scheduler}: {result.failure}")
    return checks


def main():
    arguments = parse_arguments()
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    schedulers = all_schedulers(arguments.threads)
    if arguments.smoke:
        apps = {name: apps[name] for name in SMOKE_APPS}
        schedulers = {name: schedulers[name] for name in SMOKE_SCHEDULERS}
    if arguments.apps:
        known = known_apps(tools)
        apps = {name: known[name] for name in chosen(arguments.apps, known, "app")}
    if arguments.schedulers:
        known = all_schedulers(arguments.threads)
        schedulers = {name: known[name] for name in chosen(arguments.schedulers, known, "scheduler")}
    options = rounds.RoundOptions(
        rounds=arguments.rounds or (1 if arguments.smoke else 5),
        threads=arguments.threads,
        seconds=arguments.seconds or (0.2 if arguments.smoke else 0.5),
    )
    limits = Limits(seconds=arguments.limit_seconds, memory_mb=arguments.limit_memory_mb)
    directory = arguments.output or arguments.build_dir / "bench" / "cpu"
    directory.mkdir(parents=True, exist_ok=True)
    work = directory / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()

    setting = (
        f"{processor_name()}, {os.cpu_count()} cores, {arguments.threads} threads, "
        f"Halide {tools.halide_version}, {options.rounds} rounds"
    )
    progress = Progress()
    progress.say(setting)
    busy = busy_note()
    if busy:
        progress.say(busy)
    table = ResultTable()
    try:
        runtime = compiling.compile_runtime(tools, next(iter(apps.values())), work)
        for name, app in apps.items():
            app_directory = work / name
            app_directory.mkdir()
            for result in bench_app(
                tools, app, schedulers.values(), runtime, app_directory, limits, options, progress
            ):
                table.add(result)
            write_csv(table, directory)
            progress.clear()
            print("\n".join(tables.align([[name] + tables.APP_HEAD[1:]] + tables.app_rows(table, name))))
            print(flush=True)
            for output in app_directory.glob("*.output"):
                output.unlink()
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was measured is in {directory}")
        return 130

    peers = [name for name, scheduler in schedulers.items() if not scheduler.ours]
    checks = failed_checks(table, schedulers)
    findings = tables.remarks(table) + tables.extremes(table, peers)
    findings += [f"note: {busy}"] if busy else []
    findings += [f"check failed: {check}" for check in checks]
    last_line = tables.summary(table, peers)
    summary = [setting, ""] + tables.full_table(table) + [""] + findings + [last_line]
    (directory / "summary.txt").write_text("\n".join(summary) + "\n", encoding="utf-8")

    print("\n".join(tables.short_table(table) + [""] + findings))
    print(f"results: {directory}")
    print(last_line)
    return 1 if checks else 0


if __name__ == "__main__":
    sys.exit(main())

"""./dev demo: one real pipeline on one real photograph, under the plain schedule, an expert's, those
of Halide's other autoschedulers and ours. Started by demo.sh."""

import argparse
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from bench.harness import compile as compiling
from bench.harness.apps import known_apps
from bench.harness import processes, rounds, tables
from bench.harness.loop_nest import loop_nest
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.results import Result, ResultTable, write_csv
from bench.harness.schedulers import OURS, cpu_schedulers
from bench.harness.targets import CPU
from bench.harness.tools import busy_note, load_tools, processor_name

APP = "local_laplacian"
INPUT = "input"
SHOWN_LINES = 60  # of the loop nest; the rest is in a file
TITLES = {"root": "plain schedule", "manual": "manual schedule"}


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev demo",
        description="Schedules the local Laplacian filter in five ways and compares them.",
    )
    parser.add_argument("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--photograph", type=Path, metavar="FILE", help="a PNG or JPEG of yours")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of measurement (3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument(
        "--limit-seconds", type=float, default=120, metavar="S", help="for one scheduling (120)"
    )
    parser.add_argument(
        "--limit-memory-mb", type=float, default=8192, metavar="MB", help="for it (8192)"
    )
    parser.add_argument("--output", type=Path, help="where to write (BUILD/demo)")
    return parser.parse_args()


def picture_tool(tools, *arguments):
    program = tools.runner.parent / "demo_picture"
    result = processes.run(
        [str(program), "--app", APP] + [str(argument) for argument in arguments],
        Limits(seconds=120, memory_mb=4096),
    )
    if not result.ok:
        raise SystemExit(f"demo_picture: {result.failure}: {result.errors}")


def compile_all(tools, schedulers, directory, limits, progress):
    app = known_apps(tools)[APP]
    backend = compiling.compile_backend(tools, app, CPU, directory)
    compiled = {}
    for name, scheduler in schedulers.items():
        extra = {"log_level": "info"} if name == OURS else {}
        progress.show(f"scheduling and compiling {APP}: {name}")
        variant = compiling.compile_variant(
            tools, app, scheduler, backend, directory, limits, extra
        )
        compiled[name] = variant
        progress.say(f"{name}: {variant.failure or tables.number(variant.process_seconds) + ' s'}")
    return compiled


def table_lines(table):
    rows = [["", "run ms", "ratio to ours", "scheduling s", "with compiler s", "peak MB", ""]]
    for result in table.all():
        compiled = result.compiled
        rows.append(
            [
                TITLES.get(result.scheduler, result.scheduler),
                tables.number(result.minimum_ms),
                tables.times(table.ratio(result.app, result.scheduler)),
                tables.number(compiled.scheduling_seconds),
                tables.number(compiled.process_seconds),
                f"{compiled.process_peak_mb:.0f}",
                result.failure,
            ]
        )
    lines = tables.align([[cell for cell in row[:-1]] for row in rows])
    failures = ["", ""] + [row[-1] for row in rows[1:]]
    return [line + (f"  {why}" if why else "") for line, why in zip(lines, failures)]


def show_loop_nest(compiled, directory):
    text = loop_nest(compiled.log)
    if not text:
        return
    path = directory / "loop_nest.txt"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(f"The loop nest that {OURS} chose:\n")
    print("\n".join("  " + line for line in text[:SHOWN_LINES]))
    if len(text) > SHOWN_LINES:
        print(f"  ... {len(text) - SHOWN_LINES} more lines in {path}")
    print()


def main():
    arguments = parse_arguments()
    tools = load_tools(arguments.build_dir)
    schedulers = cpu_schedulers(arguments.threads)
    schedulers.pop("Li2018")
    limits = Limits(seconds=arguments.limit_seconds, memory_mb=arguments.limit_memory_mb)
    directory = arguments.output or arguments.build_dir / "demo"
    directory.mkdir(parents=True, exist_ok=True)
    work = directory / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    progress = Progress()
    busy = busy_note()
    if busy:
        progress.say(busy)
    try:
        photograph = work / "photograph.raw"
        picture_tool(tools, "prepare", arguments.photograph, photograph)
        compiled = compile_all(tools, schedulers, work, limits, progress)
        options = rounds.RoundOptions(rounds=arguments.rounds, threads=arguments.threads)
        measured = rounds.measure(
            tools, APP, compiled, work, options, inputs={INPUT: photograph}, keep_outputs=True,
            progress=lambda text: progress.show(f"measuring, {text}"),
        )  # fmt: skip
    except KeyboardInterrupt:
        progress.say("interrupted")
        return 130
    progress.clear()

    table = ResultTable()
    for name, variant in compiled.items():
        table.add(Result(APP, name, variant, measured.get(name)))
    write_csv(table, directory)
    show_loop_nest(compiled[OURS], directory)
    print(
        f"{APP}, 1536 x 2560 pixels, {arguments.threads} threads on {processor_name()}, "
        f"Halide {tools.halide_version}; minimum of {arguments.rounds} rounds:\n"
    )
    print("\n".join(table_lines(table)))
    print()
    output = work / f"{APP}_{OURS}.output"
    if output.exists():
        picture = directory / "before_and_after.png"
        picture_tool(tools, "join", photograph, output, picture)
        print(f"input and output side by side: {picture}")
    for raw in list(work.glob("*.output")) + [photograph]:
        raw.unlink(missing_ok=True)
    failed = [r for r in table.all() if r.wrong or (r.failure and schedulers[r.scheduler].ours)]
    for result in failed:
        print(f"check failed: {result.scheduler}: {result.failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

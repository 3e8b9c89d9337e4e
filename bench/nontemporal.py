"""./dev bench nontemporal: what non-temporal stores gain where a pipeline writes an output that it
does not read again. Every schedule is compiled three times: by Halide; by LLVM from Halide's
bitcode; and the same with the stores to the output streamed. Only the last two differ by the stores
alone. See bench/README.md and docs/nontemporal-stores.md."""

import argparse
import csv
import shutil
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import compile as compiling
from bench.harness import processes, robust, rounds, tables, targets
from bench.harness.apps import chosen, known_apps
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.schedulers import MANUAL, OURS, schedulers_for
from bench.harness.tools import busy_note, load_tools, processor_name

APPS = ["copy", "mask", "transpose", "transpose_mask"]
OUTPUT = "output"  # what all of them call theirs
HALIDE, RECOMPILED, STREAMED = "Halide", "recompiled", "streamed"
LIMITS = Limits(seconds=300, memory_mb=8192)
HEAD = ["app", "schedule", "threads", "Halide ms", "recompiled ms", "streamed ms",
        "streamed / recompiled", "lowest", "highest", "result"]  # fmt: skip


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="./dev bench nontemporal",
        description="Times pipelines with ordinary and with non-temporal stores to their output.",
    )
    option = parser.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help="copy alone, one short round")
    option("--apps", metavar="A,B", help=f"of {', '.join(APPS)}")
    option("--rounds", type=int, default=9, metavar="N", help="rounds of measurement (9)")
    option("--seconds", type=float, default=0.5, metavar="S", help="of samples per round (0.5)")
    option("--threads", default="1,2", metavar="N,M", help="of the apps (1,2)")
    option("--output", type=Path, help="where to write (BUILD/bench/nontemporal)")
    return parser.parse_args()


def compile_three(tools, app, scheduler, backend, directory):
    """name -> CompiledVariant."""
    directory.mkdir(parents=True)
    plain = compiling.compile_variant(tools, app, scheduler, backend, directory, LIMITS)
    variants = {HALIDE: plain}
    stem = "bitcode"
    emitted = processes.run(
        compiling.generator_command(
            tools, app, scheduler, backend.target, stem, directory, directory / "report.json",
            emit="bitcode",
        ),
        LIMITS,
    )  # fmt: skip
    for name, options in ((RECOMPILED, []), (STREAMED, ["--stream", OUTPUT])):
        variant = compiling.CompiledVariant(app=app.name, scheduler=name)
        variants[name] = variant
        if not emitted.ok:
            variant.failure = f"bitcode: {processes.describe_failure(emitted)}"
            continue
        variant.object_file = directory / f"{name}.o"
        command = [str(tools.nontemporal), str(directory / f"{stem}.bc"), "-o"]
        made = processes.run(command + [str(variant.object_file)] + options, LIMITS)
        if made.ok:
            compiling.link_variant(tools, variant, backend, directory / f"{name}.so")
        else:
            variant.failure = processes.describe_failure(made)
    return variants


def round_ratios(measured, name, base):
    """One ratio per round, of the medians of what was measured next to each other."""
    pairs = zip(measured[name].samples, measured[base].samples)
    return [statistics.median(mine) / statistics.median(theirs) for mine, theirs in pairs]


def row(app, schedule, threads, variants, measured):
    failures = [variants[name].failure or measured[name].failure for name in variants]
    failure = "; ".join(filter(None, failures))
    cells = [app.name, schedule, str(threads)]
    if failure:
        return cells + [""] * (len(HEAD) - len(cells) - 1) + [failure]
    for name in variants:
        cells.append(tables.number(robust.median_ms(measured[name].all_samples)))
    ratios = round_ratios(measured, STREAMED, RECOMPILED)
    numbers = (statistics.median(ratios), min(ratios), max(ratios))
    return cells + [tables.number(value) for value in numbers] + ["right"]


def main():
    arguments = parse_arguments()
    tools = load_tools(arguments.build_dir)
    if tools.nontemporal is None:
        raise SystemExit("cryolite_nontemporal is not built here: it needs LLVM's development files")
    known = {name: app for name, app in known_apps(tools).items() if name in APPS}
    names = arguments.apps or ("copy" if arguments.smoke else ",".join(APPS))
    threads = [int(count) for count in arguments.threads.split(",")]
    count, seconds = (1, 0.1) if arguments.smoke else (arguments.rounds, arguments.seconds)
    directory = arguments.output or arguments.build_dir / "bench" / "nontemporal"
    shutil.rmtree(directory, ignore_errors=True)
    backend = compiling.compile_backend(
        tools, next(iter(known.values())), targets.CPU, directory / "runtime"
    )
    schedulers = schedulers_for(targets.CPU, max(threads), tools.halide_version)
    progress = Progress()
    rows = [HEAD]
    for app in chosen(names, known, "app").values():
        for schedule in (MANUAL, OURS):
            place = directory / app.name / schedule
            progress.show(f"{app.name}: compiling {schedule}")
            variants = compile_three(tools, app, schedulers[schedule], backend, place)
            for number in threads:
                options = rounds.RoundOptions(
                    rounds=count, threads=number, seconds=seconds, limits=LIMITS
                )
                measured = {name: rounds.MeasuredVariant() for name in variants}
                measured |= rounds.measure(
                    tools, app.name, variants, place, options, reference=HALIDE,
                    progress=lambda text: progress.show(f"{app.name}, {schedule}: {text}"),
                )  # fmt: skip
                rows.append(row(app, schedule, number, variants, measured))
                progress.clear()
                print("  ".join(rows[-1]), flush=True)
    lines = [
        f"machine: {processor_name()}; Halide {tools.halide_version}; medians of {count} rounds, "
        "ratios within a round",
        *filter(None, [busy_note()]),
        "",
        *tables.align(rows, left_columns=2),
    ]
    (directory / "results.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open(directory / "results.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    print("\n" + "\n".join(lines))
    return 0 if all(line[-1] == "right" for line in rows[1:]) else 1


if __name__ == "__main__":
    sys.exit(main())

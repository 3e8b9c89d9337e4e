"""./dev bench choices: is what the search chooses now faster than what an older build chose? See
bench/README.md."""

import argparse
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import choices, setting, store, tables
from bench.harness.apps import chosen, known_apps
from bench.harness.probe import Probe
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import RoundOptions
from bench.harness.targets import CPU
from bench.harness.tools import busy_note, load_tools


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench choices",
        description="Searches each app with this build and with an older one; where they choose "
        "different schedules, compiles both with this build and measures them by turns.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option(
        "--old", required=True, type=Path, metavar="DIR",
        help="the other version's build folder, with its target bench_search built",
    )  # fmt: skip
    option("--apps", metavar="A,B", help="(all)")
    option("--rounds", type=int, default=3, metavar="N", help="of measurement (3)")
    option("--seconds", type=float, default=0.5, metavar="S", help="per schedule and round (0.5)")
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option(
        "--limit-seconds", type=float, default=300, metavar="S",
        help="for one search, compilation or run (300)",
    )  # fmt: skip
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=8192, metavar="MB",
        help="for it (8192)",
    )  # fmt: skip
    option("--fresh", action="store_true", help="forget what earlier runs measured")
    option("--output", type=Path, help="where to write (BUILD/bench/choices)")
    return line


def main():
    arguments = parser().parse_args()
    tools, old_tools = load_tools(arguments.build_dir), load_tools(arguments.old)
    apps = known_apps(tools)
    if arguments.apps:
        apps = chosen(arguments.apps, apps, "app")
    directory = arguments.output or arguments.build_dir / "bench" / "choices"
    limits = Limits(seconds=arguments.limit_seconds, memory_mb=arguments.limit_memory_mb)
    options = choices.ChoicesOptions(
        rounds=RoundOptions(
            rounds=arguments.rounds, threads=arguments.threads, seconds=arguments.seconds,
            limits=limits,
        ),
        limits=limits,
        fresh=arguments.fresh,
    )  # fmt: skip
    progress = Progress()
    about = setting.lines("choices", tools)
    progress.say("\n".join(about))
    if busy_note():
        progress.say(busy_note())
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    lock = store.Lock(directory)
    comparer = choices.Choices(
        tools, Probe(old_tools, CPU, arguments.threads, directory / "reports" / "old"),
        Probe(tools, CPU, arguments.threads, directory / "reports" / "new"),
        CPU, options, directory, progress,
    )  # fmt: skip
    compared = []
    try:
        for comparison in comparer.run(apps):
            compared.append(comparison)
            choices.write_csv(compared, directory)
            progress.clear()
            print("\n".join(tables.align([choices.HEAD, choices.row(comparison)])), flush=True)
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was found is in {directory}")
        return 130
    finally:
        lock.release()
    checks = [check for comparison in compared for check in comparison.checks()]
    text = choices.table(compared) + [note for c in compared for note in c.notes()]
    text += [f"check failed: {check}" for check in checks] + [choices.summary(compared)]
    (directory / "summary.txt").write_text("\n".join(about + [""] + text) + "\n", encoding="utf-8")
    print("\n".join([""] + text[:-1] + [f"results: {directory}", text[-1]]), flush=True)
    return 1 if checks else 0


if __name__ == "__main__":
    sys.exit(main())

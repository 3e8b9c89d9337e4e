"""./dev bench losses: where a manual schedule runs faster than ours, and whether the space, the search or the
model is to blame. See bench/README.md."""

import argparse
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import loss_report, setting, store
from bench.harness.apps import chosen, known_apps
from bench.harness.explanation import Explainer
from bench.harness.losses import Losses, LossesOptions
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.rounds import RoundOptions
from bench.harness.targets import CPU, HOSTS_OF_PRESETS
from bench.harness.tools import busy_note, load_tools

# Short ones, and compute_with, which our space has not.
SMOKE_APPS = ("cvt_color", "rgb_yuv420")


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench losses",
        description="Compares our schedule of each app with the manual one, predicted and measured, and says "
        "of each loss whether the space, the search or the model is to blame. Fails if an import or a "
        "schedule of ours is missing or an output is wrong, never by a time.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"{', '.join(SMOKE_APPS)}, one short round")
    option("--predicted", action="store_true", help="predictions alone: compile and measure nothing")
    option(
        "--machine", choices=sorted(HOSTS_OF_PRESETS), metavar="PRESET",
        help="with --predicted: the machine to predict for (this computer)",
    )  # fmt: skip
    option("--apps", metavar="A,B", help="(all)")
    option("--rounds", type=int, metavar="N", help="of measurement (5)")
    option("--seconds", type=float, metavar="S", help="per schedule and round (0.5)")
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--jobs", type=int, default=os.cpu_count(), metavar="N", help="searches at once (cores)")
    option(
        "--time-limit", type=float, default=1e6, metavar="S",
        help="of one search (none, so that its result depends on nothing but the code)",
    )  # fmt: skip
    option(
        "--limit-seconds", type=float, default=600, metavar="S",
        help="for one search, compilation or run (600)",
    )  # fmt: skip
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=8192, metavar="MB",
        help="for it (8192)",
    )  # fmt: skip
    option("--fresh", action="store_true", help="forget what earlier runs found out")
    option(
        "--output", type=Path,
        help="where to write (BUILD/bench/losses, with _predicted or _smoke)",
    )  # fmt: skip
    return line


def losses_options(arguments):
    limits = Limits(arguments.limit_seconds, arguments.limit_memory_mb)
    searching = max(1, (os.cpu_count() or 1) // arguments.jobs)
    return LossesOptions(
        rounds=RoundOptions(
            rounds=arguments.rounds or (1 if arguments.smoke else 5),
            threads=arguments.threads,
            seconds=arguments.seconds or (0.1 if arguments.smoke else 0.5),
            limits=limits,
        ),
        limits=limits,
        search={"time_limit": f"{arguments.time_limit:g}", "threads": searching},
        jobs=arguments.jobs,
        fresh=arguments.fresh,
    )


def output_folder(arguments):
    name = "losses" + ("_predicted" if arguments.predicted else "")
    return arguments.output or arguments.build_dir / "bench" / (
        name + ("_smoke" if arguments.smoke else "")
    )


def report(comparisons, about, directory):
    """Writes losses.md and results.csv, prints the tables and returns the failed checks."""
    checks = [check for comparison in comparisons for check in comparison.checks()]
    findings = [note for comparison in comparisons for note in comparison.notes()]
    findings += [f"check failed: {check}" for check in checks]
    loss_report.write_csv(comparisons, directory / "results.csv")
    lines = loss_report.markdown(comparisons, about, findings)
    (directory / "losses.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = loss_report.text(comparisons) + findings
    print("\n".join(text + [f"results: {directory}", loss_report.summary(comparisons)]), flush=True)
    return checks


def run(losses, apps, predicted_only, progress):
    comparisons = losses.predict(apps)
    if predicted_only:
        return comparisons
    if busy_note():
        progress.say(busy_note())
    return list(losses.measure(apps, comparisons))


def main():
    arguments = parser().parse_args()
    if arguments.machine and not arguments.predicted:
        raise SystemExit("--machine is for --predicted: nothing is measured on another machine")
    if arguments.jobs < 1:
        raise SystemExit("--jobs is 1 or more")
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps or arguments.smoke:
        apps = chosen(arguments.apps or ",".join(SMOKE_APPS), apps, "app")
    directory, options = output_folder(arguments), losses_options(arguments)
    progress = Progress()
    about = setting.lines("losses", tools) + [
        f"predicted for {arguments.threads} threads of {arguments.machine or 'this machine'}"
    ]
    if not arguments.predicted:
        about.append(f"{options.rounds.rounds} rounds of at least {options.rounds.seconds:g} s")
    progress.say("\n".join(about))
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    lock = store.Lock(directory)
    target = HOSTS_OF_PRESETS[arguments.machine] if arguments.machine else CPU
    explainer = Explainer(
        tools, target, arguments.threads, directory / "explanations", arguments.machine
    )
    losses = Losses(tools, explainer, target, options, directory, progress)
    try:
        comparisons = run(losses, apps, arguments.predicted, progress)
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was found is in {directory}")
        return 130
    finally:
        lock.release()
    return 1 if report(comparisons, about, directory) else 0


if __name__ == "__main__":
    sys.exit(main())

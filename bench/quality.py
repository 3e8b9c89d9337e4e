"""./dev bench quality: how well the cost model ranks random schedules of every app, compiled and
measured once and predicted anew as often as the model changes. See bench/README.md."""

import argparse
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import quality_report, sample_store, setting, store, tables
from bench.harness.apps import app_of, chosen, known_apps
from bench.harness.batch import ANY, LIKELY, Batch, Batches, BatchOptions
from bench.harness.probe import Probe
from bench.harness.processes import Limits
from bench.harness.progress import Eta, Progress
from bench.harness.rounds import RoundOptions
from bench.harness.targets import CPU
from bench.harness.tools import busy_note, load_tools

SMOKE_APPS = ("blur",)
SMOKE_SAMPLES = 10


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench quality",
        description="Compiles and measures random schedules of each app and compares their times "
        "with the cost model's predictions: rank correlation, and how far the model's picks are "
        "from the fastest.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"{SMOKE_SAMPLES} schedules of blur, one round")
    option(
        "--offline", action="store_true",
        help="predict anew what earlier runs measured, and compile and measure nothing",
    )  # fmt: skip
    option(
        "--store", type=Path, metavar="FILE",
        help="the same for the schedules in a store of samples, which a tuner or `cryolite store import` has written",
    )  # fmt: skip
    option("--apps", metavar="A,B", help="(all)")
    option("--samples", type=int, metavar="N", help="schedules of each app (100)")
    option("--seed", type=int, default=0, metavar="N", help="of what is drawn (0)")
    option(
        "--draw", choices=(LIKELY, ANY), default=LIKELY,
        help="what a search with disturbed costs ends with, or legal schedules whatever the model "
        "says of them (likely)",
    )  # fmt: skip
    option("--rounds", type=int, metavar="N", help="rounds of measurement (3)")
    option("--seconds", type=float, default=0.2, metavar="S", help="per schedule and round (0.2)")
    option(
        "--limit-seconds", type=float, default=600, metavar="S",
        help="for compiling and measuring one app's; what it is too short for is left out (600)",
    )  # fmt: skip
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=8192, metavar="MB",
        help="for each compilation and run (8192)",
    )  # fmt: skip
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--jobs", type=int, default=1, metavar="N", help="compilations at a time (1)")
    option("--fresh", action="store_true", help="draw and measure anew")
    option("--output", type=Path, help="where to write (BUILD/bench/quality, quality_smoke)")
    return line


def batch_options(arguments):
    compiling = Limits(seconds=60, memory_mb=arguments.limit_memory_mb)
    running = Limits(seconds=30, memory_mb=arguments.limit_memory_mb)
    return BatchOptions(
        draw_limits=Limits(seconds=600, memory_mb=arguments.limit_memory_mb),
        rounds=RoundOptions(
            rounds=arguments.rounds or (1 if arguments.smoke else 3),
            threads=arguments.threads,
            seconds=arguments.seconds,
            limits=running,
        ),
        compile_limits=compiling,
        samples=arguments.samples or (SMOKE_SAMPLES if arguments.smoke else 100),
        seed=arguments.seed,
        draw=arguments.draw,
        seconds=arguments.limit_seconds,
        jobs=arguments.jobs,
        fresh=arguments.fresh,
    )


def judged(probe, app, batch, limits):
    """The batch with today's predictions."""
    if batch.failure:
        return quality_report.Quality(batch)
    traces = [sample.trace for sample in batch.samples]
    answer = probe.predict(app, traces, limits, batch.machine)
    if not answer.ok:
        return quality_report.Quality(
            Batch(app.name, failure=f"predicting: {answer.failure}", kind=answer.kind)
        )
    return quality_report.Quality(batch, answer.report["found"])


def run_store(arguments, tools, apps, directory, progress):
    """The same as run() for what is in a store. An app may have several batches."""
    probe = Probe(tools, CPU, arguments.threads, directory / "reports")
    limits, qualities = batch_options(arguments).compile_limits, []
    for batch in sample_store.batches_in(arguments.store):
        app = app_of(batch, apps, tools)
        if app is None or (arguments.apps and app.name not in apps):
            if not arguments.apps:
                progress.say(f"{batch.app} is left out: no app has this name")
            continue
        progress.say(app.name)
        batch.app = app.name
        qualities.append(judged(probe, app, batch, limits))
        quality_report.write_csv(qualities, directory)
        yield qualities


def run(arguments, tools, apps, directory, progress):
    """Yields what is known of each app, with the qualities so far."""
    options = batch_options(arguments)
    probe = Probe(tools, CPU, arguments.threads, directory / "reports")
    batches = Batches(tools, probe, CPU, options, directory, progress)
    eta, qualities = Eta(len(apps)), []
    for name, app in apps.items():
        eta.start_step()
        progress.say(f"{name} ({eta.text()})")
        if arguments.offline:
            batch, known = batches.stored(app), False
            if batch is None:
                progress.say(f"{name}: no batch of {options.samples} by seed {options.seed} here")
                eta.end_step(True)
                continue
        else:
            batch, known = batches.collect(app)
        qualities.append(judged(probe, app, batch, options.compile_limits))
        quality_report.write_csv(qualities, directory)
        eta.end_step(known)
        yield qualities


def report(qualities, about, directory):
    """Writes summary.txt, prints its gist and returns the failed checks."""
    checks = [check for quality in qualities for check in quality.checks()]
    findings = [note for quality in qualities for note in quality.notes()]
    unknown = sorted(q.batch.app for q in qualities if q.batch.samples and not q.batch.machine)
    if unknown:
        findings.append(
            f"note: predicted for the machine here, not knowing where they were measured: {', '.join(unknown)}"
        )
    findings += [f"check failed: {check}" for check in checks]
    text = quality_report.table(qualities) + [""] + findings
    last_line = quality_report.summary(qualities)
    (directory / "summary.txt").write_text(
        "\n".join(about + [""] + text + [last_line]) + "\n", encoding="utf-8"
    )
    print("\n".join(text + [f"results: {directory}", last_line]), flush=True)
    return checks


def main():
    arguments = parser().parse_args()
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps or arguments.smoke:
        apps = chosen(arguments.apps or ",".join(SMOKE_APPS), apps, "app")
    folder = "quality_smoke" if arguments.smoke else "quality"
    directory = arguments.output or arguments.build_dir / "bench" / folder
    options = batch_options(arguments)
    progress = Progress()
    about = setting.lines("quality", tools) + [
        f"{options.samples} schedules of each app by seed {options.seed} ({options.draw}), {arguments.threads} "
        f"threads, {options.rounds.rounds} rounds of at least {options.rounds.seconds:g} s, "
        f"{options.seconds:.0f} s for an app"
    ]
    progress.say("\n".join(about))
    if busy_note() and not (arguments.offline or arguments.store):
        progress.say(busy_note())
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    lock = store.Lock(directory)
    qualities = []
    try:
        runs = run_store if arguments.store else run
        for qualities in runs(arguments, tools, apps, directory, progress):
            progress.clear()
            rows = [quality_report.HEAD, quality_report.row(qualities[-1])]
            print("\n".join(tables.align(rows)) + "\n", flush=True)
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was found is in {directory}")
        return 130
    finally:
        lock.release()
    if not qualities:
        print("no batch is stored here: run without --offline first")
        return 1
    return 1 if report(qualities, about, directory) else 0


if __name__ == "__main__":
    sys.exit(main())

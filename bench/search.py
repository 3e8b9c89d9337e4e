"""./dev bench search: what each idea of the search is worth. Every app is searched with all of them
and with one less at a time; nothing is compiled. See bench/README.md."""

import argparse
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import ablation, setting
from bench.harness.apps import chosen, known_apps
from bench.harness.probe import Probe, variants_of
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.targets import CPU
from bench.harness.tools import busy_note, load_tools

SMOKE_APPS = ("blur", "cvt_color", "gaussian")


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench search",
        description="Ablations of the search: states, kernels, time, memory and predicted time of "
        "the result with one idea less at a time. Fails if a variant that must find the same does "
        "not.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=", ".join(SMOKE_APPS))
    option("--apps", metavar="A,B", help="(all)")
    option("--variants", metavar="A,B", help="beside the full search (all)")
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--limit-seconds", type=float, default=300, metavar="S", help="for one search (300)")
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=8192, metavar="MB",
        help="for it (8192)",
    )  # fmt: skip
    option("--fresh", action="store_true", help="forget what earlier runs found out")
    option("--retry-failures", action="store_true", help="try anew what failed in earlier runs")
    option("--output", type=Path, help="where to write (BUILD/bench/search, search_smoke)")
    return line


def report(table, about, directory):
    """Writes summary.txt, prints its gist and returns the failed checks."""
    checks = ablation.failed_checks(table)
    notes = [f"check failed: {check}" for check in checks]
    notes += [
        f"note: {outcome.app}, {outcome.variant}: {outcome.failure}"
        for outcome in table.all()
        if outcome.kind in ablation.LIMITS_HIT
    ]
    lines = list(about)
    for figure in ablation.FIGURES:
        lines += [""] + ablation.figure_table(table, figure)
    gist = ablation.mean_table(table)
    same = [
        name
        for name, variant in table.variants.items()
        if variant["same_result"] and name != ablation.FULL
    ]
    verdict = f"{len(checks)} checks failed" if checks else "schedules and states as they must be"
    last_line = (
        f"{len(table.apps())} apps; checked ({', '.join(same)}): {verdict}; geometric means above "
        "are against the full search on one thread"
    )
    text = lines + [""] + gist + notes + [last_line]
    (directory / "summary.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(notes + [f"results: {directory}", ""] + gist + [last_line]), flush=True)
    return checks


def main():
    arguments = parser().parse_args()
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps or arguments.smoke:
        apps = chosen(arguments.apps or ",".join(SMOKE_APPS), apps, "app")
    folder = "search_smoke" if arguments.smoke else "search"
    directory = arguments.output or arguments.build_dir / "bench" / folder
    probe = Probe(tools, CPU, arguments.threads, directory / "reports")
    variants = variants_of(probe, next(iter(apps.values())))
    if arguments.variants:
        names = ",".join([ablation.FULL, arguments.variants])
        variants = chosen(names, variants, "variant of the search")
    options = ablation.AblationOptions(
        limits=Limits(arguments.limit_seconds, arguments.limit_memory_mb),
        fresh=arguments.fresh,
        retry_failures=arguments.retry_failures,
    )
    progress = Progress()
    about = setting.lines("search", tools) + [
        f"schedules for {arguments.threads} threads; one search limited to "
        f"{arguments.limit_seconds:.0f} s and {arguments.limit_memory_mb:.0f} MB"
    ]
    about += [f"{name}: {variant['doc']}" for name, variant in variants.items()]
    progress.say("\n".join(about))
    if busy_note():
        progress.say(busy_note())
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    table = ablation.AblationTable(variants)
    try:
        for name, table in ablation.Ablation(
            probe, variants, options, directory, progress
        ).run(apps):
            progress.clear()
            print("\n".join(ablation.app_table(table, name)) + "\n", flush=True)
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was found is in {directory}")
        return 130
    return 1 if report(table, about, directory) else 0


if __name__ == "__main__":
    sys.exit(main())

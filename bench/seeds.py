"""./dev bench seeds: how much the search's result depends on its seed, by the predicted time. Nothing
is compiled. See bench/README.md."""

import argparse
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import seeds, setting
from bench.harness.ablation import FULL
from bench.harness.apps import chosen, known_apps
from bench.harness.probe import Probe, variants_of
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.targets import CPU
from bench.harness.tools import load_tools

SMOKE_APPS = ("blur", "cvt_color", "gaussian")
SMOKE_SEEDS = 2


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench seeds",
        description="Searches each app with several seeds and compares the predicted times of the "
        "results. Fails if a search ends badly, never by a spread.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option(
        "--smoke", action="store_true", help=f"{', '.join(SMOKE_APPS)}, {SMOKE_SEEDS} seeds each"
    )
    option("--apps", metavar="A,B", help="(all)")
    option("--seeds", type=int, default=5, metavar="N", help="seeds from 0 up (5)")
    option("--variant", default=FULL, metavar="NAME", help="of the search, as in bench search")
    option("--jobs", type=int, default=os.cpu_count(), metavar="N", help="searches at once (cores)")
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--limit-seconds", type=float, default=300, metavar="S", help="for one search (300)")
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=4096, metavar="MB",
        help="for it (4096)",
    )  # fmt: skip
    option("--output", type=Path, help="where to write (BUILD/bench/seeds, seeds_smoke)")
    return line


def main():
    arguments = parser().parse_args()
    if arguments.smoke:
        arguments.apps = arguments.apps or ",".join(SMOKE_APPS)
        arguments.seeds = SMOKE_SEEDS
    if arguments.seeds < 1 or arguments.jobs < 1:
        raise SystemExit("--seeds and --jobs are 1 or more")
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps:
        apps = chosen(arguments.apps, apps, "app")
    folder = "seeds_smoke" if arguments.smoke else "seeds"
    directory = arguments.output or arguments.build_dir / "bench" / folder
    probe = Probe(tools, CPU, arguments.threads, directory / "reports")
    chosen(arguments.variant, variants_of(probe, next(iter(apps.values()))), "variant of the search")
    progress = Progress()
    about = setting.lines("seeds", tools)
    progress.say("\n".join(about))
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = seeds.SeedOptions(
        seeds=arguments.seeds,
        limits=Limits(arguments.limit_seconds, arguments.limit_memory_mb),
        jobs=arguments.jobs,
        variant=arguments.variant,
    )
    try:
        spreads = seeds.Seeds(probe, options, directory, progress).run(apps)
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was found is in {directory}")
        return 130
    failures = seeds.failures(spreads)
    seeds.write_csv(spreads, directory / "results.csv")
    text = [*about, "", *seeds.table(spreads), "", *failures, seeds.summary(spreads)]
    (directory / "summary.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text[len(about) + 1 :]), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""./dev bench top_k: how much faster than one shot is the schedule that mode=top_k measured, and what does measuring
take? See bench/README.md."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import setting
from bench.harness import top_k as measuring
from bench.harness.apps import chosen, known_apps
from bench.harness.processes import Limits
from bench.harness.progress import Eta, Progress
from bench.harness.rounds import RoundOptions
from bench.harness.tools import busy_note, load_tools


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench top_k",
        description="Schedules each app in one shot and with mode=top_k, and runs both schedules and the plain one by "
        "turns. Fails if one of them cannot be made or computes something else, never by a time.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help="blur, one round")
    option("--apps", metavar="A,B", help="(all)")
    option("--top-k", type=int, default=5, metavar="K", help="schedules beside the plain one (5)")
    option("--benchmark-seconds", type=float, default=3, metavar="S", help="of mode=top_k (3)")
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--rounds", type=int, default=5, metavar="N", help="of the comparison (5)")
    option("--seconds", type=float, default=0.5, metavar="S", help="a schedule and round (0.5)")
    option("--limit-seconds", type=float, default=900, metavar="S", help="for one generator (900)")
    option("--output", type=Path, help="where to write (BUILD/bench/top_k, top_k_smoke)")
    return line


def main():
    arguments = parser().parse_args()
    if arguments.smoke:
        arguments.apps, arguments.rounds, arguments.benchmark_seconds = "blur", 1, 0.5
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    if arguments.apps:
        apps = chosen(arguments.apps, apps, "app")
    directory = arguments.output or arguments.build_dir / "bench" / (
        "top_k_smoke" if arguments.smoke else "top_k"
    )
    directory.mkdir(parents=True, exist_ok=True)
    progress = Progress()
    about = setting.lines("top_k", tools)
    progress.say("\n".join(about + [note for note in [busy_note()] if note]))
    comparison = measuring.Comparison(
        tools,
        measuring.Mode(arguments.top_k, arguments.benchmark_seconds, arguments.threads),
        RoundOptions(rounds=arguments.rounds, threads=arguments.threads, seconds=arguments.seconds),
        Limits(seconds=arguments.limit_seconds, memory_mb=16384),
        directory,
        progress,
    )
    outcomes, eta = [], Eta(len(apps))
    for name, app in apps.items():
        eta.start_step()
        progress.say(f"{name} ({eta.text()})")
        outcomes.append(comparison.compare(app))
        eta.end_step(False)
        progress.say("\n".join(measuring.table(outcomes[-1:])))
        text = about + [""] + measuring.table(outcomes) + [""] + measuring.summary(outcomes)
        (directory / "summary.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(measuring.table(outcomes) + [""] + measuring.summary(outcomes)), flush=True)
    return 1 if any(outcome.failure for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())

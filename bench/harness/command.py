"""The command line that ./dev bench cpu and ./dev bench peers share; they differ by a Preset."""

import argparse
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.harness import packed_race, plot, rounds, schedulers, setting, tables, targets
from bench.harness.apps import chosen, known_apps
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.race import Race, RaceOptions
from bench.harness.results import ResultTable, write_csv
from bench.harness.tools import busy_note, load_tools


@dataclass(frozen=True)
class Preset:
    name: str
    description: str
    targets: tuple
    schedulers: tuple
    more_schedulers: tuple  # by name only
    apps: tuple  # by default; empty: all
    smoke_apps: tuple
    smoke_schedulers: tuple
    limit_seconds: float  # of one scheduling
    smoke_limit_seconds: float
    keeps_results: bool  # goes on where an earlier run was, and draws
    folder_per_target: bool


def _parser(preset):
    parser = argparse.ArgumentParser(
        prog=f"./dev bench {preset.name}", description=preset.description
    )
    option = parser.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"{', '.join(preset.smoke_apps)}, one short round")
    option("--apps", metavar="A,B", help=f"({','.join(preset.apps) or 'all'})")
    option(
        "--schedulers", metavar="A,B",
        help=f"of {', '.join(preset.schedulers)}, which are the default, and "
        f"{', '.join(preset.more_schedulers)}",
    )  # fmt: skip
    option("--target", metavar="T,U", help=f"Halide targets ({','.join(preset.targets)})")
    option("--rounds", type=int, metavar="N", help="rounds of measurement (5)")
    option("--seconds", type=float, metavar="S", help="of samples per variant and round (0.5)")
    option(
        "--limit-seconds", type=float, metavar="S",
        help=f"for one scheduling ({preset.limit_seconds:.0f})",
    )  # fmt: skip
    option(
        "--limit-memory", "--limit-memory-mb", dest="limit_memory_mb", type=float, default=8192,
        metavar="MB", help="for it (8192)",
    )  # fmt: skip
    option("--threads", type=int, default=2, metavar="N", help="of the apps (2)")
    option("--output", type=Path, help=f"where to write (BUILD/bench/{preset.name}, with _smoke after --smoke)")
    if preset.keeps_results:
        option("--fresh", action="store_true", help="forget what earlier runs found out")
        option("--retry-failures", action="store_true", help="try anew what failed in earlier runs")
        option("--gpu", choices=sorted(targets.PROCESSORS_OF_GPUS), help="that schedules are for (the target's)")
        option("--pack", type=Path, metavar="FOLDER", help="run nothing; make a folder to run elsewhere")
        option("--packed", type=Path, metavar="FOLDER", help="the tables of a folder that was run elsewhere")
        option("--no-plot", action="store_true", help="draw nothing")
    return parser


def _run_limits(limits):
    """Of one run of a variant: large apps need more memory than a compiler should."""
    total_mb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**20
    return Limits(seconds=300, memory_mb=max(limits.memory_mb, 0.7 * total_mb))


def _setting(tools, name, options):
    """What a reader needs to know, a line each."""
    return setting.lines(name, tools) + [
        f"{options.rounds.threads} threads, {options.rounds.rounds} rounds of at least "
        f"{options.rounds.seconds:g} s, one scheduling limited to {options.limits.seconds:.0f} s "
        f"and {options.limits.memory_mb:.0f} MB",
    ]


def _failed_checks(table, ours):
    """What makes the run fail: a wrong output of anybody's, or no result of ours. Not a time."""
    return [
        f"{result.app} with {result.scheduler}: {result.failure}"
        for result in table.all()
        if result.wrong or (result.failure and result.scheduler in ours)
    ]


class _Report:
    """What is printed and kept for one target."""

    def __init__(self, why_not_run, target, known, about, directory):
        self._why_not_run, self._target, self._directory = why_not_run, target, directory
        self._known = known  # name -> Scheduler
        self._about = about  # the run: machine, versions, options
        self._peers = [name for name, scheduler in known.items() if not scheduler.ours]

    def after_app(self, table, name):
        if self._why_not_run:
            rows = [[name] + tables.COMPILED_HEAD[1:]] + tables.compiled_rows(table, name)
        else:
            rows = [[name] + tables.APP_HEAD[1:]] + tables.app_rows(table, name)
        print("\n".join(tables.align(rows)) + "\n", flush=True)

    def end(self, table, notes):
        """Writes summary.txt, prints its gist and returns the failed checks."""
        ours = {name for name, scheduler in self._known.items() if scheduler.ours}
        if self._why_not_run:
            # A missing schedule for a device that is not here is in the table; nothing was run.
            checks = []
            findings = tables.remarks(table)
            whole, gist = tables.compiled_table(table), []
            last_line = f"{self._target}: compiled only, {self._why_not_run}; " + (
                tables.compiled_summary(table)
            )
        else:
            checks = _failed_checks(table, ours)
            findings = tables.remarks(table) + tables.extremes(table, self._peers)
            whole, gist = tables.full_table(table), tables.short_table(table) + [""]
            last_line = tables.summary(table, self._peers)
        findings += notes + [f"check failed: {check}" for check in checks]
        text = self._about + [f"target: {self._target}", ""] + whole + [""] + findings + [last_line]
        (self._directory / "summary.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        print("\n".join(gist + findings))
        print(f"results: {self._directory}")
        print(last_line, flush=True)
        return checks


def _known(tools, target, wanted, options, gpu):
    all_known = schedulers.schedulers_for(target, options.rounds.threads, tools.halide_version, gpu)
    return {name: scheduler for name, scheduler in all_known.items() if name in wanted}


def _report_packed(folder, directory):
    """The tables of a pack that was run on another computer."""
    packed, measured = packed_race.load(folder)
    table = ResultTable()
    for result in packed_race.results(packed, measured):
        table.add(result)
    target, machine = packed["target"], measured["machine"]
    known = schedulers.schedulers_for(target, packed["rounds"]["threads"], "0")
    known = {name: known[name] for name in table.schedulers()}
    ran_on = ", ".join([device["name"] for device in machine["devices"]] + [machine["processor"]])
    about = packed["about"] + [f"run on {ran_on} ({machine['driver']})", f"measured: {measured['date']}"]
    directory.mkdir(parents=True, exist_ok=True)
    write_csv(table, directory)
    report = _Report("", target, known, about, directory)
    for app in table.apps():
        report.after_app(table, app)
    return report.end(table, [])


def _race_target(tools, target, wanted, apps, options, about, directory, progress, gpu, pack):
    known = _known(tools, target, wanted, options, gpu)
    notes = [
        f"note: {name} is not in this table: {why}"
        for name in wanted
        if (why := schedulers.why_none(name, target))
    ]
    race = Race(tools, target, known, options, directory, progress)
    if pack:
        packed_race.pack(race, tools, target, apps, options, about, pack, progress)
        race.close()
        return []
    if race.why_not_run:
        progress.say(f"{target}: {race.why_not_run}: compiling only, no run times")
    report = _Report(race.why_not_run, target, known, about, directory)
    for name, table in race.run(apps):
        progress.clear()
        report.after_app(table, name)
    return report.end(table, notes + race.notes())


def run_preset(preset):
    parser = _parser(preset)
    arguments = parser.parse_args()
    tools = load_tools(arguments.build_dir)
    apps = known_apps(tools)
    smoke = arguments.smoke
    names = arguments.apps or ",".join(preset.smoke_apps if smoke else preset.apps)
    if names and names != "all":
        apps = chosen(names, apps, "app")
    wanted = preset.smoke_schedulers if smoke else preset.schedulers
    if arguments.schedulers:
        offered = dict.fromkeys((*preset.schedulers, *preset.more_schedulers))
        wanted = list(chosen(arguments.schedulers, offered, "scheduler here"))
    limits = Limits(
        seconds=arguments.limit_seconds
        or (preset.smoke_limit_seconds if smoke else preset.limit_seconds),
        memory_mb=arguments.limit_memory_mb,
    )
    gpu, pack = (arguments.gpu, arguments.pack) if preset.keeps_results else ("", None)
    if pack and (not arguments.target or "," in arguments.target):
        parser.error("--pack takes one --target")
    options = RaceOptions(
        rounds=rounds.RoundOptions(
            rounds=arguments.rounds or (1 if smoke else 5),
            threads=arguments.threads,
            seconds=arguments.seconds or (0.2 if smoke else 0.5),
            limits=_run_limits(limits),
        ),
        limits=limits,
        keep=preset.keeps_results,
        fresh=preset.keeps_results and arguments.fresh,
        retry_failures=preset.keeps_results and arguments.retry_failures,
        link=bool(pack),
    )
    # A smoke run must not replace the results of a long one.
    folder_name = preset.name + ("_smoke" if smoke else "")
    directory = arguments.output or arguments.build_dir / "bench" / folder_name
    if preset.keeps_results and arguments.packed:
        return 1 if _report_packed(arguments.packed, directory) else 0
    progress = Progress()
    about = _setting(tools, preset.name, options)
    progress.say("\n".join(about))
    busy = busy_note()
    if busy:
        progress.say(busy)
    # An ordinary end, so that children end as well and a lock is freed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    checks = []
    try:
        for target in arguments.target.split(",") if arguments.target else preset.targets:
            folder = directory / target if preset.folder_per_target else directory
            checks += _race_target(
                tools, target, wanted, apps, options, about, folder, progress, gpu, pack
            )
            if preset.keeps_results and not arguments.no_plot and not pack and not targets.why_not_runnable(target):
                print(plot.try_to_draw(setting.CHECKOUT, folder / "results.csv", folder / "results.svg"))
    except KeyboardInterrupt:
        progress.say(f"interrupted; what was measured is in {directory}")
        return 130
    return 1 if checks else 0

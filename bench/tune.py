"""./dev bench tune: how much faster than one shot and than by hand does `cryolite tune` get, and how soon? See
bench/README.md."""

import argparse
import csv
import json
import math
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import setting, tables
from bench.harness.apps import chosen, known_apps
from bench.harness.tools import busy_note, load_tools

# Of every kind: stencils, pyramids, tables, linear algebra, networks.
APPS = (
    "harris,bilateral_grid,conv_layer,camera_pipe,resize,local_laplacian,sgemm_1060,attention,"
    "stencil_chain,vdsr"
)
HEAD = ["app", "best ms", "of one shot", "of by hand", "of plain", "schedules", "minutes", "ended by"]


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench tune",
        description="Tunes each app for so long, and compares the best with the one-shot, manual and plain "
        "schedules, all by their ratios in the same turns.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--apps", metavar="A,B", default=APPS, help=f"({APPS})")
    option("--budget", default="15m", help="of each app, as for cryolite tune (15m)")
    option("--seed", type=int, default=0, help="(0)")
    option("--smoke", action="store_true", help="blur, a few schedules")
    option("--output", type=Path, help="where to write (BUILD/bench/tune); apps that are there go on")
    return line


def tune(tools, build, app, arguments, directory):
    """The tuner's result, and the curve: (seconds, ratio of the best to one shot)."""
    command = [
        str(build / "tools" / "cryolite"), "tune", str(tools.generator(app.generator)), "-g", app.generator,
        "--plugin", str(tools.plugins["Cryolite"]), "--compiler", tools.compiler, "--by-hand", "--json",
        "--patience", "0", "--budget", arguments.budget, "--seed", str(arguments.seed), "-o", str(directory),
        *(f"{key}={value}" for key, value in app.parameters.items()),
    ]  # fmt: skip
    start, curve = time.monotonic(), []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            event = json.loads(line)
            best, one_shot = event.get("best"), event.get("one_shot")
            if event["event"] == "progress" and best and one_shot and one_shot["ratio"]["median"] > 0:
                ratio = best["ratio"]["median"] / one_shot["ratio"]["median"]
                curve.append((time.monotonic() - start, event["tried"], ratio))
    if child.returncode != 0:
        return None, curve
    return json.loads((directory / "result.json").read_text(encoding="utf-8")), curve


def ratio(result, other):
    """The best's time over the other's; None where one of them has none."""
    best, beside = result["best"], result[other]
    if not best or not beside or beside["status"] != "timed":
        return None
    return best["ratio"]["median"] / beside["ratio"]["median"]


def cell(value):
    return "-" if value is None else f"{value:.3f}"


def mean(values):
    known = [math.log(v) for v in values if v]
    return math.exp(sum(known) / len(known)) if known else None


def main():
    arguments = parser().parse_args()
    if arguments.smoke:
        arguments.apps, arguments.budget = "blur", "6"
    tools = load_tools(arguments.build_dir)
    apps = chosen(arguments.apps, known_apps(tools), "app").values()
    directory = arguments.output or arguments.build_dir / "bench" / (
        "tune_smoke" if arguments.smoke else "tune"
    )
    directory.mkdir(parents=True, exist_ok=True)
    about = setting.lines("tune", tools) + [f"{arguments.budget} of tuning for each app"]
    print("\n".join(about), file=sys.stderr)
    if busy_note():
        print(busy_note(), file=sys.stderr)
    rows, ratios, failed = [HEAD], {"one_shot": [], "by_hand": [], "plain": []}, []
    with open(directory / "curves.csv", "w", encoding="utf-8", newline="") as file:
        curves = csv.writer(file)
        curves.writerow(["app", "seconds", "schedules", "ratio_to_one_shot"])
        for app in apps:
            result, curve = tune(tools, arguments.build_dir, app, arguments, directory / app.name)
            curves.writerows([app.name, f"{s:.1f}", n, f"{r:.4f}"] for s, n, r in curve)
            file.flush()
            if not result or not result["best"]:
                failed.append(app.name)
                continue
            for other, values in ratios.items():
                values.append(ratio(result, other))
            rows.append(
                [app.name, f"{result['best']['seconds']['median'] * 1e3:.4g}"]
                + [cell(values[-1]) for values in ratios.values()]
                + [str(result["schedules"]), f"{result['spent_seconds'] / 60:.1f}", result["ended_by"]]
            )
            print("\n".join(tables.align([HEAD, rows[-1]])), flush=True)
    means = [cell(mean(values)) for values in ratios.values()]
    rows.append(["geometric mean", ""] + means + [""] * (len(HEAD) - 2 - len(means)))
    text = tables.align(rows) + [f"check failed: {name} could not be tuned" for name in failed]
    (directory / "summary.txt").write_text("\n".join(about + [""] + text) + "\n", encoding="utf-8")
    print("\n".join([""] + text + [f"results: {directory}"]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

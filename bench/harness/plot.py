"""Draws a results.csv as an SVG: per app, each scheduler's throughput relative to the fastest one.

    python3 -m bench.harness.plot RESULTS.csv PICTURE.svg      (needs matplotlib)
"""

import csv
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.harness import robust

COLOURS = {
    "root": "#d9dde1", "manual": "#444444", "Mullapudi2016": "#b8c4ce", "Adams2019": "#7d93a8",
    "Li2018": "#c9b48c", "Anderson2021": "#8aa37b", "Cryolite": "#0b6e99",
}  # fmt: skip
OTHER_COLOUR = "#9467bd"
APPS_PER_ROW = 12
MEAN = "geometric mean"


@dataclass
class PlotData:
    """groups: the apps and, last, the mean. throughput: scheduler -> a number per group, the
    fastest being 1; None where it has no time. failures: scheduler -> kind or "" per group."""

    groups: list
    throughput: dict
    failures: dict

    @property
    def schedulers(self):
        return list(self.throughput)


def plot_data(rows):
    """From the rows of a results.csv. The mean of a scheduler is over the apps that it has."""
    apps = list(dict.fromkeys(row["app"] for row in rows))
    schedulers = list(dict.fromkeys(row["scheduler"] for row in rows))
    by_key = {(row["app"], row["scheduler"]): row for row in rows}
    data = PlotData(
        groups=[], throughput={name: [] for name in schedulers},
        failures={name: [] for name in schedulers},
    )  # fmt: skip
    for app in apps:
        times = {
            name: float(row["minimum_ms"])
            for name in schedulers
            if (row := by_key.get((app, name))) and row["minimum_ms"] and not row["failure"]
        }
        if not times:
            continue
        data.groups.append(app)
        fastest = min(times.values())
        for name in schedulers:
            row = by_key.get((app, name))
            data.throughput[name].append(fastest / times[name] if name in times else None)
            failed = row is not None and row["failure"]
            data.failures[name].append((row["failure_kind"] or "failed") if failed else "")
    if data.groups:
        data.groups.append(MEAN)
        for name in schedulers:
            values = [value for value in data.throughput[name] if value is not None]
            data.throughput[name].append(robust.geometric_mean(values) if values else None)
            data.failures[name].append("")
    return data


def _rows_of(groups):
    """Ranges of at most APPS_PER_ROW groups, of about the same length."""
    count = -(-len(groups) // APPS_PER_ROW)
    length = -(-len(groups) // count)
    return [range(i, min(i + length, len(groups))) for i in range(0, len(groups), length)]


def draw(data, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "cryolite"  # the same ids on every run
    import matplotlib.pyplot as plt

    rows = _rows_of(data.groups)
    figure, all_axes = plt.subplots(
        len(rows), 1, figsize=(11, 2.2 * len(rows) + 0.5), squeeze=False
    )
    width = 0.84 / len(data.schedulers)
    for axes, indices in zip(all_axes[:, 0], rows):
        for i, scheduler in enumerate(data.schedulers):
            shift = (i - (len(data.schedulers) - 1) / 2) * width
            positions = [x + shift for x in range(len(indices))]
            values = [data.throughput[scheduler][index] or 0 for index in indices]
            colour = COLOURS.get(scheduler, OTHER_COLOUR)
            axes.bar(positions, values, width, label=scheduler, color=colour)
            for position, index in zip(positions, indices):
                if data.failures[scheduler][index]:
                    axes.text(position, 0.01, "×", color=colour, ha="center", fontsize=8)
        axes.axhline(1, color="#333333", linewidth=0.6)
        axes.set_xlim(-0.6, len(rows[0]) - 0.4)
        axes.set_ylim(0, 1.08)
        names = [data.groups[index].replace("_", "\n") for index in indices]
        axes.set_xticks(range(len(indices)), names, fontsize=7)
        axes.tick_params(axis="y", labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supylabel("throughput, fastest = 1 (×: no valid result)", fontsize=8)
    handles, labels = all_axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncols=len(labels), loc="upper center", fontsize=8)
    figure.tight_layout(rect=(0.01, 0, 1, 1 - 0.3 / figure.get_figheight()))
    figure.savefig(path, metadata={"Date": None})


def _draw_command(module, results, picture, folder=""):
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-m", module, str(results), str(picture)],
        cwd=Path(__file__).resolve().parent.parent.parent,
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def try_to_draw(checkout, results, picture, module="bench.harness.plot"):
    """One line for the user. Drawing is no result: whatever keeps it from working is only said."""
    results, picture = results.resolve(), picture.resolve()
    try:
        drawn = _draw_command(module, results, picture)
        if drawn.returncode != 0 and "No module named 'matplotlib'" in drawn.stderr:
            fetched = subprocess.run(
                [str(checkout / "dev"), "packages", "plot"],
                stdout=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
            if fetched.returncode != 0:
                return "no plot: matplotlib is not installed here and cannot be fetched"
            drawn = _draw_command(module, results, picture, fetched.stdout.strip())
    except OSError as error:
        return f"no plot: {error}"
    if drawn.returncode != 0:
        return f"no plot: {(drawn.stderr.strip().splitlines() or ['drawing failed'])[-1]}"
    return f"plot: {picture}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        data = plot_data(list(csv.DictReader(file)))
    if not data.groups:
        sys.exit("there are no run times to draw")
    draw(data, sys.argv[2])


if __name__ == "__main__":
    main()

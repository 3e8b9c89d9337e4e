"""Draws the bars of a results.csv as an SVG: speed relative to the manual schedule, per app.

    python3 -m bench.harness.plot RESULTS.csv PICTURE.svg      (needs matplotlib)
"""

import csv
import sys
from collections import defaultdict

SCHEDULERS = ["Mullapudi2016", "Adams2019", "Cryolite"]
COLOURS = {"Mullapudi2016": "#b8c4ce", "Adams2019": "#7d93a8", "Cryolite": "#0b6e99"}


def read_minimums(path):
    """{app: {scheduler: milliseconds}}, without failed runs."""
    minimums = defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["minimum_ms"] and not row["failure"]:
                minimums[row["app"]][row["scheduler"]] = float(row["minimum_ms"])
    return minimums


def draw(minimums, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "cryolite"  # the same ids on every run
    import matplotlib.pyplot as plt

    apps = [app for app, times in minimums.items() if "manual" in times]
    figure, axes = plt.subplots(figsize=(10, 3.2))
    width = 0.27
    for i, scheduler in enumerate(SCHEDULERS):
        speeds = [
            minimums[app]["manual"] / minimums[app][scheduler] if scheduler in minimums[app] else 0
            for app in apps
        ]
        positions = [x + (i - 1) * width for x in range(len(apps))]
        axes.bar(positions, speeds, width, label=scheduler, color=COLOURS[scheduler])
    axes.axhline(1, color="#333333", linewidth=0.8)
    axes.set_xticks(range(len(apps)), [app.replace("_", "\n") for app in apps], fontsize=8)
    axes.set_ylabel("speed, manual schedule = 1")
    axes.legend(frameon=False, ncols=3, loc="upper left", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    draw(read_minimums(sys.argv[1]), sys.argv[2])

"""Draws the results.csv of ./dev bench scale as an SVG: seconds and memory by the number of Funcs.

    python3 -m bench.harness.scale_plot RESULTS.csv PICTURE.svg      (needs matplotlib)
"""

import csv
import sys

PANELS = (
    ("graph_seconds", "graph, seconds"),
    ("search_seconds", "search, seconds"),
    ("megabytes", "memory of both, MB"),
)


def series(rows, column):
    """Shape -> (Funcs, values), without the runs that failed."""
    found = {}
    for row in rows:
        if row["failure"] or not row[column]:
            continue
        funcs, values = found.setdefault(row["shape"], ([], []))
        funcs.append(int(row["funcs"]))
        values.append(float(row[column]))
    return found


def draw(rows, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "cryolite"  # the same ids on every run
    import matplotlib.pyplot as plt

    figure, all_axes = plt.subplots(1, len(PANELS), figsize=(11, 3.4))
    for axes, (column, title) in zip(all_axes, PANELS):
        for shape, (funcs, values) in series(rows, column).items():
            axes.loglog(funcs, values, marker="o", markersize=3, label=shape)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("Funcs", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(True, which="major", linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].legend(frameon=False, fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not any(series(rows, column) for column, _ in PANELS):
        sys.exit("there is nothing to draw")
    draw(rows, sys.argv[2])


if __name__ == "__main__":
    main()

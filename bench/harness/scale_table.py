"""What ./dev bench scale found, as a table, and how it grows."""

import math

from bench.harness.tables import align, number

COLUMNS = (
    "shape", "funcs", "seed", "threads", "graph_seconds", "search_seconds", "search_cpu_seconds",
    "graph_megabytes", "megabytes", "states", "kernels", "hit_time_limit", "hit_memory_limit",
    "predicted_ms", "failure",
)  # fmt: skip


def table(rows):
    """A line per pipeline."""
    lines = [
        ["shape", "Funcs", "graph s", "search s", "its CPU s", "MB", "states", "us a state",
         "predicted ms", "note"]
    ]  # fmt: skip
    for row in rows:
        if row.get("failure"):
            lines.append([row["shape"], str(row["funcs"])] + ["-"] * 7 + ["failed"])
            continue
        per_state = 1e6 * row["search_cpu_seconds"] / max(1, row["states"])
        lines.append(
            [row["shape"], str(row["funcs"])]
            + [number(row[c]) for c in ("graph_seconds", "search_seconds", "search_cpu_seconds")]
            + [number(row["megabytes"]), str(row["states"]), number(per_state)]
            + [number(row["predicted_ms"])]
            + ["time limit" if row["hit_time_limit"] else ""]
        )
    return align(lines)


def exponent(rows, value, most_funcs):
    """Of the power of the length that `value` grows by, between the shortest and the longest pipeline
    of at most so many Funcs; None where there are no two."""
    known = [row for row in rows if not row.get("failure") and row["funcs"] <= 1.1 * most_funcs]
    known = [row for row in known if value(row) > 0]
    if len(known) < 2:
        return None
    first, last = (f(known, key=lambda row: row["funcs"]) for f in (min, max))
    if first["funcs"] == last["funcs"]:
        return None
    return math.log(value(last) / value(first)) / math.log(last["funcs"] / first["funcs"])


def growth(rows):
    """Per shape the exponents of graph time, search time and time per state."""
    lines = [["grows as Funcs to the power of", "graph s", "search CPU s", "CPU s a state", "MB"]]
    for shape in dict.fromkeys(row["shape"] for row in rows):
        of_shape = [row for row in rows if row["shape"] == shape]
        exponents = [
            exponent(of_shape, value, 1000)
            for value in (
                lambda row: row["graph_seconds"],
                lambda row: row["search_cpu_seconds"],
                lambda row: row["search_cpu_seconds"] / max(1, row["states"]),
                lambda row: row["megabytes"],
            )
        ]
        lines.append([shape] + ["-" if e is None else f"{e:.2f}" for e in exponents])
    return align(lines)

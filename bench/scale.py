"""./dev bench scale: how the time and memory of a search grow with the pipeline: chains and random
graphs of ten to a thousand Funcs. Nothing is compiled. See bench/README.md."""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import csv_file, plot, processes, setting
from bench.harness.processes import Limits
from bench.harness.progress import Progress
from bench.harness.scale_table import COLUMNS, growth, table
from bench.harness.tools import busy_note, load_tools

LENGTHS = (10, 30, 100, 300, 1000)
SMOKE_LENGTHS = (10, 30)


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench scale",
        description="Builds the graphs of generated pipelines and searches them: seconds, memory and "
        "states by the number of Funcs. Fails if a pipeline gets no schedule inside the limits.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"lengths {', '.join(map(str, SMOKE_LENGTHS))}")
    option("--lengths", metavar="N,M", help=f"in Funcs ({', '.join(map(str, LENGTHS))})")
    option("--shapes", metavar="A,B", help="(all)")
    option("--threads", type=int, default=2, metavar="N", help="of the search (2)")
    option("--seed", type=int, default=0, metavar="N", help="of the random graphs (0)")
    option(
        "--time-limit", type=float, default=1e6, metavar="S", help="of the search itself (none)"
    )
    option("--limit-seconds", type=float, default=300, metavar="S", help="for a process (300)")
    option(
        "--limit-memory", dest="limit_memory_mb", type=float, default=4096, metavar="MB",
        help="for it (4096)",
    )  # fmt: skip
    option("--output", type=Path, help="where to write (BUILD/bench/scale, scale_smoke)")
    return line


def chosen_shapes(tools, names):
    listed = processes.run([str(tools.scale_probe), "--shapes"], Limits(60, 1024))
    if not listed.ok:
        raise SystemExit(f"scale_probe: {processes.describe_failure(listed)}")
    shapes = {shape["name"]: shape["doc"] for shape in json.loads(listed.output)}
    if not names:
        return shapes
    for name in names.split(","):
        if name not in shapes:
            raise SystemExit(f"there is no shape {name}; there are {', '.join(shapes)}")
    return {name: shapes[name] for name in names.split(",")}


def measured(tools, arguments, shape, length):
    """The probe's report, or what kept it from giving one, under "failure"."""
    command = [str(tools.scale_probe), shape, str(length)]
    command += ["--seed", str(arguments.seed), "--threads", str(arguments.threads)]
    command += ["--time-limit", str(arguments.time_limit)]
    result = processes.run(command, Limits(arguments.limit_seconds, arguments.limit_memory_mb))
    if result.ok:
        return json.loads(result.output)
    return {"shape": shape, "funcs": length, "failure": processes.describe_failure(result)}


def main():
    arguments = parser().parse_args()
    tools = load_tools(arguments.build_dir)
    lengths = SMOKE_LENGTHS if arguments.smoke else LENGTHS
    if arguments.lengths:
        lengths = tuple(int(length) for length in arguments.lengths.split(","))
    folder = "scale_smoke" if arguments.smoke else "scale"
    directory = arguments.output or arguments.build_dir / "bench" / folder
    directory.mkdir(parents=True, exist_ok=True)
    shapes = chosen_shapes(tools, arguments.shapes)
    progress = Progress()
    about = setting.lines("scale", tools) + [f"{name}: {doc}" for name, doc in shapes.items()]
    progress.say("\n".join(about))
    if busy_note():
        progress.say(busy_note())
    rows = []
    for shape in shapes:
        for length in lengths:
            progress.show(f"{shape}, {length} Funcs")
            rows.append(measured(tools, arguments, shape, length))
            csv_file.write(
                directory / "results.csv", COLUMNS, [[row.get(c) for c in COLUMNS] for row in rows]
            )
    progress.clear()
    failures = [row for row in rows if row.get("failure")]
    text = table(rows) + [""] + growth(rows)
    text += [f"failed: {row['shape']}, {row['funcs']} Funcs: {row['failure']}" for row in failures]
    (directory / "summary.txt").write_text("\n".join(about + [""] + text) + "\n", encoding="utf-8")
    print("\n".join(text), flush=True)
    print(
        plot.try_to_draw(
            setting.CHECKOUT, directory / "results.csv", directory / "results.svg",
            module="bench.harness.scale_plot",
        )
    )  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

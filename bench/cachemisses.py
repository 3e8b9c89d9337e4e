"""./dev bench cachemisses: predicted cache misses against those that valgrind's cachegrind counts when
the generated code runs, for random tilings and orders of small kernels. See bench/README.md."""

import argparse
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness import cachegrind, miss_report, processes, setting, store
from bench.harness.apps import chosen
from bench.harness.miss_report import CountedKernel
from bench.harness.processes import Limits
from bench.harness.progress import Eta, Progress
from bench.harness.tools import load_tools

CASES, SMOKE_CASES = 32, 3
SMOKE_KERNELS = ("matmul", "transpose", "blur")
LINK_LIMITS = Limits(seconds=120, memory_mb=4096)
JUDGED = "model"


def parser():
    line = argparse.ArgumentParser(
        prog="./dev bench cachemisses",
        description="Counts the cache misses of small kernels under random tilings and orders with "
        "cachegrind, and compares them with what is predicted: rank correlation and ratio per kernel.",
    )
    option = line.add_argument
    option("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    option("--smoke", action="store_true", help=f"{SMOKE_CASES} cases of {', '.join(SMOKE_KERNELS)}")
    option(
        "--offline", action="store_true",
        help="predict anew what earlier runs counted, and compile and count nothing",
    )  # fmt: skip
    option("--kernels", metavar="A,B", help="(all)")
    option("--cases", type=int, metavar="N", help=f"of each kernel ({CASES})")
    option("--seed", type=int, default=0, metavar="N", help="of sizes, tilings and orders (0)")
    option(
        "--limit-seconds", type=float, default=1800, metavar="S",
        help="for compiling and for counting one kernel's cases (1800)",
    )  # fmt: skip
    option("--fresh", action="store_true", help="draw and count anew")
    option("--output", type=Path, help="where to write (BUILD/bench/cachemisses, cachemisses_smoke)")
    return line


class Bench:
    def __init__(self, arguments, tools, valgrind, directory):
        self._tools, self._valgrind, self._directory = tools, valgrind, directory
        self._limits = Limits(seconds=arguments.limit_seconds, memory_mb=8192)
        self._seed, self._fresh = arguments.seed, arguments.fresh or arguments.smoke
        self._count = arguments.cases or (SMOKE_CASES if arguments.smoke else CASES)
        self._store = store.Store(directory / "work")
        listed = self._ask("list")
        self.kernels = {kernel["name"]: kernel for kernel in listed["kernels"]}
        self._caches = listed["caches"]

    def _ask(self, task, **options):
        command = [str(self._tools.cache_probe), task]
        command += [f"--{name}={value}" for name, value in options.items()]
        result = processes.run(command, self._limits)
        if not result.ok:
            raise SystemExit(f"cache_probe {task}: {processes.describe_failure(result)}")
        return json.loads(result.output)

    def _record(self, kernel):
        return f"{kernel}_{self._seed}_{self._count}"

    def stored(self, kernel):
        """What an earlier run counted, predicted anew; None if there is no such run."""
        cases = None if self._fresh else self._store.latest(self._record(kernel))
        if cases is None or cases["caches"] != self._caches:
            return None
        known = [case for case in cases["cases"] if "failure" not in case]
        file = self._directory / f"{kernel}.cases"
        store.write_json(file, known)
        for case, prediction in zip(known, self._ask("predict", kernel=kernel, cases=file)):
            if "failure" in prediction:
                case["failure"] = f"predicting: {prediction['failure']}"
            else:
                case["predicted"] = prediction
        file.unlink()
        return CountedKernel(kernel, cases["cases"])

    def counted(self, kernel):
        """Draws, compiles, runs and stores."""
        objects = self._directory / "objects" / kernel
        shutil.rmtree(objects, ignore_errors=True)
        objects.mkdir(parents=True)
        cases = self._ask(
            "draw", kernel=kernel, seed=self._seed, count=self._count, directory=objects
        )
        compiled = [case for case in cases if "failure" not in case]
        library = objects / f"{kernel}.so"
        files = [str(objects / f"{case['symbol']}.o") for case in compiled]
        link = processes.run(
            [self._tools.compiler, "-shared", "-o", str(library), *files]
            + [str(objects / "runtime.o"), "-lpthread", "-ldl", "-lm"],
            LINK_LIMITS,
        )
        if not link.ok:
            raise SystemExit(f"linking {kernel}: {processes.describe_failure(link)}")
        counts = cachegrind.count(
            self._valgrind, self._tools.miss_runner, library, compiled, self._caches,
            objects / "counts", self._limits,
        )  # fmt: skip
        for case in compiled:
            found = counts[case["symbol"]]
            if isinstance(found, str):
                case["failure"] = found
            else:
                case["counted"] = [found.l1, found.last_level]
                case["instructions"] = found.instructions
        shutil.rmtree(objects)
        self._store.put(self._record(kernel), "", {"caches": self._caches, "cases": cases})
        return CountedKernel(kernel, cases)


def collect(bench, kernels, offline, progress):
    eta, found = Eta(len(kernels)), []
    for kernel in kernels:
        eta.start_step()
        progress.say(f"{kernel} ({eta.text()})")
        known = bench.stored(kernel)
        if known is None and offline:
            progress.say(f"{kernel}: nothing is stored here")
        else:
            found.append(known or bench.counted(kernel))
        eta.end_step(known is not None)
    return found


def main():
    arguments = parser().parse_args()
    tools = load_tools(arguments.build_dir)
    valgrind = cachegrind.find_valgrind()
    if valgrind is None and not arguments.offline:
        print("skipped: there is no valgrind here (Debian's package is called valgrind)")
        return 0
    folder = "cachemisses_smoke" if arguments.smoke else "cachemisses"
    directory = arguments.output or arguments.build_dir / "bench" / folder
    progress = Progress()
    about = setting.lines("cachemisses", tools)
    progress.say("\n".join(about))
    lock = store.Lock(directory)
    try:
        bench = Bench(arguments, tools, valgrind, directory)
        names = arguments.kernels or (",".join(SMOKE_KERNELS) if arguments.smoke else None)
        kernels = chosen(names, bench.kernels, "kernel") if names else bench.kernels
        found = collect(bench, kernels, arguments.offline, progress)
    except cachegrind.CountingError as error:
        raise SystemExit(f"cachegrind: {error}") from error
    finally:
        lock.release()
    if not any(len(k.cases) > len(k.failures) for k in found):
        print("nothing was counted" + "".join(f"\n{k.name}: {k.failures[0]}" for k in found if k.failures))
        return 1
    miss_report.write_csv(found, directory / "results.csv")
    failures = [f"check failed: {k.name}: {failure}" for k in found for failure in k.failures]
    text = miss_report.table(found) + [""] + failures
    last_line = miss_report.summary(found, JUDGED)
    (directory / "summary.txt").write_text(
        "\n".join(about + [""] + text + [last_line]) + "\n", encoding="utf-8"
    )
    print("\n".join(text + [f"results: {directory}", last_line]), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

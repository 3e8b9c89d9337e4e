"""Runs compiled cases under valgrind's simulator of caches and reads what it counted."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from bench.harness import processes

DATA_MISSES = {"L1": ("D1mr", "D1mw"), "LL": ("DLmr", "DLmw")}


class CountingError(Exception):
    """Why nothing could be counted, in words for people."""


@dataclass(frozen=True)
class Counts:
    """Lines that data accesses missed, and instructions."""

    l1: int
    last_level: int
    instructions: int

    def __sub__(self, other):
        return Counts(
            self.l1 - other.l1,
            self.last_level - other.last_level,
            self.instructions - other.instructions,
        )


def find_valgrind():
    """Its path, or None."""
    return shutil.which("valgrind")


def parse_totals(text):
    """The whole process's Counts, of a file that cachegrind wrote."""
    events = totals = None
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("summary:"):
            totals = [int(word) for word in line.split()[1:]]
    if events is None or totals is None or len(events) != len(totals):
        raise CountingError("the file of counts has no summary")
    count = dict(zip(events, totals))
    try:
        l1, last = (sum(count[event] for event in DATA_MISSES[level]) for level in ("L1", "LL"))
        return Counts(l1, last, count["Ir"])
    except KeyError as error:
        raise CountingError(f"the simulator did not count {error}") from error


def call_line(case):
    """A case as miss_runner reads it."""
    words = [case["symbol"]]
    for buffer in case["buffers"]:
        words.append(":".join(str(number) for number in [buffer["type"], *buffer["extents"]]))
    return " ".join(words)


def command(valgrind, caches, out_file):
    """The first cache stands for both first caches, the last for the last level."""

    def geometry(cache):
        return f"{cache['size_bytes']},{cache['ways']},{cache['line_bytes']}"

    return [
        valgrind, "--tool=cachegrind", "--cache-sim=yes", "--quiet", "--child-silent-after-fork=yes",
        f"--I1={geometry(caches[0])}", f"--D1={geometry(caches[0])}",
        f"--LL={geometry(caches[-1])}", f"--cachegrind-out-file={out_file}",
    ]  # fmt: skip


def count(valgrind, runner, library, cases, caches, directory, limits):
    """symbol -> Counts of the call alone, or the reason why there are none."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    calls = directory / "calls"
    calls.write_text("".join(call_line(case) + "\n" for case in cases), encoding="utf-8")
    line = command(valgrind, caches, directory / "counts.%p") + [str(runner), str(library)]
    # valgrind's own words go to a file of their own: they are not what the runner says.
    result = processes.run(line, limits, standard_input=calls)
    if not result.ok and not result.output:
        raise CountingError(processes.describe_failure(result))
    found = {}
    for row in result.output.splitlines():
        symbol, *rest = row.split(maxsplit=1)
        try:
            before, after = (
                parse_totals((directory / f"counts.{pid}").read_text(encoding="utf-8"))
                for pid in rest[0].split()
            )
            found[symbol] = after - before
        except (ValueError, OSError, CountingError) as error:
            found[symbol] = rest[0] if rest and "failed" in rest[0] else str(error)
    for case in cases:
        found.setdefault(case["symbol"], processes.describe_failure(result) or "not counted")
    return found

"""How predicted cache misses compare with counted ones: tables and files of ./dev bench cachemisses."""

import statistics
from dataclasses import dataclass, field

from bench.harness import csv_file, robust, tables

LEVELS = ("L1", "LL")
AIM = 0.9  # rank correlation, per kernel


@dataclass
class CountedKernel:
    """cases: as the probe gives them, each with "counted" (misses per level) or "failure"; what is
    "predicted" is by predictor, None where it has nothing to say."""

    name: str
    cases: list = field(default_factory=list)

    @property
    def failures(self):
        return [case["failure"] for case in self.cases if "failure" in case]

    def pairs(self, predictor, level):
        """(predicted, counted) of what has both."""
        return [
            (case["predicted"][predictor][level], case["counted"][level])
            for case in self.cases
            if "failure" not in case and case["predicted"].get(predictor) is not None
        ]

    def spearman(self, predictor, level):
        pairs = self.pairs(predictor, level)
        return robust.spearman(*zip(*pairs)) if pairs else None

    def ratio(self, predictor, level):
        """Predicted over counted: the median, and how far the tenths at both ends are from it."""
        ratios = [predicted / counted for predicted, counted in self.pairs(predictor, level) if counted]
        return statistics.median(ratios) if ratios else None


def predictors(kernels):
    return list(next(case["predicted"] for k in kernels for case in k.cases if "failure" not in case))


def table(kernels):
    names = predictors(kernels)
    head = ["kernel", "cases"]
    for name in names:
        head += [f"{name} {level} {what}" for level in LEVELS for what in ("rank", "ratio")]
    rows = [head]
    for k in kernels:
        row = [k.name, str(len(k.cases) - len(k.failures))]
        for name in names:
            for level in range(len(LEVELS)):
                spearman = k.spearman(name, level)
                row += ["-" if spearman is None else f"{spearman:.3f}", tables.times(k.ratio(name, level))]
        rows.append(row)
    return tables.align(rows)


def below(kernels, predictor):
    """(kernel, level, rank correlation) of what misses the aim."""
    return [
        (k.name, LEVELS[level], found)
        for k in kernels
        for level in range(len(LEVELS))
        if (found := k.spearman(predictor, level)) is not None and found < AIM
    ]


def summary(kernels, predictor):
    """The one line that is printed last."""
    values = [v for k in kernels for c in range(len(LEVELS)) if (v := k.spearman(predictor, c)) is not None]
    if not values:
        return "nothing was counted"
    missed = below(kernels, predictor)
    text = f"rank correlation of the {predictor}'s misses with cachegrind's: least {min(values):.3f}, "
    text += f"median {statistics.median(values):.3f} over {len(kernels)} kernels and {len(LEVELS)} caches"
    if missed:
        text += f"; below {AIM}: " + ", ".join(f"{k} {level} {v:.3f}" for k, level, v in missed)
    return text


def write_csv(kernels, path):
    names = predictors(kernels)
    columns = ["kernel", "case", "sizes", "instructions"]
    columns += [f"counted {level}" for level in LEVELS]
    columns += [f"{name} {level}" for name in names for level in LEVELS] + ["failure", "trace"]
    rows = []
    for k in kernels:
        for case in k.cases:
            row = [k.name, case.get("symbol", ""), "x".join(map(str, case.get("sizes", [])))]
            if "failure" in case:
                rows.append(row + [None] * (len(columns) - len(row) - 2) + [case["failure"], case.get("trace", "")])
                continue
            row += [case["instructions"], *case["counted"]]
            for name in names:
                row += case["predicted"].get(name) or [None] * len(LEVELS)
            rows.append(row + ["", " / ".join(case["trace"].splitlines()[2:])])
    csv_file.write(path, columns, rows)

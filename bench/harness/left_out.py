"""What a schedule by hand has that its import has not: directives without a place in our space, and
Funcs that the schedule itself makes."""

import re
from collections import defaultdict
from dataclasses import dataclass

from bench.harness.import_trace import made_funcs

# Directives that change neither what is computed where nor how the points of a loop are computed: ends of
# loops, where a buffer lies, which cases Halide compiles apart.
MINOR = ("tails of splits", "partition", "store_in")
# A split that has nothing to split at the estimates.
NOTHING_TO_SPLIT = "not split"


@dataclass(frozen=True)
class Difference:
    where: str  # a Func, "rows", or a stage, "rows.s1"
    directive: str  # "vectorize(c)"
    what: str  # what became of it

    @property
    def func(self):
        return re.sub(r"\.s\d+$", "", self.where)

    @property
    def name(self):
        """"vectorize(c)" -> "vectorize", "split of x by 16" -> "split"."""
        return re.sub(r"\(.*| of .* by .*", "", self.directive)

    @property
    def matters(self):
        return self.name not in MINOR and not self.what.endswith(NOTHING_TO_SPLIT)


def parse(line):
    """Of a line of an explanation, "WHERE: DIRECTIVE: WHAT"."""
    where, _, rest = line.partition(": ")
    directive, _, what = rest.partition(": ")
    return Difference(where, directive, what)


def kinds(by_hand, ours):
    """What is left out and matters, a text for each kind, the one of the most Funcs first:
    "align_bounds of a, b (the region is not aligned)"."""
    made, left_out = defaultdict(dict), defaultdict(dict)
    for func, maker in made_funcs(by_hand, ours).items():
        made[maker][func] = ""
    for difference in map(parse, by_hand.differences):
        if difference.matters:
            reason = difference.what.partition(";")[0]
            # Alike but for a number.
            funcs = left_out[difference.name, re.sub(r"\d+", "N", reason)]
            funcs.setdefault(difference.func, reason)
    found = [(funcs, f"{maker} makes {_some(list(funcs))}") for maker, funcs in made.items()]
    for (name, _), funcs in left_out.items():
        reason = next(iter(funcs.values()))
        found.append((funcs, f"{name} of {_some(list(funcs))} ({reason})"))
    return [text for _, text in sorted(found, key=lambda item: -len(item[0]))]


def shown(texts, most=3):
    """The first of them in one line."""
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def minor(by_hand):
    """The names of what is left out and does not matter."""
    return list(dict.fromkeys(d.name for d in map(parse, by_hand.differences) if not d.matters))


def _some(funcs, most=3):
    shown = ", ".join(funcs[:most])
    return shown if len(funcs) <= most else f"{shown} and {len(funcs) - most} more"

"""How well predictions rank the schedules of one batch."""

import statistics
from dataclasses import dataclass

from bench.harness import robust

TOP = 5
FEWEST_REPEATED = 8  # schedules with two rounds, to say how well one round ranks them as the next


@dataclass(frozen=True)
class Ranking:
    """All but the rank correlations, the recall and the scale are times over the batch's fastest."""

    count: int
    spearman: float  # between predicted and measured time; None where it has no meaning
    repeat: float  # the same between two rounds of measurement; None with too few in both
    pick: float  # of the schedule with the least prediction
    top_pick: float  # of the fastest among the TOP least predictions
    recall: float  # share of the TOP fastest that are among the TOP least predictions
    search: float  # of the schedule that the search chose; None where it has no time
    p10: float
    median: float
    p90: float
    scale: float  # predicted over measured time, the median


# What is a ratio and has a geometric mean; the others have medians alone.
RATIOS = ("pick", "top_pick", "search", "p10", "median", "p90", "scale")
FIGURES = ("spearman", "repeat", "pick", "top_pick", "recall", *RATIOS[2:])


def rank(predicted, measured, search_at=None, repeated=()):
    """Of lists of the same length, two at least; search_at: where the search's choice is; repeated:
    pairs of times, of what was measured twice."""
    fastest = min(measured)
    by_prediction = sorted(range(len(predicted)), key=lambda at: predicted[at])
    by_time = sorted(range(len(measured)), key=lambda at: measured[at])
    top = by_prediction[:TOP]
    deciles = statistics.quantiles(measured, n=10, method="inclusive")
    return Ranking(
        count=len(measured),
        spearman=robust.spearman(predicted, measured),
        repeat=robust.spearman(*zip(*repeated)) if len(repeated) >= FEWEST_REPEATED else None,
        pick=measured[by_prediction[0]] / fastest,
        top_pick=min(measured[at] for at in top) / fastest,
        recall=len(set(top) & set(by_time[:TOP])) / len(top),
        search=None if search_at is None else measured[search_at] / fastest,
        p10=deciles[0] / fastest,
        median=statistics.median(measured) / fastest,
        p90=deciles[8] / fastest,
        scale=statistics.median(p / m for p, m in zip(predicted, measured)),
    )


def median(rankings, figure):
    values = [v for r in rankings if (v := getattr(r, figure)) is not None]
    return statistics.median(values) if values else None


def geometric_mean(rankings, figure):
    """None for figures that are no ratios."""
    values = [v for r in rankings if (v := getattr(r, figure)) is not None]
    return robust.geometric_mean(values) if values and figure in RATIOS else None

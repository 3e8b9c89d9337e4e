"""The few numbers that stand for many samples. The minimum carries the ratios: noise on a shared
machine only adds time. Median and spread say how far to trust it."""

import math
import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """Of two schedules that ran by turns: the median over the rounds, and the quartiles."""

    centre: float
    low: float
    high: float


def ratio_by_rounds(ours, others):
    """ours, others: samples, a list per round. In each round the ratio is that of the minima. None without
    a round of both."""
    ratios = [min(a) / min(b) for a, b in zip(ours, others)]
    if not ratios:
        return None
    if len(ratios) == 1:
        return Ratio(ratios[0], ratios[0], ratios[0])
    low, centre, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(centre, low, high)


def minimum_ms(samples):
    return 1e3 * min(samples)


def median_ms(samples):
    return 1e3 * statistics.median(samples)


def spread_percent(samples):
    """Interquartile range over the median; 0 for a single sample."""
    if len(samples) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return 100.0 * (high - low) / middle


def geometric_mean(values):
    values = list(values)
    if not values:
        return math.nan
    if min(values) == 0:
        return 0.0
    return math.exp(sum(math.log(value) for value in values) / len(values))


def ranks(values):
    """From 1 for the least; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for at in order[start:end]:
            result[at] = (start + 1 + end) / 2
        start = end
    return result


def spearman(left, right):
    """Rank correlation, from -1 to 1; None for fewer than two values, or where all are equal."""
    if len(left) < 2 or len(set(left)) == 1 or len(set(right)) == 1:
        return None
    return statistics.correlation(ranks(left), ranks(right))

"""The few numbers that stand for many samples. The minimum carries the ratios: noise on a shared
machine only adds time. Median and spread say how far to trust it."""

import math
import statistics


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
    return math.exp(sum(math.log(value) for value in values) / len(values))

"""What predictions of measured schedules are worth: of the analytical model and of a learned one."""

import math
import statistics
from dataclasses import dataclass

from bench.harness import ranking, robust, tables

FEWEST = 5  # samples of a group: fewer have no five best
WORSE = 1.03  # a pick that is slower by more counts as worse


@dataclass(frozen=True)
class Group:
    """All schedules of one pipeline on one machine. Seconds, in the same order."""

    archive: str
    pipeline: str
    measured: tuple
    analytical: tuple
    learned: tuple


@dataclass(frozen=True)
class Quality:
    """Of one way to predict, over several groups."""

    groups: int
    spearman: float  # the mean
    spearman_median: float
    pick: float  # the geometric mean of the pick's time over the fastest
    top_pick: float  # the same of the fastest of the 5 best predictions
    recall: float  # of the 5 fastest among the 5 best predictions, the mean
    r2: float  # of log time within groups


HEAD = ["groups", "Spearman, mean", "median", "pick", "best of 5", "recall of 5", "R2 of log time"]


def explained_share(pairs):
    """R2 of log(predicted) for log(measured), both about the means of their group, over all groups. A scale
    that a whole group shares does not count: no search sees it. pairs: of lists, (predicted, measured)."""
    left = total = 0.0
    for predicted, measured in pairs:
        t = [math.log(seconds) for seconds in measured]
        r = [math.log(p) - s for p, s in zip(predicted, t)]
        mean_t, mean_r = statistics.fmean(t), statistics.fmean(r)
        total += sum((v - mean_t) ** 2 for v in t)
        left += sum((v - mean_r) ** 2 for v in r)
    return 1 - left / total if total else math.nan


def quality(groups, predicted_of):
    """predicted_of: Group -> predicted seconds."""
    ranked = [ranking.rank(predicted_of(g), g.measured) for g in groups]
    correlations = [r.spearman for r in ranked if r.spearman is not None]
    return Quality(
        groups=len(groups),
        spearman=statistics.fmean(correlations),
        spearman_median=statistics.median(correlations),
        pick=robust.geometric_mean(r.pick for r in ranked),
        top_pick=robust.geometric_mean(r.top_pick for r in ranked),
        recall=statistics.fmean(r.recall for r in ranked),
        r2=explained_share([(predicted_of(g), g.measured) for g in groups]),
    )


def row(found):
    cells = [found.spearman, found.spearman_median, found.pick, found.top_pick, found.recall, found.r2]
    return [str(found.groups)] + [f"{value:.3f}" for value in cells]


def large_enough(groups):
    return [g for g in groups if len(g.measured) >= FEWEST]


def by_archive(groups, learned_name):
    """A Markdown table: a pair of rows for all, and for each archive."""
    rows = [["archive", "model"] + HEAD]
    archives = sorted({g.archive for g in groups})
    for archive in ["all"] + (archives if len(archives) > 1 else []):
        some = [g for g in groups if archive in ("all", g.archive)]
        rows.append([archive, "analytical"] + row(quality(some, lambda g: g.analytical)))
        rows.append([archive, learned_name] + row(quality(some, lambda g: g.learned)))
    return tables.markdown(rows)


def by_pipeline(groups):
    """A Markdown table: for each pipeline the means over the archives that have it."""
    rows = [["pipeline", "archives", "Spearman analytical", "learned", "pick analytical", "learned"]]
    for name in sorted({g.pipeline for g in groups}):
        some = [g for g in groups if g.pipeline == name]
        before, after = quality(some, lambda g: g.analytical), quality(some, lambda g: g.learned)
        rows.append(
            [name, str(len(some))]
            + [f"{v:.2f}" for v in (before.spearman, after.spearman, before.pick, after.pick)]
        )
    return tables.markdown(rows)


def changed_pipelines(groups):
    """(better, worse): pipelines whose pick, as a mean over the archives, changes by more than WORSE."""
    better, worse = [], []
    for name in sorted({g.pipeline for g in groups}):
        some = [g for g in groups if g.pipeline == name]
        before, after = quality(some, lambda g: g.analytical), quality(some, lambda g: g.learned)
        if after.pick > WORSE * before.pick:
            worse.append(name)
        elif before.pick > WORSE * after.pick:
            better.append(name)
    return better, worse

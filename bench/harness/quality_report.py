"""What a batch says of a model's predictions: tables, files and checks of ./dev bench quality."""

from dataclasses import dataclass, field

from bench.harness import csv_file, processes, ranking, robust, tables
from bench.harness.batch import UNMEASURED

FEWEST = 2  # samples to rank

# What may happen to a schedule without anybody being wrong.
HARMLESS = (processes.TIMEOUT, processes.OUT_OF_MEMORY, UNMEASURED)


@dataclass
class Quality:
    """predictions: one per sample, as the probe gives them; empty without a batch."""

    batch: object  # Batch
    predictions: list = field(default_factory=list)

    def _pairs(self):
        """(index, predicted seconds, measured seconds) of what has both."""
        return [
            (at, prediction["seconds"], min(sample.all_times))
            for at, (sample, prediction) in enumerate(zip(self.batch.samples, self.predictions))
            if sample.ok and "seconds" in prediction
        ]

    @property
    def ranking(self):
        """None where there is too little to rank."""
        pairs = self._pairs()
        if len(pairs) < FEWEST:
            return None
        indices, predicted, measured = zip(*pairs)
        rounds = [self.batch.samples[at].times for at in indices]
        repeated = [(min(times[0]), min(times[1])) for times in rounds if len(times) > 1]
        search_at = indices.index(0) if 0 in indices else None
        return ranking.rank(predicted, measured, search_at, repeated)

    @property
    def refused(self):
        return [prediction["refused"] for prediction in self.predictions if "refused" in prediction]

    def checks(self):
        """What makes the run fail: a schedule that our rules call legal, and that is refused, fails or
        computes something else. Not a time; nor what an older version drew and this one refuses."""
        batch = self.batch
        if batch.failure:
            return [f"{batch.app}: {batch.failure}"]
        predictions = self.predictions or [{}] * len(batch.samples)
        found = [
            f"{batch.app}, schedule {sample.hash}: {sample.failure}"
            for sample, prediction in zip(batch.samples, predictions)
            if sample.failure and sample.kind not in HARMLESS and "refused" not in prediction
        ]
        if self.ranking is None:
            found.append(f"{batch.app}: fewer than {FEWEST} schedules have a time and a prediction")
        return found

    def notes(self):
        lines = []
        kinds = [sample.kind for sample in self.batch.samples if sample.failure]
        for kind in sorted(set(kinds) & set(HARMLESS)):
            lines.append(f"note: {self.batch.app}: {kinds.count(kind)} without a time: {kind}")
        if self.refused:
            lines.append(
                f"note: {self.batch.app}: {len(self.refused)} traces are refused by this version, "
                f"the first because: {self.refused[0]}"
            )
        return lines


HEAD = [
    "app", "schedules", "spearman", "repeat", "pick", "best of 5", "recall of 5", "search", "p10",
    "median", "p90", "predicted/measured", "fastest ms",
]  # fmt: skip


def _cell(figure, value):
    return tables.times(value) if figure in ranking.RATIOS else tables.number(value, 2)


def row(quality):
    batch, ranked = quality.batch, quality.ranking
    if ranked is None:
        return [batch.app, f"0 of {len(batch.samples)}"] + ["-"] * (len(HEAD) - 3) + [batch.kind]
    fastest = min(sample.milliseconds for sample in batch.samples if sample.ok)
    return (
        [batch.app, f"{ranked.count} of {len(batch.samples)}"]
        + [_cell(figure, getattr(ranked, figure)) for figure in ranking.FIGURES]
        + [tables.number(fastest)]
    )


def table(qualities):
    ranked = [quality.ranking for quality in qualities if quality.ranking]
    rows = [HEAD] + [row(quality) for quality in qualities]
    for title, mean in (("median", ranking.median), ("geometric mean", ranking.geometric_mean)):
        cells = [_cell(figure, mean(ranked, figure)) for figure in ranking.FIGURES]
        rows.append([title, ""] + cells + [""])
    return tables.align(rows)


def summary(qualities):
    """The one line that is printed last."""
    ranked = [quality.ranking for quality in qualities if quality.ranking]
    if not ranked:
        return "no batch could be ranked"
    correlation = ranking.median(ranked, "spearman")
    means = {figure: ranking.geometric_mean(ranked, figure) for figure in ranking.RATIOS}
    return (
        f"apps: {len(ranked)}; Spearman {tables.number(correlation, 2)} (median); over the "
        f"fastest of the batch, geometric means: pick {tables.times(means['pick'])}, best of "
        f"{ranking.TOP} {tables.times(means['top_pick'])}, search {tables.times(means['search'])}, "
        f"median schedule {tables.times(means['median'])}"
    )


SAMPLE_COLUMNS = (
    "app", "index", "trace_hash", "noise", "beam_size", "tilings", "failure_kind", "failure",
    "minimum_ms", "median_ms", "spread_percent", "samples", "predicted_ms", "refused",
)  # fmt: skip


def write_csv(qualities, directory):
    """results.csv: a row per app. samples.csv: a row per schedule, with the prediction's parts."""
    rows = []
    for quality in qualities:
        batch, ranked = quality.batch, quality.ranking
        figures = [getattr(ranked, figure) if ranked else None for figure in ranking.FIGURES]
        rows.append(
            [batch.app, batch.kind, batch.failure, len(batch.samples), ranked.count if ranked else 0]
            + figures
            + [batch.threads, batch.processor, batch.date, int(batch.complete)]
        )
    columns = ["app", "failure_kind", "failure", "schedules", "ranked", *ranking.FIGURES]
    columns += ["threads", "processor", "date", "complete"]
    csv_file.write(directory / "results.csv", columns, rows)

    parts = list(
        dict.fromkeys(
            part
            for quality in qualities
            for prediction in quality.predictions
            for part in prediction.get("parts", {})
        )
    )
    rows = [
        _sample_row(quality.batch.app, at, sample, prediction)
        + [prediction["parts"][part] * 1e3 if "parts" in prediction else None for part in parts]
        for quality in qualities
        for at, (sample, prediction) in enumerate(zip(quality.batch.samples, quality.predictions))
    ]
    columns = list(SAMPLE_COLUMNS) + [f"predicted_{part}_ms" for part in parts]
    csv_file.write(directory / "samples.csv", columns, rows)


def _sample_row(app, at, sample, prediction):
    times = sample.all_times
    predicted = prediction.get("seconds")
    return [
        app, at, sample.hash, sample.noise, sample.beam_size, sample.tilings, sample.kind,
        sample.failure, sample.milliseconds if times else None,
        robust.median_ms(times) if times else None,
        robust.spread_percent(times) if times else None, len(times),
        None if predicted is None else 1e3 * predicted, prediction.get("refused", ""),
    ]  # fmt: skip

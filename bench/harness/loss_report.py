"""The tables of ./dev bench losses, as lines for people and in Markdown, and what the bars are judged by."""

import math

from bench.harness import blame, csv_file, left_out, robust, tables
from bench.harness.blame import MODEL, SEARCH, SPACE
from bench.harness.import_trace import made_funcs
from bench.harness.losses import IMPORTED
from bench.harness.schedulers import MANUAL, OURS

SLOW, VERY_SLOW = 1.25, 1.5
# Heads of columns that hold words.
BLAME, FOUND, SUSPECT = "blame", "could be found", "what the model may price wrongly"
TERMS = "the terms that differ most, ms"
WORDS = (BLAME, FOUND, SUSPECT, TERMS)


def _ratio(ratio):
    if ratio is None:
        return "-"
    return f"{ratio.centre:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def _milliseconds(explanation):
    return tables.number(1e3 * explanation.seconds)


def cases(comparisons):
    return [comparison.case for comparison in comparisons if comparison.predicted]


def losses(comparisons):
    """The largest first."""
    found = [case for case in cases(comparisons) if case.is_loss]
    return sorted(found, key=lambda case: -case.measured.centre)


def search_losses(comparisons):
    """The largest first; those that no search could avoid last."""
    found = [case for case in cases(comparisons) if case.is_search_loss]
    return sorted(found, key=lambda case: (not case.is_of_our_pipeline, -case.predicted))


def blamed(case):
    """"space; else model"."""
    parts = blame.blame(case)
    return "; ".join(part.kind if part.sure else f"else {part.kind}" for part in parts)


def loss_rows(comparisons):
    rows = [["app", "measured", "import over manual", "predicted", BLAME, "evidence"]]
    for case in losses(comparisons):
        parts = blame.blame(case)
        evidence = ". ".join(
            f"{'' if part.sure else 'Else '}{part.kind}: {part.evidence}" for part in parts
        )
        rows.append(
            [case.app, _ratio(case.measured), _ratio(case.imported), f"{case.predicted:.2f}",
             blamed(case), evidence]
        )  # fmt: skip
    return rows


def search_loss_rows(comparisons):
    rows = [["app", "predicted", "ours ms", "import ms", "measured", FOUND]]
    for case in search_losses(comparisons):
        made = made_funcs(case.by_hand, case.ours)
        found = "yes" if case.is_of_our_pipeline else (
            "no: " + ", ".join(f"{maker} makes {func}" for func, maker in list(made.items())[:3])
        )
        rows.append(
            [case.app, f"{case.predicted:.2f}", _milliseconds(case.ours), _milliseconds(case.by_hand),
             "-" if case.judged is None else f"{case.judged:.2f}", found]
        )  # fmt: skip
    return rows


def all_rows(comparisons):
    """The app that the model is most wrong about first; without times by what was predicted."""
    found = cases(comparisons)
    if any(case.measured for case in found):
        rows = [["app", "measured", "over the import", "predicted", "model's error", SUSPECT]]
        for case in sorted(found, key=_order):
            suspects = blame.suspects_of(case)
            rows.append(
                [case.app, _ratio(case.measured), f"{case.judged:.2f}" if case.imported else "-",
                 f"{case.predicted:.2f}", _error(case),
                 blame.describe(suspects[0]) if suspects else "-"]
            )  # fmt: skip
        return rows
    rows = [["app", "predicted", "ours ms", "import ms", TERMS, "left out"]]
    for case in sorted(found, key=lambda case: -case.predicted):
        kinds = left_out.kinds(case.by_hand, case.ours)
        rows.append(
            [case.app, f"{case.predicted:.2f}", _milliseconds(case.ours), _milliseconds(case.by_hand),
             _terms(case), left_out.shown(kinds) or "-"]
        )  # fmt: skip
    return rows


def _order(case):
    return (case.log_error is None, -abs(case.log_error or 0))


def _error(case):
    """How many times slower the run times' ratio is than the predictions'."""
    return "-" if case.log_error is None else f"{math.exp(case.log_error):.2f}"


def _terms(case, most=2):
    """Ours less the import's, by term and over all stages."""
    differences = blame.term_differences(case.ours, case.by_hand)
    return ", ".join(f"{term} {1e3 * seconds:+.3g}" for term, seconds in differences[:most])


def counts(comparisons):
    """What the bars are of."""
    measured = [case.measured.centre for case in cases(comparisons) if case.measured]
    searched = search_losses(comparisons)
    kinds = [blame.blame(case)[0].kind for case in losses(comparisons)]
    return {
        "apps": len(cases(comparisons)),
        "measured": len(measured),
        "above 1.5": sum(ratio > VERY_SLOW for ratio in measured),
        "above 1.25": sum(ratio > SLOW for ratio in measured),
        "geometric mean": robust.geometric_mean(measured) if measured else None,
        "search losses": sum(case.is_of_our_pipeline for case in searched),
        "faster by Funcs that only the manual schedule has": sum(
            not case.is_of_our_pipeline for case in searched
        ),
        **{kind: kinds.count(kind) for kind in (SPACE, SEARCH, MODEL)},
    }


def summary(comparisons):
    """The one line that is printed last."""
    n = counts(comparisons)
    made = n["faster by Funcs that only the manual schedule has"]
    searched = f"search losses: {n['search losses']}"
    if made:
        searched += f", and {made} by Funcs that only the manual schedule has"
    predicted = robust.geometric_mean(case.predicted for case in cases(comparisons))
    searched += f"; predicted {predicted:.2f} of the manual schedules' time (geometric mean)"
    if not n["measured"]:
        return f"{n['apps']} apps; {searched}"
    return (
        f"{n['measured']} apps: {n['geometric mean']:.2f} of the manual schedules' time (geometric mean), "
        f"above 1.5: {n['above 1.5']}, above 1.25: {n['above 1.25']}; losses: "
        f"{len(losses(comparisons))} (space {n[SPACE]}, search {n[SEARCH]}, model {n[MODEL]}); {searched}"
    )


def sections(comparisons):
    """(title, rows) of every table that has any."""
    tables_of = [
        ("Losses", loss_rows(comparisons)), ("Search losses", search_loss_rows(comparisons)),
        ("All apps", all_rows(comparisons)),
    ]  # fmt: skip
    return [(title, rows) for title, rows in tables_of if len(rows) > 1]


def text(comparisons):
    lines = []
    for title, rows in sections(comparisons):
        # Columns of numbers come before columns of words.
        words = next((i for i, name in enumerate(rows[0]) if name in WORDS), None)
        lines += [f"{title}:", *tables.align(rows, text_from=words), ""]
    return lines


def markdown(comparisons, about, findings):
    lines = [f"    {line}" for line in about] + ["", summary(comparisons), ""]
    for title, rows in sections(comparisons):
        lines += [f"## {title}", *tables.markdown(rows), ""]
    return lines + findings


COLUMNS = (
    "app", "measured_ratio", "low", "high", "imported_ratio", "predicted_ratio", "model_error", "ours_ms",
    "manual_ms", "imported_ms", "ours_predicted_ms", "import_predicted_ms", "same_pipeline", "left_out",
    "blame", "suspect_term", "suspect_stage", "suspect_share",
)  # fmt: skip


def write_csv(comparisons, path):
    """A row per app that has predictions."""
    rows = []
    for comparison in comparisons:
        case = comparison.case
        if case is None:
            continue
        measured, suspects = case.measured, blame.suspects_of(case)
        rows.append(
            [case.app]
            + ([measured.centre, measured.low, measured.high] if measured else [None] * 3)
            + [
                case.imported.centre if case.imported else None, case.predicted,
                None if case.log_error is None else math.exp(case.log_error),
                *(comparison.milliseconds(name) for name in (OURS, MANUAL, IMPORTED)),
                1e3 * case.ours.seconds, 1e3 * case.by_hand.seconds, int(case.is_of_our_pipeline),
                "; ".join(left_out.kinds(case.by_hand, case.ours)),
                blamed(case) if case.is_loss else "",
                *((suspects[0].term, suspects[0].stage, suspects[0].share) if suspects else [None] * 3),
            ]
        )  # fmt: skip
    csv_file.write(path, COLUMNS, rows)

"""Who is to blame where a schedule by hand runs faster than ours: the space, the search or the model.

A loss is a run time of ours over the manual schedule's of more than LOSS, where the lower quartile of the
rounds is above 1 as well. A search loss is told by predictions alone: the import is predicted faster by more
than SEARCH_LOSS.

With the import's own time the loss has two factors: ours over the import, and the import over the manual
schedule. A factor is to blame if it is SHARE of the loss or more, by logarithms, the larger first:
- import over manual: *space*. Named is what the import leaves out and what matters (left_out.py). Where nothing
  does, what our emission does to the same loops: tails, and what is not said by hand.
- ours over import: *search* where the import is a search loss, else *model*, which ranks the two wrongly.

An import that has no time (rfactor or in() make Funcs that have no place in our pipeline, or it failed) leaves
one factor:
- what matters is left out and the import is no search loss: *space*, else *model*;
- Funcs are made and it is a search loss: *space*, since no search could have found it;
- it is a search loss otherwise: *search*;
- nothing that matters is left out: *model*.

The model's mistake is named by term, see `suspects`.
"""

import math
from collections import defaultdict
from dataclasses import dataclass

from bench.harness import left_out, tables
from bench.harness.import_trace import made_funcs

LOSS = 1.1
SEARCH_LOSS = 1.03
SHARE = 0.25
# Of the mistake. With less than that the term of the largest price says too little alone.
ENOUGH = 0.5

SPACE, SEARCH, MODEL = "space", "search", "model"


@dataclass(frozen=True)
class Suspect:
    """A term whose price may be the mistake: `seconds` of it lie between the two predictions, `share` of the
    mistake (1: all). hidden: seconds that the overlap takes off the term, and not that it costs."""

    term: str
    stage: str  # with the most of it
    seconds: float
    stage_seconds: float
    share: float
    hidden: bool = False


@dataclass(frozen=True)
class Part:
    """Of a loss. sure: False where another part may be to blame for the same."""

    kind: str
    evidence: str
    sure: bool = True


@dataclass(frozen=True)
class Case:
    """Two predictions of one app, and what was measured: ratios of run times, or None."""

    app: str
    ours: object  # Explanation
    by_hand: object  # Explanation
    measured: object = None  # robust.Ratio of ours over the manual schedule
    imported: object = None  # robust.Ratio of the import over the manual schedule

    @property
    def predicted(self):
        """Ours over the import."""
        return self.ours.seconds / self.by_hand.seconds

    @property
    def is_of_our_pipeline(self):
        """Whether the import makes no Funcs that our pipeline has not, so that a search could find it."""
        return not made_funcs(self.by_hand, self.ours)

    @property
    def is_search_loss(self):
        return self.predicted > SEARCH_LOSS

    @property
    def is_loss(self):
        return self.measured is not None and self.measured.centre > LOSS and self.measured.low > 1

    @property
    def judged(self):
        """The ratio of run times that the two predictions are about: ours over the import's, or over the
        manual schedule's where the import has none."""
        if self.measured is None:
            return None
        return self.measured.centre / (self.imported.centre if self.imported else 1)

    @property
    def log_error(self):
        """Of the model: above 0 it believes too much of ours."""
        return None if self.judged is None else math.log(self.judged / self.predicted)


def suspects(slower, faster, ratio, most=3):
    """The terms that the model may price wrongly, the likeliest first.

    slower, faster: explanations, by which the first is faster than it is. ratio: of the run times, slower
    over faster. Both run times are scaled by one factor, so that their product is that of the predictions.
    The mistake is the time by which the scaled difference and the predicted one are apart.

    A term is suspect by the seconds that `faster` has of it more than `slower`, after the overlap, over all
    stages: work that moved from one stage to another cancels. The stage that is named has the largest
    difference in that term. Where none explains ENOUGH of the mistake, terms follow that the overlap hides
    more of in `slower`.
    """
    scale = math.sqrt(slower.seconds * faster.seconds)
    mistake = faster.seconds - slower.seconds + scale * (math.sqrt(ratio) - 1 / math.sqrt(ratio))
    if mistake <= 0:
        return []
    found = _ranked(_more(faster, slower, _exposed), mistake, hidden=False)
    if not found or found[0].share < ENOUGH:
        found = found[:1] + _ranked(_more(slower, faster, _hidden), mistake, hidden=True)
    return found[:most]


def term_differences(first, second):
    """(term, seconds of the first less the second's) over all stages, after the overlap, the largest first."""
    totals = {term: sum(by_stage.values()) for term, by_stage in _more(first, second, _exposed).items()}
    return sorted(totals.items(), key=lambda item: -abs(item[1]))


def _exposed(stage, term):
    return stage.exposed[term]


def _hidden(stage, term):
    return stage.corrected[term] - stage.exposed[term]


def _more(first, second, of):
    """Seconds that the first has more of each term: term -> stage -> seconds."""
    seconds = defaultdict(lambda: defaultdict(float))
    for explanation, sign in ((first, 1), (second, -1)):
        for stage in explanation.stages:
            for term in stage.exposed:
                seconds[term][stage.name] += sign * of(stage, term)
    return seconds


def _ranked(seconds, mistake, hidden):
    found = []
    for term, by_stage in seconds.items():
        total = sum(by_stage.values())
        stage = max(by_stage, key=lambda name: by_stage[name])
        if total > 0:
            found.append(Suspect(term, stage, total, by_stage[stage], total / mistake, hidden))
    return sorted(found, key=lambda suspect: -suspect.seconds)


def suspects_of(case):
    """Of the model's mistake about the case, whichever of the two it believes too much of."""
    if case.judged is None:
        return []
    if case.log_error > 0:
        return suspects(case.ours, case.by_hand, case.judged)
    return suspects(case.by_hand, case.ours, 1 / case.judged)


def describe(suspect):
    milliseconds = tables.number(1e3 * suspect.seconds)
    stage = f"{tables.number(1e3 * suspect.stage_seconds)} in {suspect.stage}"
    what = f"hidden by {milliseconds} ms more" if suspect.hidden else f"apart by {milliseconds} ms"
    return f"{suspect.term} {what} ({stage}), {100 * suspect.share:.0f} % of the mistake"


def blame(case):
    """The parts of a loss, the largest first; at least one."""
    if case.imported is None:
        return _blame_without_time(case)
    whole = math.log(case.measured.centre)
    factors = [(math.log(case.imported.centre), _space), (math.log(case.judged), _choice)]
    factors = [factor for factor in factors if factor[0] >= SHARE * whole]
    return [part(case) for _, part in sorted(factors, key=lambda factor: -factor[0])]


def _blame_without_time(case):
    matters = bool(left_out.kinds(case.by_hand, case.ours))
    if case.is_search_loss:
        return [_space(case) if not case.is_of_our_pipeline else _search(case)]
    if not matters:
        return [_model(case)]
    return [_space(case), Part(MODEL, _model(case).evidence, sure=False)]


def _choice(case):
    return _search(case) if case.is_search_loss else _model(case)


def _space(case):
    kinds = left_out.kinds(case.by_hand, case.ours)
    if not kinds:
        minor = ", ".join(left_out.minor(case.by_hand)) or "what emission adds"
        kinds = [f"no directive that matters; {minor}"]
    text = left_out.shown(kinds)
    if case.imported is not None:
        text += f"; the import runs {tables.times(case.imported.centre)} the manual schedule's time"
    return Part(SPACE, text)


def _search(case):
    return Part(
        SEARCH,
        f"the import is predicted at {tables.number(1e3 * case.by_hand.seconds)} ms, ours at "
        f"{tables.number(1e3 * case.ours.seconds)}",
    )


def _model(case):
    found = suspects_of(case)
    text = describe(found[0]) if found else "no term differs so"
    if found and found[0].share < ENOUGH and len(found) > 1:
        text += f"; {describe(found[1])}"
    return Part(MODEL, text)

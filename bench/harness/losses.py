"""The manual schedule of each app beside ours: predicted by the model, as Cryolite imports it, and measured by
turns, as it is and as it is imported."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from bench.harness import explanation, processes, robust, store
from bench.harness.blame import Case
from bench.harness.by_turns import ByTurns
from bench.harness.explanation import Answer
from bench.harness.import_trace import trace_for_ours
from bench.harness.processes import Limits
from bench.harness.progress import Eta
from bench.harness.rounds import RoundOptions
from bench.harness.schedulers import MANUAL, OURS, Scheduler

IMPORTED = "imported"
BY_HAND = Scheduler(MANUAL, autoscheduler=False, ours=True)
# What the plugin says of an app that nobody has scheduled.
NOT_BY_HAND = "finds no schedule by hand"


@dataclass(frozen=True)
class LossesOptions:
    rounds: RoundOptions
    limits: Limits  # of one search, compilation or import
    search: dict = field(default_factory=dict)  # options of the plugin for ours
    jobs: int = 1  # predictions at once
    fresh: bool = False


@dataclass
class Comparison:
    """Of one app. ours and by_hand are explanation.Answers. timed: name -> by_turns.Timed; empty if nothing
    was measured."""

    app: str
    ours: Answer
    by_hand: Answer
    timed: dict = field(default_factory=dict)

    @property
    def predicted(self):
        return self.ours.ok and self.by_hand.ok

    @property
    def case(self):
        """None where a prediction is missing."""
        if not self.predicted:
            return None
        ours, by_hand = self.ours.explanation, self.by_hand.explanation
        return Case(self.app, ours, by_hand, self._ratio(OURS), self._ratio(IMPORTED))

    @property
    def is_by_hand(self):
        return NOT_BY_HAND not in self.by_hand.failure

    def milliseconds(self, name):
        timed = self.timed.get(name)
        return robust.minimum_ms(timed.all_samples) if timed and timed.samples else None

    def _ratio(self, name):
        """Over the manual schedule."""
        one, other = self.timed.get(name), self.timed.get(MANUAL)
        if one is None or other is None or one.failure or other.failure:
            return None
        return robust.ratio_by_rounds(one.samples, other.samples)

    def _failures(self):
        """name, failure, kind."""
        answers = [(OURS, self.ours, "predicting"), (MANUAL, self.by_hand, "importing")]
        for name, answer, what in answers:
            if answer.failure and (name == OURS or self.is_by_hand):
                yield name, f"{what}: {answer.failure}", answer.kind
        for name, timed in self.timed.items():
            if timed.failure:
                yield name, timed.failure, timed.kind

    def checks(self):
        """What makes the run fail: ours without a schedule, an import that fails, a wrong output; not a
        time, and not an import that Halide refuses."""
        return [
            f"{self.app}, {name}: {failure}"
            for name, failure, kind in self._failures()
            if kind not in (processes.TIMEOUT, processes.OUT_OF_MEMORY)
            and (name != IMPORTED or kind == processes.WRONG)
        ]

    def notes(self):
        lines = [f"{self.app}, {name}: {failure}" for name, failure, _ in self._failures()]
        lines = [f"note: {line}" for line in lines if line not in self.checks()]
        if not self.is_by_hand:
            lines.append(f"note: {self.app} has no manual schedule")
        return lines


class Losses:
    def __init__(self, tools, explainer, target, options, directory, progress):
        self._explainer, self._options, self._progress = explainer, options, progress
        work = directory / "work"
        if options.fresh:
            shutil.rmtree(work, ignore_errors=True)
        self._store = store.Store(work / "predicted")
        self._by_turns = ByTurns(
            tools, target, options.rounds, options.limits, work / "measured", progress
        )

    def predict(self, apps):
        """Comparisons without times, in the order of the apps. Several apps are searched at once."""
        pool = ThreadPoolExecutor(self._options.jobs)
        try:
            return list(pool.map(self._predict, apps.values()))
        except BaseException:  # interrupted
            self._explainer.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def measure(self, apps, comparisons):
        """Yields each with its times. Ours and the import are replayed, so that what runs is what was
        predicted."""
        eta = Eta(len(comparisons))
        for comparison in comparisons:
            eta.start_step()
            known = True
            if comparison.predicted:
                self._progress.say(f"{comparison.app} ({eta.text()})")
                comparison.timed, known = self._by_turns.measure(
                    apps[comparison.app], self._schedules(comparison), reference=MANUAL
                )
            eta.end_step(known)
            yield comparison

    @staticmethod
    def _schedules(comparison):
        ours, by_hand = comparison.ours.explanation, comparison.by_hand.explanation
        schedules = {MANUAL: BY_HAND, OURS: ours.trace}
        # Funcs that the schedule by hand makes are not there to be scheduled.
        if trace := trace_for_ours(by_hand, ours):
            schedules[IMPORTED] = trace
        return schedules

    def _predict(self, app):
        limits, search = self._options.limits, self._options.search
        by_hand = self._ask(
            app, "by_hand", {}, lambda: self._explainer.by_hand(app, limits)
        )
        ours = self._ask(
            app, "ours", search, lambda: self._explainer.ask(app, "ours", limits, **search)
        )
        comparison = Comparison(app.name, ours, by_hand)
        if comparison.predicted:
            self._progress.say(f"{app.name}: predicted {comparison.case.predicted:.2f} of by hand")
        return comparison

    def _ask(self, app, name, parameters, question):
        """The answer, from the store if it is known. Failures are asked again."""
        key = store.key(version=self._explainer.version(app), parameters=parameters)
        record = f"{app.name}/{name}"
        known = self._store.get(record, key)
        if known is not None:
            return Answer(explanation.from_json(known))
        self._progress.show(f"{app.name}: {name}")
        answer = question()
        if answer.ok:
            self._store.put(record, key, explanation.to_json(answer.explanation))
        return answer

"""Measurement in rounds: each round runs every variant once, in a process of its own, and each
round starts with another one. What disturbs the machine for a while then disturbs all variants,
and no variant is always first."""

import json
from dataclasses import dataclass, field

from bench.harness import processes
from bench.harness.processes import Limits
from bench.harness.schedulers import ROOT


@dataclass(frozen=True)
class RoundOptions:
    rounds: int = 5
    threads: int = 2
    seconds: float = 0.5  # of samples per variant and round
    min_samples: int = 3
    limits: Limits = Limits(seconds=300, memory_mb=8192)


@dataclass
class MeasuredVariant:
    """samples: seconds per call, one list per round."""

    samples: list = field(default_factory=list)
    failure: str = ""
    wrong: bool = False
    differing_fraction: float = 0.0
    largest_difference: float = 0.0
    notes: list = field(default_factory=list)

    @property
    def all_samples(self):
        return [sample for one_round in self.samples for sample in one_round]


def _run_once(tools, app, variant, reference, options, inputs, write_output):
    command = [
        str(tools.runner), "--app", app, "--library", str(variant.library),
        "--threads", str(options.threads), "--seconds", str(options.seconds),
        "--min-samples", str(options.min_samples),
    ]  # fmt: skip
    for name, path in inputs.items():
        command += ["--input", f"{name}={path}"]
    if write_output is not None:
        command += ["--write-output", str(write_output)]
    if reference is not None:
        command += ["--compare-with", str(reference)]
    return processes.run(command, options.limits)


def _take(measured, result):
    """Adds what one run of the runner said to what is known of its variant."""
    if not result.ok:
        measured.failure = f"running: {processes.describe_failure(result)}"
        return
    answer = json.loads(result.output)
    measured.samples.append(answer["seconds"])
    for note in answer["notes"]:
        if note not in measured.notes:
            measured.notes.append(note)
    comparison = answer.get("comparison")
    if comparison is None:
        return
    measured.differing_fraction = max(
        measured.differing_fraction, comparison["differing_fraction"]
    )
    # JSON has no infinity: an output of NaNs arrives as null.
    difference = comparison["largest_difference"]
    measured.largest_difference = max(
        measured.largest_difference, float("inf") if difference is None else difference
    )
    if not comparison["equal"]:
        measured.wrong = True
        measured.failure = (
            f"wrong output: {100 * measured.differing_fraction:.3g} % of the elements differ, "
            f"by up to {measured.largest_difference:.6g}"
        )


def measure(tools, app, variants, directory, options, inputs=None, keep_outputs=False, progress=None):
    """variants: name -> CompiledVariant. Returns name -> MeasuredVariant for the usable ones. The
    root variant's output is the reference; without a usable one nothing is compared."""
    usable = {name: variant for name, variant in variants.items() if variant.ok}
    measured = {name: MeasuredVariant() for name in usable}
    reference = directory / f"{app}_{ROOT}.output" if ROOT in usable else None
    names = list(usable)
    for number in range(options.rounds):
        # The reference's first run must precede every comparison.
        shift = number % max(1, len(names))
        for name in names[shift:] + names[:shift]:
            if measured[name].failure:
                continue
            if progress is not None:
                progress(f"round {number + 1} of {options.rounds}: {name}")
            first_of_reference = name == ROOT and number == 0
            output = None
            if first_of_reference or (keep_outputs and number == 0):
                output = directory / f"{app}_{name}.output"
            compare = reference
            if first_of_reference or (reference is not None and measured[ROOT].failure):
                compare = None
            result = _run_once(
                tools, app, usable[name], compare, options, inputs or {}, output
            )
            _take(measured[name], result)
    return measured

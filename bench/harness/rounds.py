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
    slow_seconds: float = 20.0  # a variant with longer runs is left out from the third round on
    once: bool = False  # one call, for whoever wants outputs and not times
    limits: Limits = Limits(seconds=300, memory_mb=8192)


@dataclass
class MeasuredVariant:
    """samples: seconds per call, one list per round."""

    samples: list = field(default_factory=list)
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult
    differing_fraction: float = 0.0
    largest_difference: float = 0.0
    notes: list = field(default_factory=list)

    @property
    def wrong(self):
        return self.kind == processes.WRONG

    @property
    def all_samples(self):
        return [sample for one_round in self.samples for sample in one_round]


def run_and_take(tools, app, variant, reference, options, inputs, write_output, measured):
    """One run of a variant, in a process of its own; what it said is added to `measured`."""
    result = _run_once(tools, app, variant, reference, options, inputs, write_output)
    _take(measured, result)
    return result


def _run_once(tools, app, variant, reference, options, inputs, write_output):
    command = [
        str(tools.runner), "--app", app, "--library", str(variant.library),
        "--threads", str(options.threads), "--seconds", str(options.seconds),
        "--min-samples", str(options.min_samples),
    ]  # fmt: skip
    if options.once:
        command.append("--once")
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
        measured.kind = result.kind
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
        measured.kind = processes.WRONG
        measured.failure = (
            f"wrong output: {100 * measured.differing_fraction:.3g} % of the elements differ, "
            f"by up to {measured.largest_difference:.6g}"
        )


def measure(
    tools, app, variants, directory, options, inputs=None, keep_outputs=False, progress=None,
    reference=ROOT, out_of_time=None,
):  # fmt: skip
    """variants: name -> CompiledVariant. Returns name -> MeasuredVariant for those with a library.
    Outputs are compared with those of the variant called `reference`; where it has none, with
    those of the first variant that has. Ends before the next run when out_of_time() says so."""
    usable = {name: variant for name, variant in variants.items() if variant.ok and variant.library}
    measured = {name: MeasuredVariant() for name in usable}
    # The reference's first run precedes every comparison.
    names = sorted(usable, key=lambda name: name != reference)
    reference_file = None
    slow = set()
    for number in range(options.rounds):
        shift = number % max(1, len(names))
        for name in names[shift:] + names[:shift]:
            if measured[name].failure or (name in slow and number >= 2):
                continue
            if out_of_time is not None and out_of_time():
                return measured
            if progress is not None:
                progress(f"round {number + 1} of {options.rounds}: {name}")
            output = None
            if reference_file is None or (keep_outputs and number == 0):
                output = directory / f"{app}_{name}.output"
            result = run_and_take(
                tools, app, usable[name], reference_file, options, inputs or {}, output, measured[name]
            )
            if result.wall_seconds > options.slow_seconds:
                slow.add(name)
            if reference_file is None and not measured[name].failure:
                reference_file = output
    return measured

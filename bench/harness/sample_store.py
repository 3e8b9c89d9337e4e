"""The schedules in a store of samples (docs/store.md), as batches: what a tuner has measured is judged and learned from like
what a benchmark has measured."""

import hashlib
import json
import lzma
import sqlite3
import statistics
import time
from contextlib import closing

from bench.harness import processes
from bench.harness.batch import Batch, Sample

SUFFIX = ".sqlite"
APPLICATION = 0x4372796F  # of the file; autotune/store/schema.h
KINDS = {
    "wrong": processes.WRONG, "hung": processes.TIMEOUT, "crashed": processes.CRASH,
    "out of memory": processes.OUT_OF_MEMORY,
}  # fmt: skip

ONE_SHOT = "one shot"  # the origin of what the search chooses
EXPORTED = ".jsonl.xz"  # what `cryolite store export` writes, compressed

_ROWS = """SELECT problems.id, pipeline, parameters, machine, threads, text, status, message, seconds,
    anchor_seconds, created, origin FROM samples JOIN traces ON traces.id = samples.trace
    JOIN problems ON problems.id = traces.problem WHERE text != '' ORDER BY problems.id, samples.id"""


def is_store(name):
    return str(name).endswith((SUFFIX, EXPORTED))


def _rows_in(path):
    """A tuple of each sample that has a trace, as _ROWS says."""
    if str(path).endswith(EXPORTED):
        yield from _exported_rows(path)
        return
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        if database.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise SystemExit(f"{path} is no store of samples")
        for row in database.execute(_ROWS):
            yield (*row[:8], json.loads(row[8]), json.loads(row[9]), *row[10:])


def _exported_rows(path):
    number, problem = 0, {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if "problem" in value:
                number, problem = number + 1, value["problem"]
            elif "sample" in value and value["sample"]["trace"]:
                s = value["sample"]
                yield (
                    number, problem["pipeline"], problem["parameters"], problem["machine"], problem["threads"],
                    s["trace"], s["status"], s["message"], s["seconds"], s["anchor_seconds"], s["created"], s["origin"],
                )  # fmt: skip


def _own_parameters(text):
    """Those of the generator, without the plugin's."""
    pairs = (word.split("=", 1) for word in json.loads(text or "[]"))
    return {key: value for key, value in pairs if not key.startswith("autoscheduler.")}


def batches_in(path):
    """A batch for each problem that has a time, by the pipelines' names. A schedule's samples are its rounds, of one time
    each: the median of its ratios to the anchor in the same turns, times the anchor's median over all. What slowed the
    computer down for a while has no part in it. (The least ratio is that of the turn in which the anchor was disturbed.)"""
    batches, schedules, anchors = {}, {}, {}
    for problem, pipeline, parameters, machine, threads, trace, *outcome in _rows_in(path):
        status, message, seconds, anchor, created, origin = outcome
        if problem not in batches:
            date = time.strftime("%Y-%m-%d", time.gmtime(created))
            batches[problem] = Batch(
                pipeline, threads=threads, machine=json.loads(machine), date=date, complete=True,
                parameters=_own_parameters(parameters),
            )  # fmt: skip
        sample = schedules.get((problem, trace))
        if sample is None:
            name = hashlib.sha256(trace.encode()).hexdigest()[:16]
            sample = Sample(name, trace, noise=0.0, beam_size=0, tilings=0)
            schedules[problem, trace] = sample
            # The search's choice is the first, as in batches of benchmarks.
            samples = batches[problem].samples
            samples.insert(0 if origin == ONE_SHOT else len(samples), sample)
        turns = list(zip(seconds, anchor))
        _take(sample, status, message, [s / a for s, a in turns])
        anchors.setdefault(problem, []).extend(a for _, a in turns)
    for (problem, _), sample in schedules.items():
        unit = statistics.median(anchors[problem]) if anchors[problem] else 0.0
        sample.times = [[ratio * unit for ratio in ratios] for ratios in sample.times]
    found = [batch for batch in batches.values() if any(sample.ok for sample in batch.samples)]
    return sorted(found, key=lambda batch: (batch.app, sorted(batch.parameters.items())))


def _take(sample, status, message, ratios):
    if status == "timed":
        # Not measured, but of another's code: its times would count twice.
        if message:
            sample.failure, sample.kind = message, "not measured"
        else:
            sample.times.append([statistics.median(ratios)])
    else:
        sample.failure, sample.kind = message or status, KINDS.get(status, processes.ERROR)

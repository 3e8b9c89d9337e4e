"""What train/ learns from, made anew out of archived batches: of every measured schedule the raw terms
and the features of its stages, as the code of today counts them, with its measured time.

One file for each archive and app, as train/samples.h reads it."""

import json
import tarfile
from pathlib import Path

from bench.harness import robust, sample_store, store
from bench.harness.apps import app_of
from bench.harness.batch import Batch
from bench.harness.processes import Limits
from bench.harness.probe import Probe
from bench.harness.targets import CPU, preset_of

VERSION = 1
PREFIX, SUFFIX = "batches-", ".tar.xz"
STORE_PREFIX = "samples-"  # of exported stores in bench/results
LIMITS = Limits(seconds=300, memory_mb=8192)


def archive_name(path):
    """batches-zen5-any.tar.xz -> zen5-any; tuned/tune.sqlite -> tune; samples-spr-random.jsonl.xz -> spr-random"""
    name = Path(path).name.removeprefix(PREFIX).removeprefix(STORE_PREFIX)
    for suffix in (SUFFIX, sample_store.SUFFIX, sample_store.EXPORTED):
        name = name.removesuffix(suffix)
    return name


def batches_in(path):
    """The batches of an archive, or of a store, that have a time, by the apps' names."""
    if sample_store.is_store(path):
        return sample_store.batches_in(path)
    batches = []
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            if not member.name.endswith("/batch.json"):
                continue
            value = json.loads(archive.extractfile(member).read())["value"]
            batch = Batch.from_json(value)
            if any(sample.ok for sample in batch.samples):
                batches.append(batch)
    return sorted(batches, key=lambda batch: batch.app)


def samples_of(batch, stages):
    """Those that were timed and that the code of today still takes."""
    samples = []
    for sample, found in zip((s for s in batch.samples if s.ok), stages):
        if "refused" in found:
            continue
        samples.append(
            {
                "hash": sample.hash,
                "seconds": min(sample.all_times),
                "spread": (robust.spread_percent(sample.all_times) or 0) / 100,
                "analytical_seconds": found["seconds"],
                "stages": found["stages"],
            }
        )
    return samples


def make(tools, apps, archives, threads, directory, progress):
    """Writes DIRECTORY/ARCHIVE/APP.json, but for those that are there already. Returns the paths, sorted."""
    probe = Probe(tools, CPU, threads, directory / "reports")
    paths = []
    for archive in archives:
        digest = store.file_digest(archive)
        for batch in batches_in(archive):
            app = app_of(batch, apps, tools)
            if app is None:
                progress.say(f"{archive_name(archive)}: {batch.app} is left out: no app has this name")
                continue
            path = directory / "samples" / archive_name(archive) / f"{app.name}.json"
            key = store.key(probe=probe.version(app), archive=digest)
            if not _is_there(path, key):
                progress.show(f"{archive_name(archive)}: {app.name}")
                _write(path, key, probe, app, archive, batch, progress)
            if path.exists():
                paths.append(path)
    progress.clear()
    return sorted(paths)


def _is_there(path, key):
    try:
        with path.open(encoding="utf-8") as file:
            return json.load(file)["key"] == key
    except (OSError, ValueError, KeyError):
        return False


def _write(path, key, probe, app, archive, batch, progress):
    traces = [sample.trace for sample in batch.samples if sample.ok]
    answer = probe.stages(app, traces, LIMITS, batch.machine)
    if not answer.ok:
        progress.say(f"{archive_name(archive)}: {app.name} is left out: {answer.failure}")
        return
    samples = samples_of(batch, answer.report["found"])
    if not samples:
        progress.say(f"{archive_name(archive)}: {app.name} is left out: no trace fits the app of today")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    value = {
        "cryolite_samples": VERSION, "key": key, "schema": answer.report["schema"],
        "pipeline": app.name, "archive": archive_name(archive),
        "machine": preset_of(batch.machine), "overlap": answer.report["overlap"],
        "samples": samples,
    }  # fmt: skip
    store.write_json(path, value)

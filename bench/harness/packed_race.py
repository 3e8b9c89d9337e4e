"""A race that is compiled here and run on another computer, which needs neither Halide nor a compiler: a
GPU's, mostly. pack() makes a folder, FOLDER/run on the other computer adds measured.json to it (see
run_pack.py), and results() reads both."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

from bench.harness import compile as compiling
from bench.harness import targets
from bench.harness.compile import variant_from_json, variant_to_json
from bench.harness.results import Result
from bench.harness.rounds import MeasuredVariant
from bench.harness.schedulers import PLAIN

PACK, MEASURED = "pack.json", "measured.json"
# The plain schedule for the CPU, which a GPU's schedules are checked against. It is not in the tables.
REFERENCE = "cpu_plain"
# What FOLDER/run needs of the harness. It needs a Python of 3.9 or newer and nothing else.
MODULES = ("__init__", "run_pack", "rounds", "processes", "schedulers", "targets", "devices", "tools")

RUN = """#!/bin/sh
# Checks and times everything in this folder and writes measured.json. --help has the options.
cd "$(dirname "$0")" && exec python3 -m bench.harness.run_pack "$@"
"""


def _add_variant(variant, folder):
    """Copies the library; what is written down of it names the copy."""
    value = variant_to_json(variant)
    value["object_file"] = None
    if variant.library is not None:
        name = f"libraries/{variant.library.name}"
        shutil.copy(variant.library, folder / name)
        value["library"] = name
    return value


def _reference(tools, app, backend, directory, limits):
    variant = compiling.compile_variant(tools, app, PLAIN, backend, directory, limits)
    if variant.ok:
        renamed = directory / f"{app.name}_{REFERENCE}.so"
        variant.library.rename(renamed)
        variant.library = renamed
    return variant


def pack(race, tools, target, apps, options, about, folder, progress):
    """Compiles all apps under all schedulers of the race into the folder, which must be new."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty: name a new folder to pack into")
    (folder / "libraries").mkdir(parents=True)
    harness = folder / "bench" / "harness"
    harness.mkdir(parents=True)
    here = Path(__file__).resolve().parent
    for module in MODULES:
        shutil.copy(here / f"{module}.py", harness / f"{module}.py")
    shutil.copy(tools.runner, folder / "bench_runner")
    (folder / "run").write_text(RUN, encoding="utf-8")
    (folder / "run").chmod(0o755)
    packed, backend, work = {}, None, folder / "work"
    for name, app in apps.items():
        progress.say(f"packing {name}")
        variants = {s: _add_variant(v, folder) for s, v in race.compile(app).items()}
        if targets.interface(target):
            if backend is None:
                backend = compiling.compile_backend(tools, app, targets.host_of(target), work)
            reference = _reference(tools, app, backend, work, options.limits)
            variants = {REFERENCE: _add_variant(reference, folder)} | variants
        packed[name] = variants
    shutil.rmtree(work, ignore_errors=True)
    value = {"about": about, "target": target, "rounds": asdict(options.rounds), "apps": packed}
    (folder / PACK).write_text(json.dumps(value, indent=1), encoding="utf-8")
    progress.say(f"packed: copy {folder} to the computer that is to run it, call its script run there, "
                 f"and bring {MEASURED} back into it")  # fmt: skip


def load(folder):
    """pack.json and measured.json of a folder."""
    files = []
    for name in (PACK, MEASURED):
        try:
            files.append(json.loads((folder / name).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise SystemExit(f"{folder} is no pack that was run: {error}")
    return files


def results(packed, measured):
    """The Results, app by app."""
    for app, variants in packed["apps"].items():
        for scheduler, value in variants.items():
            if scheduler == REFERENCE:
                continue
            run = measured["apps"].get(app, {}).get(scheduler)
            yield Result(
                app, scheduler, variant_from_json(value), MeasuredVariant(**run) if run else None
            )

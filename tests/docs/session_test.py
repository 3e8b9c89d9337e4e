#!/usr/bin/env python3
"""Commands of the README and of docs/, in a folder as their reader has it. They are run as they stand, but for budgets,
which are as small as the command takes.

    python3 tests/docs/session_test.py PAGE ROOT CRYOLITE RUNNER PLUGIN BLUR HARRIS SCRATCH

In the environment H is the folder of Halide, as it is in docs/generator.md.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pages

PAGE = sys.argv[1]
ROOT, CRYOLITE, RUNNER, PLUGIN, BLUR, HARRIS, SCRATCH = map(Path, sys.argv[2:9])

# What is run instead, so that it takes seconds.
SMALLER = {
    "README.md": [("--budget 4m", "--budget 5")],
    "docs/machine.md": [("machine calibrate", "machine calibrate --seconds 0.1")],
    "docs/tune.md": [("--budget 10m", "--budget 2")],
    # The store that the reader has; a second problem in it would take another run.
    "docs/report.md": [("report tune.sqlite", "report tuned/tune.sqlite"), ("--problem 2", "--problem 1")],
}
TUNED = "cryolite tune ./harris.generator -g harris --budget 1 --seconds 0.1 --final-seconds 0.2 -o tuned"
QUICK = "-o . -e featurization -p %s target=host autoscheduler=Cryolite" % PLUGIN
# What the reader has already.
BEFORE = {
    "docs/explain.md": """
./blur.generator -g blur %s
cp blur.featurization a.trace
./blur.generator -g blur -n plain %s autoscheduler.mode=plain
mv plain.featurization b.trace
cryolite explain ./blur.generator -g blur --trace b.trace --json b.json
mkdir -p build/release/apps
cp -P blur.generator build/release/apps
""" % (QUICK, QUICK),
    "docs/report.md": TUNED,
    "docs/schedules.md": "mkdir out",
    "docs/trace.md": "mkdir out\n./blur.generator -g blur " + QUICK,
    "docs/generator.md": "cp '%s' ." % (ROOT / "tests/install/project/smooth_generator.cpp"),
}


def shell(commands):
    print(commands, flush=True)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit("%s\nended with %d" % (done.stdout, done.returncode))
    return done.stdout


def labels(shown):
    """How the lines of an output begin, up to their first number."""
    return [label for label in (re.match(r"\D*", line).group(0).strip() for line in shown.splitlines()) if label]


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    programs = SCRATCH / "programs"
    programs.mkdir(parents=True)
    (programs / "cryolite").symlink_to(CRYOLITE)
    (programs / "cryolite_runner").symlink_to(RUNNER)
    os.chdir(SCRATCH)
    for generator in (BLUR, HARRIS):
        Path(generator.name).symlink_to(generator)
        (programs / generator.name).symlink_to(generator)
    (programs / PLUGIN.name).symlink_to(PLUGIN)
    for variable in ("PATH", "LD_LIBRARY_PATH"):
        os.environ[variable] = "%s:%s" % (programs, os.environ.get(variable, ""))
    if PAGE in BEFORE:
        shell(BEFORE[PAGE])
    blocks = pages.run_by(pages.SESSION, PAGE, (ROOT / PAGE).read_text(encoding="utf-8"))
    assert blocks, PAGE
    for block in blocks:
        commands, _, shown = block.text.partition("\n\n")
        for usual, smaller in SMALLER.get(PAGE, []):
            commands = commands.replace(usual, smaller)
        said = shell(commands)
        # A table of numbers is as wide as they are; what stands before them is as the page shows it.
        if commands.startswith("cryolite tune"):
            for label in labels(shown):
                assert label in said, "%s shows '%s', and the command says\n%s" % (PAGE, label, said)
    os.chdir("/")
    shutil.rmtree(SCRATCH)


main()

"""What a reader of a benchmark's numbers needs to know first: command, machine and versions."""

import os
import platform
import shlex
import sys
from pathlib import Path

from bench.harness.tools import compiler_version, processor_name, source_version

CHECKOUT = Path(__file__).resolve().parent.parent.parent


def shown_arguments(name):
    """The command line as the user gave it to ./dev bench."""
    given = sys.argv[1:]
    if "--build-dir" in given:
        at = given.index("--build-dir")
        del given[at : at + 2]
    return [name] + given


def lines(name, tools):
    return [
        f"command: ./dev bench {shlex.join(shown_arguments(name))}",
        f"machine: {processor_name()}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.release()}",
        f"versions: Halide {tools.halide_version}, {compiler_version(tools.compiler)}, Cryolite "
        f"{source_version(CHECKOUT) or 'of no known commit'}",
    ]

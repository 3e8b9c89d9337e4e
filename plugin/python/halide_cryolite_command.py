"""The command `cryolite` of an installed wheel: becomes the program. It stands beside the package, and not in it, since
importing the package loads Halide.

SPDX-License-Identifier: MIT
"""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).resolve().parent / "halide_cryolite" / "bin" / "cryolite"
    os.execv(program, ["cryolite", *sys.argv[1:]])

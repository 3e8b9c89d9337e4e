#!/usr/bin/env python3
"""The Debian package as its users meet it: `./dev package deb --check` runs this as root in a throw-away copy of a
Debian 13.

    python3 tests/install/debian_test.py --deb FILE --checkout DIR

What only a build of Cryolite needs is removed first, with Halide. So what the examples of the README run with is what
apt installs for the package.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from wheel_test import examples, processor_seconds, run, try_cmake

# A user of CMake has a compiler, CMake and ninja.
NOT_THE_USERS = ["libhalide*", "python3-halide", "libgtest-dev", "libhwloc-dev", "nlohmann-json3-dev", "libcli11-dev",
                 "libeigen3-dev", "libsqlite3-dev", "ccache"]  # fmt: skip


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--deb", type=Path, required=True)
    arguments.add_argument("--checkout", type=Path, required=True)
    o = arguments.parse_args()
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run("apt-get", "-q", "purge", "-y", *NOT_THE_USERS)
    run("apt-get", "-q", "autoremove", "-y")
    run("apt-get", "-q", "update")
    start, start_processor = time.monotonic(), processor_seconds()
    run("apt-get", "-q", "install", "-y", o.deb.resolve())
    seconds = time.monotonic() - start
    said = run(sys.executable, "-c", examples(o.checkout, "README.md", "python")[0])
    assert "predicted" in said, said
    figures = (time.monotonic() - start, seconds, processor_seconds() - start_processor)
    print(
        "from `apt install` to the schedule of the README's example: %.1f s, of which apt %.1f s; %.1f s of a processor"
        % figures,
        flush=True,
    )
    run("cryolite", "--version")
    with tempfile.TemporaryDirectory() as scratch:
        try_cmake(Path(sys.executable), o.checkout, "cmake", "c++", Path(scratch) / "project")
    # As docs/cmake.md says: nothing to say where it is.
    with tempfile.TemporaryDirectory() as scratch:
        run("cmake", "-S", o.checkout / "tests" / "install" / "routes", "-B", scratch, "-G", "Ninja")
        run("cmake", "--build", scratch)
        run(Path(scratch) / "smooth_user")
    run("apt-get", "-q", "remove", "-y", "cryolite")
    print("right")


main()

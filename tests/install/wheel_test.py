#!/usr/bin/env python3
"""The wheel halide-cryolite as its users meet it, with the Halide of each build tree: installed into a fresh
environment, where the README's examples for Python and CMake are run as they stand.

    python3 tests/install/wheel_test.py --wheel FILE --checkout DIR --tree DIR [--tree DIR...]

Nothing is fetched: PyPI's Halide lies unpacked where the tree found it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 8_000_000


def run(*command, expect=0, **options):
    """Runs a command, shows it, and returns what it says."""
    print("+", " ".join(map(str, command)).partition("\n")[0], flush=True)
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    if done.returncode != expect:
        sys.exit("%s\nended with %d, not %d" % (done.stdout, done.returncode, expect))
    return done.stdout


def from_cache(tree, name):
    """A value of the tree's configuration; empty: it has none."""
    text = (tree / "CMakeCache.txt").read_text()
    found = re.search(r"^%s:\w+=(.*)$" % name, text, re.MULTILINE)
    return found.group(1) if found else ""


def examples(document, language):
    """A document's examples in a language."""
    return re.findall(r"```%s\n(.*?)```" % language, document.read_text(), re.DOTALL)


def fresh_environment(folder, wheel, halide):
    """Python's environment with the wheel and with a Halide from PyPI, and nothing else. Returns its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python3"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, "install"]
    run(*pip, "--no-deps", "--no-index", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())
    for part in halide.parent.glob("halide*"):
        (site / part.name).symlink_to(part)
    return python


def try_python(python, checkout, version):
    for document in ("README.md", "docs/python.md"):
        run(python, "-c", "# an example of %s\n" % document + examples(checkout / document, "python")[0])
    told = run(python, "-m", "halide_cryolite", "--plugin-path").strip()
    assert told.endswith("halide-%s/libautoschedule_cryolite.so" % version), told
    run(python, "-c", CHECKS)


CHECKS = """
import halide as hl, halide_cryolite
x, y = hl.Var("x"), hl.Var("y")
def pipeline():
    f = hl.Func("smooth")
    f[x, y] = x + y
    f.set_estimates([(0, 640), (0, 480)])
    return f
said = halide_cryolite.schedule(pipeline(), hl.get_host_target(), parallelism=2, verify=False).schedule_source
assert "vectorize" in said, said
said = halide_cryolite.explain(pipeline(), parallelism=2)
assert "smooth" in said and "predicted" in said, said
try:
    halide_cryolite.schedule(pipeline(), paralelism=2)
    raise SystemExit("an unknown option was accepted")
except hl.HalideError as error:
    assert "parallelism" in str(error), error
try:
    halide_cryolite.plugin_path("20.0.0")
    raise SystemExit("a Halide without a plugin was accepted")
except ImportError as error:
    assert "pip install halide==21.0.0" in str(error), error
"""


def try_cmake(python, checkout, tree, folder):
    shutil.copytree(checkout / "tests" / "install" / "project", folder)
    head = "cmake_minimum_required(VERSION 3.28)\nproject(smooth LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
    tail = "add_executable(smooth_user smooth_user.cpp)\ntarget_link_libraries(smooth_user PRIVATE smooth)\n"
    (folder / "CMakeLists.txt").write_text(head + examples(checkout / "README.md", "cmake")[0] + tail)
    cmake = from_cache(tree, "CMAKE_COMMAND")
    package = run(python, "-m", "halide_cryolite", "--cmake-dir").strip()
    run(cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_COMPILER=" + from_cache(tree, "CMAKE_CXX_COMPILER"), "-DCryolite_DIR=" + package)  # fmt: skip
    run(cmake, "--build", folder / "build")
    run(folder / "build" / "smooth_user")
    # docs/cmake.md has the whole project.
    (folder / "CMakeLists.txt").write_text(examples(checkout / "docs" / "cmake.md", "cmake")[0])
    run(cmake, "-S", folder, "-B", folder / "build")
    # The README's commands, among them `cryolite`, which finds the plugin for the generator's Halide.
    for commands in examples(checkout / "README.md", "sh"):
        said = run("bash", "-euc", "# commands of README.md\n" + commands, cwd=folder / "build")
    assert "predicted" in said, said


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--wheel", type=Path, required=True)
    arguments.add_argument("--checkout", type=Path, required=True)
    arguments.add_argument("--tree", type=Path, action="append", required=True)
    o = arguments.parse_args()
    size = o.wheel.stat().st_size
    print("%s: %.2f MB" % (o.wheel.name, size / 1e6))
    if size > MOST_BYTES:
        sys.exit("the wheel has %d bytes, more than %d" % (size, MOST_BYTES))
    # Only what a user has.
    os.environ.pop("PYTHONPATH", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    path = os.environ["PATH"]
    for tree in o.tree:
        halide = Path(from_cache(tree, "Halide_DIR")).parents[2]
        version = next(halide.parent.glob("halide-*.dist-info")).name[len("halide-") : -len(".dist-info")]
        print("With Halide", version)
        # Where this Halide is wrong about this computer: cmake/CryoliteJitTarget.cmake.
        os.environ["HL_JIT_TARGET"] = from_cache(tree, "CRYOLITE_JIT_TARGET") or "host"
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            python = fresh_environment(folder / "environment", o.wheel.resolve(), halide)
            os.environ["PATH"] = "%s:%s" % (python.parent, path)
            run("cryolite", "--version")
            module = "halide_.cpython-%d%d-" % sys.version_info[:2]
            if any(path.name.startswith(module) for path in halide.iterdir()):
                try_python(python, o.checkout, version)
                try_cmake(python, o.checkout, tree, folder / "project")
            else:
                print("skipped: this Python has no wheel of Halide", version)
    print("right")


main()

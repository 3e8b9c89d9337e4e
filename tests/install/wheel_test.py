#!/usr/bin/env python3
"""The wheel halide-cryolite as its users meet it, with the Halide of each build tree: installed into a fresh
environment, where the README's examples for Python and CMake are run as they stand.

    python3 tests/install/wheel_test.py --wheel FILE --checkout DIR --tree DIR [--tree DIR...] [--figures FILE]

Nothing is fetched, as PyPI's Halide lies unpacked where the tree found it. The exception is the first minute of a new
user, which is timed with the Halide that pip fetches, and skipped where pip can fetch none.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from pages import WHEEL, code_blocks, run_by  # noqa: E402

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


def examples(checkout, page, language):
    """The page's examples in a language."""
    return [block.text for block in code_blocks((checkout / page).read_text()) if block.language == language]


def commands_of_readme(checkout):
    """Those that tests/docs/pages.py leaves to this test."""
    blocks = run_by(WHEEL, "README.md", (checkout / "README.md").read_text())
    return [block.text for block in blocks if block.language == "sh"]


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


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def time_first_minute(folder, wheel, checkout):
    """What a new user waits for: `pip install` in a fresh environment, then the README's example. Returns a line with
    the seconds, for docs/first-tasks.md; they mean little where the computer has other work."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python3"
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    start, start_processor = time.monotonic(), processor_seconds()
    installed = subprocess.run([*pip, "install", wheel], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if installed.returncode:
        if subprocess.run([*pip, "download", "-q", "--no-deps", "-d", folder, "halide"]).returncode:
            return "skipped: pip can fetch no Halide, and the first minute is not timed"
        sys.exit("pip does not install the wheel:\n" + installed.stdout)
    seconds = time.monotonic() - start
    said = run(python, "-c", examples(checkout, "README.md", "python")[0])
    assert "predicted" in said, said
    return (
        "from `pip install` to the schedule of the README's example: %.1f s, of which pip %.1f s; %.1f s of a processor"
        % (time.monotonic() - start, seconds, processor_seconds() - start_processor)
    )


def try_python(python, checkout, version):
    for page in ("README.md", "docs/python.md"):
        run(python, "-c", "# an example of %s\n" % page + examples(checkout, page, "python")[0])
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


def try_cmake(python, checkout, cmake, compiler, folder):
    shutil.copytree(checkout / "tests" / "install" / "project", folder)
    head = "cmake_minimum_required(VERSION 3.28)\nproject(smooth LANGUAGES CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
    tail = "add_executable(smooth_user smooth_user.cpp)\ntarget_link_libraries(smooth_user PRIVATE smooth)\n"
    (folder / "CMakeLists.txt").write_text(head + examples(checkout, "README.md", "cmake")[0] + tail)
    package = run(python, "-m", "halide_cryolite", "--cmake-dir").strip()
    run(cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_COMPILER=" + compiler, "-DCryolite_DIR=" + package)  # fmt: skip
    run(cmake, "--build", folder / "build")
    run(folder / "build" / "smooth_user")
    # docs/cmake.md has the whole project.
    (folder / "CMakeLists.txt").write_text(examples(checkout, "docs/cmake.md", "cmake")[0])
    run(cmake, "-S", folder, "-B", folder / "build")
    # The README's commands, among them `cryolite`, which finds the plugin for the generator's Halide.
    for commands in commands_of_readme(checkout):
        said = run("bash", "-euc", "# commands of README.md\n" + commands, cwd=folder / "build")
    assert "predicted" in said, said


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--wheel", type=Path, required=True)
    arguments.add_argument("--checkout", type=Path, required=True)
    arguments.add_argument("--tree", type=Path, action="append", required=True)
    arguments.add_argument("--figures", type=Path, help="a file for the wheel's size and the seconds of a first minute")
    o = arguments.parse_args()
    size = o.wheel.stat().st_size
    figures = ["%s: %d bytes, of at most %d" % (o.wheel.name, size, MOST_BYTES)]
    if size > MOST_BYTES:
        sys.exit("the wheel has %d bytes, more than %d" % (size, MOST_BYTES))
    # Only what a user has.
    os.environ.pop("PYTHONPATH", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    path = os.environ["PATH"]
    with tempfile.TemporaryDirectory() as scratch:
        figures.append(time_first_minute(Path(scratch) / "environment", o.wheel.resolve(), o.checkout))
    print(*figures, sep="\n", flush=True)
    if o.figures:
        o.figures.write_text("\n".join(figures) + "\n")
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
                tools = [from_cache(tree, name) for name in ("CMAKE_COMMAND", "CMAKE_CXX_COMPILER")]
                try_cmake(python, o.checkout, *tools, folder / "project")
            else:
                print("skipped: this Python has no wheel of Halide", version)
    print("right")


if __name__ == "__main__":
    main()

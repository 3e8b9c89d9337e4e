"""Child processes that cannot run away: a time limit, a memory limit and their resource use.

The memory limit is on resident memory, which is polled: a limit on address space would count what
Halide and its threads merely reserve. Whatever ends a child's run is a value, never an exception,
because a scheduler that dies is a result of the benchmark. A child does not outlive the harness,
even one that is killed.
"""

import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import partial

POLL_SECONDS = 0.02

# Kinds of failures, for tables and for whoever counts them.
TIMEOUT, OUT_OF_MEMORY, CRASH, ERROR = "timeout", "out of memory", "crash", "error"
WRONG, MISSING = "wrong output", "missing"


@dataclass(frozen=True)
class Limits:
    seconds: float
    memory_mb: float


@dataclass(frozen=True)
class ProcessResult:
    """failure is empty when the process ended by itself with exit code 0; kind is its class."""

    failure: str
    output: str
    errors: str
    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    hit_limit: bool = False
    kind: str = ""

    @property
    def ok(self):
        return not self.failure


def _resident_mb(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
    except (OSError, IndexError):  # it has just ended
        return 0.0
    return pages * resource.getpagesize() / 2**20


def _kind_of_exit(status, errors):
    """A child that the kernel ends with SIGKILL, or that could not allocate, ran out of memory."""
    if "std::bad_alloc" in errors or "out of memory" in errors.lower():
        return OUT_OF_MEMORY if status else ""
    if os.WIFSIGNALED(status):
        return OUT_OF_MEMORY if os.WTERMSIG(status) == signal.SIGKILL else CRASH
    return ERROR if status else ""


def _describe_exit(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        return f"crashed: {name}"
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code else ""


_LIBC = ctypes.CDLL(None)
_PR_SET_PDEATHSIG = 1


def _die_with(parent):
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we asked
        os._exit(1)


def _kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, limits, directory=None, standard_input=os.devnull, enough=None):
    """Runs the command to its end or to a limit and returns a ProcessResult. standard_input: a
    file's path. enough: says whether the command has done what it is wanted for; it is ended then, and well."""
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        open(standard_input, "rb") as given,
    ):
        start = time.monotonic()
        child = subprocess.Popen(
            command,
            stdin=given,
            stdout=output,
            stderr=errors,
            cwd=directory,
            start_new_session=True,
            preexec_fn=partial(_die_with, os.getpid()),
        )
        failure, kind = "", ""
        polled_peak_mb = 0.0
        ended = False
        try:
            while True:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    ended = True
                    break
                if enough is not None and enough():
                    _kill_group(child.pid)
                    _, _, usage = os.wait4(child.pid, 0)
                    status, ended = 0, True
                    break
                resident_mb = _resident_mb(child.pid)
                polled_peak_mb = max(polled_peak_mb, resident_mb)
                if resident_mb > limits.memory_mb:
                    failure, kind = f"needed more than {limits.memory_mb:.0f} MB", OUT_OF_MEMORY
                elif time.monotonic() - start > limits.seconds:
                    failure, kind = f"not done after {limits.seconds:.0f} s", TIMEOUT
                if failure:
                    _kill_group(child.pid)
                    _, status, usage = os.wait4(child.pid, 0)
                    ended = True
                    break
                time.sleep(POLL_SECONDS)
        finally:
            if not ended:  # interrupted: leave nothing running
                _kill_group(child.pid)
                _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall_seconds = time.monotonic() - start
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode("utf-8", errors="replace"))
        return ProcessResult(
            failure=failure or _describe_exit(status),
            output=texts[0],
            errors=texts[1],
            wall_seconds=wall_seconds,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_mb=max(usage.ru_maxrss / 1024, polled_peak_mb),
            hit_limit=bool(failure),
            kind=kind or _kind_of_exit(status, texts[1]),
        )


def still_holds(kind, seconds, peak_mb, old, new):
    """Does what a run came to under the old limits, and needed, hold under the new ones?"""
    if kind == TIMEOUT:
        return new.seconds <= old.seconds
    if kind == OUT_OF_MEMORY:
        return new.memory_mb <= old.memory_mb
    return seconds <= new.seconds and peak_mb <= new.memory_mb


def describe_failure(result, limit=300):
    """Why a process failed, with its own last words if it had the chance to say any."""
    if result.hit_limit:
        return result.failure
    lines = [line.strip() for line in result.errors.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()]
    words = (telling or lines or [""])[-1].removeprefix("Unhandled exception: ")
    if len(words) > limit:
        words = words[: limit - 3] + "..."
    return f"{result.failure}: {words}" if words else result.failure

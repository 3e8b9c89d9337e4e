"""halide_cryolite.tune: the command `cryolite tune` for a pipeline that is made in Python."""

import json
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import halide as hl

from . import saved_pipeline


class TuneError(RuntimeError):
    """What `cryolite tune` said when it failed."""


@dataclass(frozen=True)
class Tuned:
    """How a run of the tuner ended. Times are in seconds of one run; None: it could not be timed."""

    folder: Path  # report.html, best.schedule.h, best.trace, weights.json, machine.json, result.json, tune.sqlite
    ended_by: str  # "budget", "plateau", "stopped", "no more schedules"
    trace: str  # the best schedule
    seconds: float
    one_shot_seconds: "float | None"
    plain_seconds: "float | None"
    plugin: Path

    def apply(self, pipeline, target=None):
        """Schedules a pipeline of the same algorithm, which must not be scheduled yet, with no search."""
        hl.load_plugin(str(self.plugin))
        options = {"mode": "replay", "trace_file": str(self.folder / "best.trace")}
        return pipeline.apply_autoscheduler(
            target or hl.get_host_target(), hl.AutoschedulerParams("Cryolite", options))


def tune(pipeline, inputs=None, budget="10m", folder="tuned", *, name=None, target=None, shapes=None,
         seed=0, given=(), options=None, arguments=(), apply=True, progress=None, program=None,
         plugin=None):
    """Draws schedules, builds, checks and measures them, learns, and draws again, until the budget is spent.

    pipeline   a Pipeline or Func with estimates, not scheduled
    inputs     {ImageParam, Param or name: value}. Of a buffer: an array or halide.Buffer, the path of a .npy, .png or
               .pgm, or a range (low, high) that it is drawn from. Of a Param: a number. Buffers and values that are
               set in the parameters count where nothing is said; what is left is drawn at random from `seed`.
    budget     a time ("90s", "10m", "8h") or a number of schedules (200)
    folder     for the results; the same folder again goes on where the last run ended
    name       of the pipeline in the results (default: that of its output)
    target     a halide.Target or its text (default: this computer)
    shapes     {name of an input or output: (extents)} instead of the estimates
    given      paths of traces to try first
    options    {name: value} of the plugin (docs/options.md)
    arguments  further ones of `cryolite tune` (docs/tune.md), as a list of words
    apply      whether `pipeline` gets the best schedule, too
    progress   called with each event as a dict; without it a line for each goes to standard error
    program    the command `cryolite` (default: that of this package, else the one on PATH)
    plugin     libautoschedule_cryolite.so (default: that of this package, else the one beside the command)

    Ctrl-C ends it soon and keeps the best. Returns Tuned. Raises TuneError, ValueError for inputs that are none.
    """
    if not hasattr(hl, "serialize_pipeline"):
        raise TuneError("this Halide cannot save a pipeline from Python: tune() needs version 21 or newer; "
                        "a generator in C++ can be tuned with any version")
    program = _program(program)
    plugin = _plugin(plugin, program)
    pipeline = hl.Pipeline(pipeline) if isinstance(pipeline, hl.Func) else pipeline
    folder = Path(folder)
    (folder / "inputs").mkdir(parents=True, exist_ok=True)
    # Halide numbers Funcs of one name in a process: a notebook's second run is of the same pipeline.
    name = re.sub(r"\W", "_", name or re.sub(r"\$\d+$", "", pipeline.outputs()[0].name()))
    generator, parameters = saved_pipeline.save(pipeline, folder, name)
    target = hl.get_host_target() if target is None else hl.Target(str(target))
    words = [str(program), "tune", str(generator), "-g", name, "-o", str(folder), "--budget", str(budget),
             "--target", str(target), "--plugin", str(plugin), "--seed", str(seed), "--json"]
    words += ["autoscheduler.%s=%s" % option for option in (options or {}).items()]
    words += _input_words(inputs or {}, parameters, folder / "inputs")
    for of, extents in (shapes or {}).items():
        words += ["--shape", "%s=%s" % (_name_of(of), "x".join(map(str, extents)))]
    for trace in given:
        words += ["--from", str(trace)]
    _run(words + [str(a) for a in arguments], progress or _print_line)
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    if not result["best"]:
        raise TuneError("no schedule could be timed; %s says why" % (folder / "report.html"))
    tuned = Tuned(folder=folder, ended_by=result["ended_by"], trace=result["best"]["trace"],
                  seconds=_seconds(result["best"]), one_shot_seconds=_seconds(result["one_shot"]),
                  plain_seconds=_seconds(result["plain"]), plugin=plugin)
    if apply:
        tuned.apply(pipeline, target)
    return tuned


def _seconds(standing):
    return standing["seconds"]["median"] if standing and standing["status"] == "timed" else None


def _program(given):
    """The command `cryolite`: of the wheel, or the one on PATH."""
    places = [given] if given is not None else [Path(__file__).parent / "bin" / "cryolite", shutil.which("cryolite")]
    return _first_file(places, "cryolite", "program")


def _plugin(given, program):
    """The wheel's for the imported Halide; else the one that is installed, or built, with the command."""
    of_package = getattr(sys.modules[__package__], "plugin_path", None)
    if given is not None or of_package:
        return _first_file([given or of_package()], "plugin", "plugin")
    name = "libautoschedule_cryolite.so"
    return _first_file([program.parent / folder / name for folder in (".", "../lib", "../plugin")], name, "plugin")


def _first_file(places, name, argument):
    for place in filter(None, places):
        if Path(place).is_file():
            return Path(place).resolve()
    raise TuneError("there is no %s: say with %s= where it is" % (places[0] or name, argument))


def _name_of(key):
    return key if isinstance(key, str) else key.name()


def _input_words(inputs, parameters, folder):
    """Options of the command that name inputs. Arrays are written into `folder`."""
    values = {_name_of(key): value for key, value in inputs.items()}
    for key in values:
        if key not in parameters:
            raise ValueError("the pipeline has no input '%s'; it has %s" % (key, ", ".join(parameters) or "none"))
    words = []
    for name, parameter in parameters.items():
        value = values.get(name, _value_in(parameter))
        if value is None:
            continue
        if not parameter.is_buffer():
            if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
                raise ValueError("the parameter '%s' takes a number, not %r" % (name, value))
            words += ["--scalar", "%s=%r" % (name, int(value) if parameter.type().code() in _WHOLE else float(value))]
        elif isinstance(value, tuple):
            if len(value) != 2:
                raise ValueError("the range of '%s' is (low, high), not %r" % (name, value))
            words += ["--range", "%s=%r:%r" % (name, float(value[0]), float(value[1]))]
        elif isinstance(value, (str, Path)):
            words += ["--input", "%s=%s" % (name, value)]
        else:
            words += ["--input", "%s=%s" % (name, _write_npy(folder / (name + ".npy"), name, value))]
    return words


_WHOLE = (hl.TypeCode.Int, hl.TypeCode.UInt)


def _value_in(parameter):
    """What the user has set in a parameter; None: nothing, or an estimate says it."""
    if parameter.is_buffer():
        buffer = parameter.buffer()
        return buffer if buffer.defined() else None
    if parameter.estimate().defined():
        return None
    try:
        return saved_pipeline.constant(parameter.scalar_expr())
    except hl.HalideError:
        return None


def _write_npy(path, name, array):
    """An array or buffer as a file of NumPy's, which need not be there."""
    try:
        view = memoryview(array)
    except TypeError:
        raise ValueError("the input '%s' takes an array, a halide.Buffer, a path or (low, high), not %r"
                         % (name, type(array).__name__)) from None
    letter = view.format.lstrip("@=<")
    if letter not in "?bBhHiIlLqQefd":
        raise ValueError("the input '%s' has elements of the form '%s', which Halide has not" % (name, view.format))
    kind = "b" if letter == "?" else "f" if letter in "efd" else "i" if letter.islower() else "u"
    shape = ", ".join(map(str, view.shape)) + ("," if view.ndim == 1 else "")
    order = "<" if view.itemsize > 1 else "|"
    header = "{'descr': '%s%s%d', 'fortran_order': False, 'shape': (%s), }" % (order, kind, view.itemsize, shape)
    header = header.encode() + b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + view.tobytes("C"))
    return path


def _run(words, progress):
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        # In a session of its own: an interrupt is handed on once, and not also sent by the terminal.
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8",
                              start_new_session=True) as process:
            try:
                _follow(process, progress)
            except BaseException:
                process.kill()
                raise
        errors.seek(0)
        said = errors.read().strip()
    if process.returncode != 0:
        raise TuneError(said or "cryolite tune ended with %d" % process.returncode)
    if said:
        print(said, file=sys.stderr)


def _follow(process, progress):
    while True:
        try:
            for line in process.stdout:
                progress(json.loads(line))
            return
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)


def _print_line(event):
    if event["event"] == "message":
        print(event["text"], file=sys.stderr)
    if event["event"] != "progress":
        return
    line = "%4.0f s  round %d, %d tried" % (event["spent_seconds"], event["round"], event["tried"])
    best, one_shot = event["best"], event["one_shot"]
    if _seconds(best) is not None:
        line += ", best %.4g ms" % (1e3 * _seconds(best))
        if _seconds(one_shot):
            line += " (%.3f of one shot)" % (best["ratio"]["median"] / one_shot["ratio"]["median"])
    print(line + "; " + event["doing"], file=sys.stderr)

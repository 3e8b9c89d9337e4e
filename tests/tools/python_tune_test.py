"""halide_cryolite.tune. Arguments: CASE CRYOLITE PLUGIN HALIDE_VERSION FOLDER.

Ends with 77, which ctest reports as skipped, where this Python has no Halide of that version.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import types
from array import array
from pathlib import Path

# The package as it lies in the tree: importing it whole would need an installed wheel.
package = types.ModuleType("halide_cryolite")
package.__path__ = [str(Path(__file__).resolve().parents[2] / "plugin/python/halide_cryolite")]
sys.modules["halide_cryolite"] = package

QUICK = {"options": {"beam_size": 4, "tilings": 8, "num_passes": 2},
         "arguments": ["--seconds", "0.05", "--final-seconds", "0.3"]}
WIDTH, HEIGHT = 320, 240


class Example:
    """output(x, y) = gain * input(x, y) + input(x + 1, y) + offset, with a row more than anyone reads."""

    def __init__(self, hl):
        self.input = hl.ImageParam(hl.UInt(8), 2, "input")
        self.gain, self.offset = hl.Param(hl.Int(32), "gain", 3), hl.Param(hl.Float(32), "offset")
        x, y = hl.Var("x"), hl.Var("y")
        rows, output = hl.Func("rows"), hl.Func("output")
        rows[x, y] = hl.cast(hl.Float(32), self.input[x, y]) * self.gain
        output[x, y] = rows[x, y] + self.input[x + 1, y] + self.offset
        output.set_estimates([(0, WIDTH), (0, HEIGHT)])
        self.input.set_estimates([(0, WIDTH + 1), (0, HEIGHT + 1)])
        self.offset.set_estimate(0.25)
        self.pipeline = hl.Pipeline(output)


def picture(letter="B"):
    """An array of the type with this letter of Python's."""
    values = array(letter, (i * 7 % 251 for i in range((WIDTH + 1) * (HEIGHT + 1))))
    return memoryview(values).cast("B").cast(letter, [HEIGHT + 1, WIDTH + 1])


def refused(exception, text, call):
    try:
        call()
    except exception as reason:
        assert text in str(reason), reason
    else:
        raise AssertionError("accepted, and not refused with: " + text)


def tuned(hl, tune):
    """The best is in the folder and in the pipeline, and computes what the plain schedule computes."""
    example, plain, values = Example(hl), Example(hl), picture()
    events = []
    result = tune(example.pipeline, {example.input: values, "offset": 1.5}, 6, "tuned", progress=events.append, **QUICK)
    assert result.ended_by == "budget" and result.seconds > 0 and result.one_shot_seconds > 0, result
    assert {"progress", "sample"} <= {e["event"] for e in events}
    for name in ("best.trace", "best.schedule.h", "report.html", "weights.json", "result.json"):
        assert (Path("tuned") / name).stat().st_size > 0, name
    assert (Path("tuned") / "best.trace").read_text() == result.trace
    for e in (example, plain):
        e.input.set(hl.Buffer(values))
        e.offset.set(1.5)
    for size in ([WIDTH, HEIGHT], [33, 5]):
        expected, actual = plain.pipeline.realize(size), example.pipeline.realize(size)
        assert bytes(memoryview(expected).tobytes()) == bytes(memoryview(actual).tobytes())
    # The same in another process goes on, and other contents are another problem.
    assert problems()[0]["schedules"] >= 6, problems()
    subprocess.run([sys.executable, __file__, "again", *sys.argv[2:]], check=True)
    assert len(problems()) == 2 and problems()[0]["schedules"] >= 9, problems()
    # The program in the folder is a generator: a library of the best, without this process.
    subprocess.run([CRYOLITE, "replay", "tuned/output.generator", "-g", "output", "--plugin", PLUGIN,
                    "--trace", "tuned/best.trace", "-o", "library", "-e", "static_library,c_header"], check=True)
    assert (Path("library") / "output.a").stat().st_size > 0 and "output(" in (Path("library") / "output.h").read_text()


def again(hl, tune):
    """A second run goes on; its result can be applied by hand."""
    example = Example(hl)
    result = tune(example.pipeline, {"input": picture(), "offset": 1.5}, 3, "tuned", apply=False, **QUICK)
    result.apply(example.pipeline)
    tune(Example(hl).pipeline, {"input": (0, 9)}, 2, "tuned", **QUICK)


def problems():
    listed = subprocess.run([CRYOLITE, "store", "ls", "tuned/tune.sqlite", "--json"], check=True, capture_output=True)
    found = json.loads(listed.stdout)
    for p in found:
        p["schedules"] = sum(p["by_status"].values())
    return found


def values(hl, tune):
    """What is set in the parameters counts where nothing is said."""
    example = Example(hl)
    example.input.set(hl.Buffer(picture()))
    example.offset.set(0.5)
    tune(example.pipeline, budget=2, progress=lambda event: None, **QUICK)
    command = json.loads(Path("tuned/result.json").read_text())["command"]
    assert "--input input=" in command and "gain=3" in command and "offset" not in command, command


def errors(hl, tune):
    from halide_cryolite.tuning import TuneError

    def run(inputs=None, **more):
        return lambda: tune(Example(hl).pipeline, inputs, 2, progress=lambda event: None, **QUICK | more)

    refused(ValueError, "no input 'picture'; it has", run({"picture": picture()}))
    refused(ValueError, "'input' takes an array", run({"input": 3}))
    refused(ValueError, "'gain' takes a number", run({"gain": "three"}))
    refused(ValueError, "range of 'input'", run({"input": (1, 2, 3)}))
    refused(TuneError, "there is no file 'missing.npy'", run({"input": "missing.npy"}))
    refused(TuneError, "uint16", run({"input": picture("H")}))
    small = memoryview(bytes(100)).cast("B", [10, 10])
    refused(TuneError, "holds 10 x 10, and input 'input' needs 321 x 241", run({"input": small}))
    refused(TuneError, "unknown option 'beams'", run(options={"beams": 3}))
    refused(TuneError, "there is no nowhere", run(program="nowhere"))
    refused(TuneError, "no budget", lambda: tune(Example(hl).pipeline, budget="soon"))


def interrupt(hl, tune):
    """Ctrl-C keeps the best."""
    interrupts = []

    def progress(event):
        if event.get("tried", 0) >= 2 and not interrupts:
            interrupts.append(event)
            os.kill(os.getpid(), signal.SIGINT)

    result = tune(Example(hl).pipeline, budget="1h", progress=progress, **QUICK)
    assert result.ended_by == "stopped" and result.seconds > 0, result


def main(case, version):
    try:
        import halide as hl
    except ImportError as reason:
        print("skipped: this Python has no Halide: %s" % reason)
        return 77
    found = Path(hl.__file__).parent / "include" / "HalideRuntime.h"
    if found.exists() and "#define HALIDE_VERSION_MAJOR %s\n" % version.split(".")[0] not in found.read_text():
        print("skipped: the plugin is for Halide %s, and Python has another" % version)
        return 77
    if not hasattr(hl, "serialize_pipeline"):
        print("skipped: this Halide cannot save a pipeline from Python")
        return 77
    from halide_cryolite.tuning import tune

    def ours(*arguments, **options):
        return tune(*arguments, **{"program": CRYOLITE, "plugin": PLUGIN} | options)

    {"tuned": tuned, "again": again, "values": values, "errors": errors, "interrupt": interrupt}[case](hl, ours)
    return 0


if __name__ == "__main__":
    CASE, CRYOLITE, PLUGIN, VERSION, FOLDER = sys.argv[1:]
    if CASE != "again":
        shutil.rmtree(FOLDER, ignore_errors=True)
        os.makedirs(FOLDER)
    os.chdir(FOLDER)
    sys.exit(main(CASE, VERSION))

"""The plugin from Python without the wheel, and the example of docs/python.md as it stands there.
Arguments: PLUGIN HALIDE_VERSION DOCUMENT.

Ends with 77, which ctest reports as skipped, where this Python has no Halide of that version.
"""

import re
import sys


def main(plugin, version, document):
    try:
        import halide as hl
    except ImportError as reason:
        print("skipped: this Python (%s) has no Halide: %s" % (sys.version.split()[0], reason))
        return 77
    from importlib import metadata

    try:
        found = metadata.version("halide")
    except metadata.PackageNotFoundError:
        found = version  # a distribution's package: the one that CMake found
    if found.split(".")[0] != version.split(".")[0]:
        print("skipped: Python has Halide %s, and the plugin is for %s" % (found, version))
        return 77

    def pipeline():
        x, y = hl.Var("x"), hl.Var("y")
        source = hl.Func("source")
        source[x, y] = hl.u16(x * 7 + y * 13)
        rows, output = hl.Func("rows"), hl.Func("output")
        rows[x, y] = source[x, y] + source[x + 1, y] + source[x + 2, y]
        output[x, y] = rows[x, y] + rows[x, y + 1] + rows[x, y + 2]
        output.set_estimates([(0, 400), (0, 300)])
        return hl.Pipeline(output)

    hl.load_plugin(plugin)
    target = hl.get_host_target()
    measured = {"mode": "top_k", "top_k": "2", "benchmark_seconds": "0.1"}
    for options in ({}, measured):
        scheduled = pipeline()
        results = scheduled.apply_autoscheduler(
            target,
            hl.AutoschedulerParams("Cryolite", {"parallelism": "2", "beam_size": "4"} | options),
        )
        assert "vectorize" in results.schedule_source, results.schedule_source

        for size in ([400, 300], [37, 5], [1, 1]):
            expected, actual = pipeline().realize(size), scheduled.realize(size)
            for y in range(size[1]):
                for x in range(0, size[0], 7):
                    assert expected[x, y] == actual[x, y], (size, x, y)

    try:
        pipeline().apply_autoscheduler(
            target, hl.AutoschedulerParams("Cryolite", {"beam_sizes": "4"})
        )
    except hl.HalideError as error:
        assert "unknown option 'beam_sizes'" in str(error), error
    else:
        raise AssertionError("an unknown option was accepted")

    with open(document, encoding="utf-8") as file:
        example = re.search(r"```python\n(import halide as hl\n\nhl.load_plugin.*?)```", file.read(), re.DOTALL).group(1)
    names = {}
    exec(example.replace("libautoschedule_cryolite.so", plugin), names)
    assert names["image"][3, 5] == 0.5 * (15 + 20 + 18), names["image"][3, 5]
    print("right, with Halide", found)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""A pipeline in a folder, and a program that compiles it as a Halide generator would.

FOLDER/NAME.pipeline     the pipeline, as Halide serialises it
FOLDER/NAME.parameters   JSON: what Halide leaves out: estimates and limits of its parameters
FOLDER/NAME.generator    the program: -g, -f, -n, -o, -e, -p, -r and KEY=VALUE as a generator takes them
"""

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

import halide as hl

_BUFFER_LIMITS = ("min_constraint_estimate", "extent_constraint_estimate",
                  "min_constraint", "extent_constraint", "stride_constraint")
_SCALAR_LIMITS = ("estimate", "min_value", "max_value")

_PRODUCTS = {"object": ".o", "static_library": ".a", "c_header": ".h", "stmt": ".stmt",
             "assembly": ".s", "llvm_assembly": ".ll", "bitcode": ".bc"}


def constant(expression):
    """The value of an expression without variables; None: it is undefined, or has some."""
    if not expression.defined():
        return None
    try:
        return hl.evaluate(expression)
    except hl.HalideError:
        return None


def _limits_of(parameter):
    if not parameter.is_buffer():
        return {name: constant(getattr(parameter, name)()) for name in _SCALAR_LIMITS}
    limits = {name: [constant(getattr(parameter, name)(d)) for d in range(parameter.dimensions())]
              for name in _BUFFER_LIMITS}
    return limits | {"host_alignment": parameter.host_alignment()}


def _set_limits(parameter, limits):
    for name, value in limits.items():
        if name == "host_alignment":
            parameter.set_host_alignment(value)
        elif isinstance(value, list):
            for d, of_dimension in enumerate(value):
                if of_dimension is not None:
                    getattr(parameter, "set_" + name)(d, hl.Expr(of_dimension))
        elif value is not None:
            getattr(parameter, "set_" + name)(hl.cast(parameter.type(), value))


def _output_parameters(pipeline):
    """Of each output's buffers. Halide serialises the estimates of Funcs, not those of their buffers."""
    return [buffer.parameter() for output in pipeline.outputs() for buffer in output.output_buffers()]


def save(pipeline, folder, name):
    """Writes the three files. Returns the program's path and the pipeline's parameters by name."""
    folder = Path(folder).resolve()
    parameters = hl.serialize_pipeline(pipeline, str(folder / (name + ".pipeline")), get_params=True)
    limits = {"inputs": {key: _limits_of(p) for key, p in parameters.items()},
              "outputs": [_limits_of(p) for p in _output_parameters(pipeline)]}
    (folder / (name + ".parameters")).write_text(json.dumps(limits, indent=1) + "\n", encoding="utf-8")
    program = folder / (name + ".generator")
    # This file and not the package: importing that may load a plugin, and the caller says which.
    program.write_text(
        "#!/bin/sh\n"
        "PYTHONPATH=%s${PYTHONPATH:+:$PYTHONPATH} exec %s %s %s \"$@\"\n"
        % tuple(shlex.quote(str(p)) for p in (Path(hl.__file__).resolve().parent.parent, sys.executable,
                                              Path(__file__).resolve(), folder / name)), encoding="utf-8")
    program.chmod(0o755)
    return program, parameters


def load(stem):
    """The pipeline that save() wrote as STEM.pipeline."""
    parameters = hl.deserialize_parameters(stem + ".pipeline")
    with open(stem + ".parameters", encoding="utf-8") as file:
        known = json.load(file)
    for name, limits in known["inputs"].items():
        _set_limits(parameters[name], limits)
    pipeline = hl.deserialize_pipeline(stem + ".pipeline", parameters)
    for parameter, limits in zip(_output_parameters(pipeline), known["outputs"]):
        _set_limits(parameter, limits)
    return pipeline


def _schedule_header(function, source):
    guard = function.upper() + "_SCHEDULE_H"
    return ("#ifndef %s\n#define %s\n\n#include \"Halide.h\"\n\n"
            "inline void apply_schedule_%s(\n    ::Halide::Pipeline pipeline,\n    ::Halide::Target target) {\n"
            "    using ::Halide::Func;\n    using ::Halide::MemoryType;\n    using ::Halide::RVar;\n"
            "    using ::Halide::TailStrategy;\n    using ::Halide::Var;\n%s\n}\n\n#endif\n"
            % (guard, guard, function, source))


def _parse(argv):
    parser = argparse.ArgumentParser(prog="pipeline", description=__doc__.splitlines()[0])
    parser.add_argument("stem", help="the path of the saved pipeline, without .pipeline")
    parser.add_argument("-g", dest="name", default="pipeline")
    parser.add_argument("-f", dest="function", help="default: the name of -g")
    parser.add_argument("-n", dest="file", help="default: the name of -f")
    parser.add_argument("-o", dest="folder", required=True)
    parser.add_argument("-e", dest="products", default="static_library,c_header")
    parser.add_argument("-p", dest="plugins", default="", help="comma between plugins")
    parser.add_argument("-r", dest="runtime", help="make Halide's runtime of this name, and nothing else")
    parser.add_argument("parameters", nargs="*", help="target=..., autoscheduler=NAME, autoscheduler.OPTION=VALUE")
    return parser, parser.parse_intermixed_args(argv)


def main(argv):
    parser, asked = _parse(argv)
    known = dict(p.split("=", 1) for p in asked.parameters if "=" in p)
    if len(known) < len(asked.parameters):
        parser.error("a parameter is KEY=VALUE")
    target = hl.Target(known.pop("target", "host"))
    scheduler = known.pop("autoscheduler", None)
    options = {k.removeprefix("autoscheduler."): v for k, v in known.items() if k.startswith("autoscheduler.")}
    unknown = [k for k in known if not k.startswith("autoscheduler.")]
    if unknown:
        parser.error("a saved pipeline has no parameter '%s'" % unknown[0])
    os.makedirs(asked.folder, exist_ok=True)
    products = asked.products.split(",")
    wrong = [p for p in products if p not in _PRODUCTS and p != "schedule"]
    if wrong:
        parser.error("a saved pipeline makes no '%s', only %s" % (wrong[0], ", ".join([*_PRODUCTS, "schedule"])))

    def outputs(stem):
        return {getattr(hl.OutputFileType, p): os.path.join(asked.folder, stem + _PRODUCTS[p])
                for p in products if p in _PRODUCTS}

    if asked.runtime:
        hl.compile_standalone_runtime(outputs(asked.runtime), target)
        return
    function = asked.function or asked.name
    file = asked.file or function
    for plugin in filter(None, asked.plugins.split(",")):
        hl.load_plugin(plugin)
    pipeline = load(asked.stem)
    source = ""
    if scheduler:
        results = pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(scheduler, options))
        source = results.schedule_source
    if "schedule" in products:
        with open(os.path.join(asked.folder, file + ".schedule.h"), "w", encoding="utf-8") as header:
            header.write(_schedule_header(function, source))
    if outputs(file):
        pipeline.compile_to(outputs(file), pipeline.infer_arguments(), function, target)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except hl.HalideError as reason:
        sys.exit("Error: " + str(reason))

"""Cryolite, an autoscheduler for Halide.

Importing this package loads the plugin into the imported Halide, so that "Cryolite" is among Halide's autoschedulers:

    import halide as hl
    import halide_cryolite

    halide_cryolite.schedule(hl.Pipeline(output), parallelism=8)

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Optional, Union

import halide

__all__ = [
    "TuneError",
    "Tuned",
    "__version__",
    "cmake_dir",
    "command_path",
    "explain",
    "plugin_path",
    "schedule",
    "tune",
]

__version__ = metadata.version("halide-cryolite")

_folder = Path(__file__).resolve().parent
_plugin_name = "libautoschedule_cryolite.so"

Option = Union[str, int, float, bool, "os.PathLike[str]"]


def plugin_path(halide_version: Optional[str] = None) -> str:
    """The plugin for a version of Halide (default: the imported one), for `halide.load_plugin` and a generator's -p.

    Raises ImportError if this package has none for that version.
    """
    if halide_version is None:
        try:
            halide_version = metadata.version("halide")
        except metadata.PackageNotFoundError:
            # Debian's package has one plugin, for the Halide that it depends on.
            plugins = list((_folder / "lib").glob("halide-*/" + _plugin_name))
            if len(plugins) == 1:
                return str(plugins[0])
            raise ImportError(
                "halide-cryolite cannot tell the version of the imported Halide (%s), which pip did not install: "
                "pass it to plugin_path(), or pip install halide" % halide.__file__
            ) from None
    plugin = _folder / "lib" / ("halide-" + halide_version) / _plugin_name
    if not plugin.exists():
        there = sorted(path.name[len("halide-") :] for path in (_folder / "lib").glob("halide-*"))
        raise ImportError(
            "halide-cryolite %s has plugins for Halide %s, and this Halide is %s: pip install halide==%s"
            % (__version__, " and ".join(there), halide_version, there[-1])
        )
    return str(plugin)


def cmake_dir() -> str:
    """The folder of Cryolite's CMake package: cmake -DCryolite_DIR=..."""
    return str(_folder / "lib" / "cmake" / "Cryolite")


def command_path() -> str:
    """The program `cryolite`."""
    return str(_folder / "bin" / "cryolite")


def _text(value: Option) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def schedule(
    pipeline: Union[halide.Pipeline, halide.Func],
    target: Optional[halide.Target] = None,
    **options: Option,
) -> halide.AutoSchedulerResults:
    """Schedules a pipeline, or the pipeline of a Func, where it stands.

    target: default: the one that pipeline.realize() compiles for, which is this computer.
    options: those of docs/options.md, as parallelism=8 or mode="top_k".
    Every output needs estimates: func.set_estimates([(min, extent), ...]).
    The result's schedule_source is the schedule as C++.
    Raises halide.HalideError for what the caller must mend: a missing estimate, an unknown option.
    """
    if isinstance(pipeline, halide.Func):
        pipeline = halide.Pipeline(pipeline)
    parameters = halide.AutoschedulerParams(
        "Cryolite", {name: _text(value) for name, value in options.items()}
    )
    return pipeline.apply_autoscheduler(target or halide.get_jit_target_from_environment(), parameters)


def explain(
    pipeline: Union[halide.Pipeline, halide.Func],
    target: Optional[halide.Target] = None,
    **options: Option,
) -> str:
    """Schedules a pipeline as `schedule` does, and returns why that schedule is predicted to take as long as it does:
    what the command `cryolite explain` shows of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "explanation.json")
        schedule(pipeline, target, **options, explain=file)
        shown = subprocess.run(
            [command_path(), "explain", file], check=True, stdout=subprocess.PIPE, text=True
        )
    return shown.stdout


from .tuning import Tuned, TuneError, tune  # noqa: E402: it asks for plugin_path()

halide.load_plugin(plugin_path())

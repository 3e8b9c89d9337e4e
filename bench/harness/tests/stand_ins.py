"""Stand-ins for the programs that a race starts: a generator that schedules as it is told, a linker
and a runner. Each writes down that it was called, so that a test sees what was done anew."""

import sys
from pathlib import Path

from bench.harness.apps import App
from bench.harness.schedulers import ROOT, Scheduler
from bench.harness.tools import Tools

GENERATOR = """
import json, os, sys, time
arguments = dict(item.split("=", 1) for item in sys.argv if "=" in item)
folder = sys.argv[sys.argv.index("-o") + 1]
if "-r" in sys.argv:
    open(folder + "/runtime.o", "w").close()
    sys.exit()
stem = sys.argv[sys.argv.index("-n") + 1]
open({log!r}, "a").write("schedule " + stem + "\\n")
time.sleep({seconds})
if stem.endswith("crashing"):
    os.abort()
open(folder + "/" + stem + ".o", "w").write(stem)
if "autoscheduler.report" in arguments:
    with open(arguments["autoscheduler.report"], "w") as file:
        json.dump({{"seconds": 0.25, "cpu_seconds": 0.5, "peak_kilobytes": 2048}}, file)
"""

LINKER = """
import shutil, sys
shutil.copy(sys.argv[4], sys.argv[3])
"""

RUNNER = """
import json, sys
def value(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None
library = value("--library").rsplit("/", 1)[1].removesuffix(".so")
open({log!r}, "a").write("run " + library + "\\n")
if library.endswith("_" + {failing!r}):
    sys.exit("the pipeline failed with -1")
if value("--write-output"):
    open(value("--write-output"), "w").close()
answer = {{"seconds": [0.001], "calls_per_sample": 1, "notes": []}}
if value("--compare-with"):
    wrong = library.endswith("wrong")
    answer["comparison"] = {{
        "equal": not wrong, "differing_fraction": 0.5 * wrong, "largest_difference": 9.0 * wrong,
    }}
print(json.dumps(answer))
"""


def _program(path, text):
    path.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


class StandIns:
    def __init__(self, folder, apps=("one", "two", "three"), seconds=0, failing=""):
        self.folder = Path(folder)
        self.log_file = self.folder / "log"
        self.apps = {name: App(name, name) for name in apps}
        for name in apps:
            self.write_generator(name, seconds)
        self.tools = Tools(
            runner=_program(
                self.folder / "runner", RUNNER.format(log=str(self.log_file), failing=failing)
            ),
            generators=self.folder,
            compiler=str(_program(self.folder / "linker", LINKER)),
            halide_version="21.0.0",
            plugins={
                name: _program(self.folder / f"{name}.plugin", name)
                for name in ("Timed", "peer", "crashing", "wrong")
            },
            runner_sources=(self.folder / "runner",),
        )

    def write_generator(self, app, seconds=0, note=""):
        text = GENERATOR.format(log=str(self.log_file), seconds=seconds) + f"# {note}\n"
        _program(self.folder / f"{app}.generator", text)

    def schedulers(self, *names):
        return {
            name: Scheduler(name, autoscheduler=name != ROOT, ours=name == ROOT)
            for name in (ROOT, *names)
        }

    def calls(self):
        """What was called since the last question."""
        lines = self.log_file.read_text(encoding="utf-8").splitlines() if self.log_file.exists() else []
        self.log_file.unlink(missing_ok=True)
        return lines

"""Stand-ins for the programs that a race starts: a generator that schedules as it is told, a linker
and a runner. Each writes down that it was called, so that a test sees what was done anew."""

import json
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
if "autoscheduler.task" in arguments:
    task, variant = arguments["autoscheduler.task"], arguments.get("autoscheduler.variant")
    app = sys.argv[sys.argv.index("-f") + 1]
    machine = arguments.get("autoscheduler.machine")
    named = machine and "for " + json.load(open(machine))["name"]
    named = named or arguments.get("autoscheduler.from")
    open({log!r}, "a").write(" ".join(filter(None, ["ask", app, task, variant, named])) + "\\n")
    if variant == "crashing":
        os.abort()
    answers = json.load(open({answers!r}))
    found = answers[task][variant] if variant else answers.get(task)
    if task == "search" and isinstance(found, list):
        found = found[int(arguments["autoscheduler.seed"])]
    if task == "predict":
        found = []
        for trace in json.load(open(arguments["autoscheduler.traces"])):
            predicted = trace.split()[0]
            found.append({{"refused": "no"}} if predicted == "refused" else {{
                "seconds": float(predicted), "parts": {{"core": float(predicted) / 2}}
            }})
    elif task == "draw":
        found = found[: int(arguments["autoscheduler.count"])]
    with open(arguments["autoscheduler.report"], "w") as file:
        answer = {{"algorithm": answers["algorithm"], "machine": {{"name": "here"}}, "found": found}}
        json.dump(answer, file)
    sys.exit()
if "-n" not in sys.argv:  # nothing but an explanation is wanted
    app, mode = sys.argv[sys.argv.index("-f") + 1], arguments.get("autoscheduler.mode", "one_shot")
    open({log!r}, "a").write(f"explain {{app}} {{mode}}\\n")
    found = json.load(open({answers!r}))["explain"].get(mode)
    if isinstance(found, str) or found is None:
        sys.exit(found or "Error: there is nothing")
    file = arguments["autoscheduler.explain"]
    with open(file + ".partial", "w") as partial:
        json.dump(found, partial)
    os.rename(file + ".partial", file)
    time.sleep(30)  # what Halide may take for a schedule is not waited for
stem = sys.argv[sys.argv.index("-n") + 1]
open({log!r}, "a").write("schedule " + stem + "\\n")
time.sleep({seconds})
if stem.endswith("crashing"):
    os.abort()
# A replayed trace is what there is to know of the variant: its predicted and its measured time.
trace_file = arguments.get("autoscheduler.trace_file")
content = open(trace_file).read() if trace_file else stem
if "uncompilable" in content:
    sys.exit("Halide refused it")
open(folder + "/" + stem + ".o", "w").write(content)
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
content = open(value("--library")).read()
if content != library:
    library = content
open({log!r}, "a").write("run " + library + "\\n")
if library.endswith("_" + {failing!r}):
    sys.exit("the pipeline failed with -1")
if value("--write-output"):
    open(value("--write-output"), "w").close()
seconds = float(content.split()[1]) if " " in content else 0.001
answer = {{"seconds": [seconds], "calls_per_sample": 1, "notes": []}}
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
                for name in ("Timed", "peer", "crashing", "wrong", "Cryolite", "SearchProbe")
            },
            runner_sources=(self.folder / "runner",),
        )

    def write_generator(self, app, seconds=0, note=""):
        log, answers = str(self.log_file), str(self.folder / "answers.json")
        text = GENERATOR.format(log=log, answers=answers, seconds=seconds) + f"# {note}\n"
        _program(self.folder / f"{app}.generator", text)

    def set_answers(self, **answers):
        """What the probe finds, by task; `search` by variant, then perhaps by seed. `explain`: explanations by
        the plugin's mode, or what it says instead."""
        answers = {"algorithm": "0123"} | answers
        (self.folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")

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

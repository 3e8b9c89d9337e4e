"""What an explanation of a schedule says (docs/explain.md), as far as losses ask; and the plugin asked
for one. Nothing is compiled."""

import json
from dataclasses import asdict, dataclass

from bench.harness import processes, store
from bench.harness.schedulers import OURS

FORMAT = 6  # of explanations


@dataclass(frozen=True)
class Stage:
    """Terms in seconds: exposed is what is left after the overlap and adds up to `seconds`; corrected is
    before it."""

    name: str  # "rows.s0"
    seconds: float
    exposed: dict
    corrected: dict


@dataclass(frozen=True)
class Explanation:
    algorithm: str
    seconds: float  # predicted for one run
    stages: tuple
    funcs: tuple  # those that are computed somewhere and those that are inlined
    differences: tuple  # of an import: lines
    trace: str
    machine: str  # name and source

    @property
    def computed(self):
        """Funcs that are not inlined."""
        return dict.fromkeys(func_of(stage.name) for stage in self.stages)


def func_of(stage_name):
    """"rows.s1" -> "rows"."""
    return stage_name.rpartition(".s")[0]


def read(data):
    """Of the parsed JSON. Raises ValueError for another format."""
    if data.get("cryolite_explanation") != FORMAT:
        raise ValueError(f"an explanation of format {data.get('cryolite_explanation')}, not {FORMAT}")
    stages = tuple(Stage(s["name"], s["seconds"], s["terms"], s["corrected"]) for s in data["stages"])
    funcs = dict.fromkeys([func_of(stage.name) for stage in stages] + data["inlined"])
    return Explanation(
        data["algorithm"], data["seconds"], stages, tuple(funcs), tuple(data["differences"]),
        data["trace"], f"{data['machine']}, {data['machine_source']}",
    )  # fmt: skip


def to_json(explanation):
    return asdict(explanation)


def from_json(value):
    stages = tuple(Stage(**stage) for stage in value["stages"])
    lists = {name: tuple(value[name]) for name in ("funcs", "differences")}
    return Explanation(**(value | lists | {"stages": stages}))


@dataclass(frozen=True)
class Answer:
    explanation: Explanation = None
    failure: str = ""
    kind: str = ""  # of the failure, as in processes.ProcessResult

    @property
    def ok(self):
        return not self.failure


class Explainer:
    def __init__(self, tools, target, threads, directory, machine=None):
        """threads: those of the apps, for which schedules are made. machine: a preset; without one the
        computer here. The target is the preset's then."""
        self._tools, self._target, self._threads = tools, target, threads
        self._machine = machine
        self._stopped = False
        self._directory = directory  # for explanations in passing
        directory.mkdir(parents=True, exist_ok=True)

    def version(self, app):
        """Changes with whatever could change an answer about the app."""
        files = [
            self._tools.plugins[OURS], self._tools.generator(app.generator), self._tools.halide_library,
        ]  # fmt: skip
        return [app.name, app.generator, app.parameters, self._target, self._threads, self._machine] + [
            store.file_digest(file) for file in files
        ]

    def stop(self):
        """Ends what is being asked, by other threads, and all that they ask after it."""
        self._stopped = True

    def by_hand(self, app, limits):
        """Of the app's own schedule as Cryolite imports it."""
        own = " ".join(f"{key}:{value}" for key, value in app.parameters.items())
        parameters = {"generator_parameters": own} if own else {}
        return self.ask(
            app, "by_hand", limits, mode="as_scheduled", generator=app.generator, **parameters
        )

    def ask(self, app, name, limits, **parameters):
        """name: of the file in passing, one for each question that is asked at a time. The generator is ended
        as soon as the explanation is there: Halide takes minutes to lower some imports."""
        file = self._directory / f"{app.name}_{name}.explanation.json"
        file.unlink(missing_ok=True)
        if self._machine:
            parameters["machine"] = self._machine
        command = [
            str(self._tools.generator(app.generator)), "-g", app.generator, "-f", app.name,
            "-o", str(self._directory), "-e", "schedule", "-p", str(self._tools.plugins[OURS]),
            *(f"{key}={value}" for key, value in app.parameters.items()),
            f"target={self._target}-no_runtime", f"autoscheduler={OURS}",
            f"autoscheduler.explain={file}", f"autoscheduler.parallelism={self._threads}",
            "autoscheduler.verify=false",
            *(f"autoscheduler.{key}={value}" for key, value in parameters.items()),
        ]  # fmt: skip
        result = processes.run(command, limits, enough=lambda: self._stopped or file.exists())
        if not result.ok:
            return Answer(failure=processes.describe_failure(result), kind=result.kind)
        try:
            explanation = read(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError) as error:
            return Answer(failure=f"no explanation: {error}", kind=processes.ERROR)
        finally:
            file.unlink(missing_ok=True)
        return Answer(explanation)

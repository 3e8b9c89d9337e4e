"""The apps, as bench_runner lists them."""

import json
import re
from dataclasses import dataclass, field

from bench.harness import processes
from bench.harness.processes import Limits


RANDOM = "random_pipeline"  # the generator that draws pipelines by its parameter `seed`


@dataclass(frozen=True)
class App:
    name: str
    generator: str
    parameters: dict = field(default_factory=dict)  # of the generator
    call: dict = field(default_factory=dict)  # arguments and tolerance; only to see if they change


def known_apps(tools):
    """name -> App, in the order of the tables."""
    listed = processes.run([str(tools.runner), "--list"], Limits(seconds=10, memory_mb=1024))
    if not listed.ok:
        raise SystemExit(f"{tools.runner}: {listed.failure}: {listed.errors}")
    return {app["name"]: App(**app) for app in json.loads(listed.output)}


def app_of(batch, known, tools):
    """The App that a batch is of. An app of the list, or a generator with the parameters of the batch, which is called
    NAME_KEYVALUE_...; None: there is no such generator."""
    if not batch.parameters:
        return known.get(batch.app)
    for app in known.values():
        if (app.generator, app.parameters) == (batch.app, batch.parameters):
            return app
    if not tools.generator(batch.app).exists():
        return None
    parts = [batch.app] + [f"{key}{value}" for key, value in batch.parameters.items()]
    return App(re.sub(r"\W", "_", "_".join(parts)), batch.app, batch.parameters)


def is_drawn(name):
    """Whether a seed has drawn the pipeline of an App."""
    return name.startswith(RANDOM + "_")


def chosen(text, known, what):
    """Those of `known` that the list "A,B" names, in their own order."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise SystemExit(f"no {what} is called {name}; there are: {', '.join(known)}")
    return {name: known[name] for name in known if name in names}

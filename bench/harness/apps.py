"""The apps, as bench_runner lists them."""

import json
from dataclasses import dataclass, field

from bench.harness import processes
from bench.harness.processes import Limits


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


def chosen(text, known, what):
    """Those of `known` that the list "A,B" names, in their own order."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise SystemExit(f"no {what} is called {name}; there are: {', '.join(known)}")
    return {name: known[name] for name in known if name in names}

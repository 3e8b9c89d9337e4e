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


def known_apps(tools):
    """name -> App, in the order of the tables."""
    listed = processes.run([str(tools.runner), "--list"], Limits(seconds=10, memory_mb=1024))
    if not listed.ok:
        raise SystemExit(f"{tools.runner}: {listed.failure}: {listed.errors}")
    return {app["name"]: App(**app) for app in json.loads(listed.output)}

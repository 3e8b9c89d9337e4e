"""The ways to schedule an app that are compared, by name. Parameters are the schedulers' defaults
except for what describes the machine."""

from dataclasses import dataclass, field

from bench.harness.tools import last_level_cache_bytes


@dataclass(frozen=True)
class Scheduler:
    name: str
    autoscheduler: bool
    ours: bool  # its failures are ours
    parameters: dict = field(default_factory=dict)


ROOT, MANUAL, OURS = "root", "manual", "Cryolite"


def all_schedulers(threads):
    """In the order of the tables' columns; root comes first, since outputs are compared with it."""
    parallelism = {"parallelism": str(threads)}
    return {
        scheduler.name: scheduler
        for scheduler in (
            Scheduler(ROOT, autoscheduler=False, ours=True),
            Scheduler(MANUAL, autoscheduler=False, ours=True),
            Scheduler(
                "Mullapudi2016",
                autoscheduler=True,
                ours=False,
                parameters=parallelism
                | {"last_level_cache_size": str(last_level_cache_bytes()), "balance": "40"},
            ),
            Scheduler("Adams2019", autoscheduler=True, ours=False, parameters=parallelism),
            Scheduler(OURS, autoscheduler=True, ours=True, parameters=parallelism),
        )
    }

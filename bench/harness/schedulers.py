"""The ways to schedule an app that are compared, by name. Parameters are the schedulers' defaults
except for what describes the machine."""

from dataclasses import dataclass, field

from bench.harness import targets
from bench.harness.tools import last_level_cache_bytes


@dataclass(frozen=True)
class Scheduler:
    name: str
    autoscheduler: bool
    ours: bool  # its failures are ours
    parameters: dict = field(default_factory=dict)

    @property
    def plugin(self):
        """The autoscheduler that does it."""
        return OURS if self.ours else self.name


ROOT, MANUAL, OURS = "root", "manual", "Cryolite"
PLAIN = Scheduler(ROOT, autoscheduler=False, ours=True)
# Published schedulers that come with Cryolite, as autoscheduler.strategy=NAME: for CPUs, for GPUs.
STRATEGIES = ["temporal", "spatial", "reuse"]
GPU_STRATEGIES = ["autogpu"]
PEERS = ["Mullapudi2016", "Adams2019", "Li2018", "Anderson2021"]


def _peer(name, **parameters):
    return Scheduler(name, autoscheduler=True, ours=False, parameters=parameters)


def _own(name, **parameters):
    return Scheduler(name, autoscheduler=True, ours=True, parameters=parameters)


def replaying(trace, threads, folder):
    """Ours, with the schedule of a trace, which it writes into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "trace"
    file.write_text(trace, encoding="utf-8")
    return _own(
        OURS, parallelism=str(threads), mode="replay", trace_file=str(file), verify="false"
    )


def _by_name(*autoschedulers):
    """In the order of the tables' columns."""
    own = [Scheduler(name, autoscheduler=False, ours=True) for name in (ROOT, MANUAL)]
    return {scheduler.name: scheduler for scheduler in (*own, *autoschedulers)}


def cpu_schedulers(threads):
    threads = str(threads)
    return _by_name(
        _peer(
            "Mullapudi2016",
            parallelism=threads,
            last_level_cache_size=str(last_level_cache_bytes()),
            balance="40",
        ),
        _peer("Adams2019", parallelism=threads),
        _peer("Li2018", parallelism=threads),
        *(_own(name, parallelism=threads, strategy=name) for name in STRATEGIES),
        _own(OURS, parallelism=threads),
    )


def gpu_schedulers(target, halide_version, gpu=""):
    processors = str(targets.gpu_processors(target, gpu))
    machine = {"machine": gpu} if gpu else {}
    # Its GPU schedules are younger than Halide 19, which would refuse the parameter.
    gpu_switch = {"experimental_gpu_schedule": "1"} if int(halide_version.split(".")[0]) > 19 else {}
    return _by_name(
        _peer("Mullapudi2016", parallelism=processors, **gpu_switch),
        _peer("Li2018", parallelism=processors),
        _peer("Anderson2021", parallelism=processors),
        # These take the GPU's description from the target where it has no name.
        *(_own(name, strategy=name, **machine) for name in GPU_STRATEGIES),
        _own(OURS, **machine),
    )


def schedulers_for(target, threads, halide_version, gpu=""):
    """name -> Scheduler: who has schedules for the target."""
    if targets.interface(target):
        return gpu_schedulers(target, halide_version, gpu)
    return cpu_schedulers(threads)


def why_none(name, target):
    """Why a scheduler has nothing for a target; empty if it has."""
    on_gpu = bool(targets.interface(target))
    if name in ("Anderson2021", *GPU_STRATEGIES) and not on_gpu:
        return "it schedules for GPUs only"
    if name in ("Adams2019", *STRATEGIES) and on_gpu:
        return "it schedules for CPUs only"
    return ""

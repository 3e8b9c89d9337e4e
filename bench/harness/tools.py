"""Where the built programs and plugins are: the file that bench/CMakeLists.txt writes."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tools:
    runner: Path
    generators: Path
    compiler: str
    halide_version: str
    plugins: dict  # name of an autoscheduler -> path of its library
    halide_library: Path = None
    runner_sources: tuple = ()  # what a measurement by the runner depends on
    nontemporal: Path = None  # cryolite_nontemporal, where there is an LLVM for it
    cache_probe: Path = None
    scale_probe: Path = None
    miss_runner: Path = None
    trainer: Path = None  # `cryolite`, where it is built

    def generator(self, app):
        return self.generators / f"{app}.generator"


def load_tools(build_directory):
    path = Path(build_directory) / "bench" / "harness.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SystemExit(f"{path} is missing: build the target bench_peers first ({error})")
    return Tools(
        runner=Path(data["runner"]),
        generators=Path(data["generators"]),
        compiler=data["compiler"],
        halide_version=data["halide_version"],
        halide_library=Path(data["halide_library"]),
        runner_sources=tuple(map(Path, data["runner_sources"])),
        nontemporal=Path(data["nontemporal"]) if data["nontemporal"] else None,
        cache_probe=Path(data["cache_probe"]),
        # Older builds have none: they are compared with.
        scale_probe=Path(data["scale_probe"]) if data.get("scale_probe") else None,
        miss_runner=Path(data["miss_runner"]),
        trainer=Path(data["trainer"]) if data.get("trainer") else None,
        plugins={name: Path(plugin) for name, plugin in data["plugins"].items() if plugin},
    )


def last_level_cache_bytes():
    """Size of the largest cache that the first core sees; what Mullapudi2016 asks for."""
    sizes = []
    root = Path("/sys/devices/system/cpu/cpu0/cache")
    for file in root.glob("index*/size"):
        text = file.read_text(encoding="ascii").strip()
        units = {"K": 2**10, "M": 2**20}
        if text and text[-1] in units:
            sizes.append(int(text[:-1]) * units[text[-1]])
    return max(sizes, default=16 * 2**20)  # the scheduler's own default


def processor_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return os.uname().machine


def compiler_version(compiler):
    """The first line of what it says of itself."""
    try:
        return subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, check=True
        ).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return compiler


def source_version(checkout):
    """The commit that is checked out, with a + for changes; empty where git does not say."""
    try:
        text = ["git", "-C", str(checkout), "describe", "--always", "--abbrev=12", "--dirty=+"]
        return subprocess.run(text, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


BUSY_LOAD = 0.5  # per core, of others


def busy_note():
    """A warning if other work was on the machine in the last minute; empty if it was quiet."""
    load = os.getloadavg()[0]
    cores = os.cpu_count() or 1
    if load < BUSY_LOAD * cores:
        return ""
    return (
        f"the machine is busy (load {load:.1f} on {cores} cores): times are longer than they "
        "should be, and only large ratios mean something"
    )

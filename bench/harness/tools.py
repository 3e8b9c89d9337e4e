"""Where the built programs and plugins are: the file that bench/CMakeLists.txt writes."""

import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tools:
    runner: Path
    generators: Path
    compiler: str
    halide_version: str
    plugins: dict  # name of an autoscheduler -> path of its library

    def generator(self, app):
        return self.generators / f"{app}.generator"


def load_tools(build_directory):
    path = Path(build_directory) / "bench" / "harness.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SystemExit(f"{path} is missing: build the target bench_cpu first ({error})")
    return Tools(
        runner=Path(data["runner"]),
        generators=Path(data["generators"]),
        compiler=data["compiler"],
        halide_version=data["halide_version"],
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


def busy_note():
    """A warning if other work was on the machine in the last minute; empty if it was quiet."""
    load = os.getloadavg()[0]
    cores = os.cpu_count() or 1
    if load < 0.5 * cores:
        return ""
    return (
        f"the machine is busy (load {load:.1f} on {cores} cores): times are longer than they "
        "should be, and only large ratios mean something"
    )

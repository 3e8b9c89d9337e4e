"""What the script `run` of a pack calls, on any computer with a driver and a Python: checks every variant
against the reference, several at once, then times them one after the other, in rounds."""

import argparse
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

from bench.harness import rounds, targets
from bench.harness.processes import Limits, run
from bench.harness.tools import processor_name

HERE = Path(__file__).resolve().parent.parent.parent
RUNNER = SimpleNamespace(runner=HERE / "bench_runner")


class Variant:
    """As much of a CompiledVariant as measuring asks for."""

    def __init__(self, value):
        self.library = HERE / value["library"] if value["library"] else None
        self.ok = not value["failure"] and self.library is not None


def parse_arguments():
    parser = argparse.ArgumentParser(prog="run", description="Checks and times what is in this folder.")
    parser.add_argument("--apps", metavar="A,B", help="(all)")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="of timing (2)")
    parser.add_argument("--seconds", type=float, default=0.1, metavar="S", help="per variant and round (0.1)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="variants that are checked at once (1)")
    parser.add_argument("--limit-seconds", type=float, default=60, metavar="S", help="for one run (60)")
    parser.add_argument("--only-check", action="store_true", help="compare outputs, time nothing")
    return parser.parse_args()


def check(app, variants, options, directory):
    """name -> MeasuredVariant with the one run that was compared."""
    once = replace(options, rounds=1, once=True)
    with tempfile.TemporaryDirectory(dir=directory) as outputs:
        return rounds.measure(RUNNER, app, variants, Path(outputs), once, reference=next(iter(variants)))


def time_all(app, variants, checked, options, directory):
    """The same with times. Outputs were compared before, and need not be copied back again."""
    right = {name: variants[name] for name, one in checked.items() if not one.failure}
    timed = {name: rounds.MeasuredVariant(**(asdict(one) | {"samples": []})) for name, one in checked.items()}
    for number in range(options.rounds):
        names = list(right)
        shift = number % max(1, len(names))
        for name in names[shift:] + names[:shift]:
            if not timed[name].failure:
                rounds.run_and_take(RUNNER, app, right[name], None, options, {}, None, timed[name])
    return timed


def machine(target):
    interface = targets.interface(target)
    devices = [asdict(device) for device in targets.devices_of(target)] if interface else []
    driver = None
    if shutil.which("nvidia-smi"):
        ask = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        driver = run(ask, Limits(20, 1024))
    return {"processor": processor_name(), "devices": devices,
            "driver": driver.output.strip() if driver and driver.ok else ""}  # fmt: skip


def main():
    arguments = parse_arguments()
    packed = json.loads((HERE / "pack.json").read_text(encoding="utf-8"))
    options = replace(
        rounds.RoundOptions(**(packed["rounds"] | {"limits": Limits(arguments.limit_seconds, 65536)})),
        rounds=arguments.rounds, seconds=arguments.seconds,
    )  # fmt: skip
    names = arguments.apps.split(",") if arguments.apps else list(packed["apps"])
    apps = {app: {name: Variant(value) for name, value in packed["apps"][app].items()} for app in names}
    apps = {app: {name: variant for name, variant in variants.items() if variant.ok}
            for app, variants in apps.items()}  # fmt: skip
    apps = {app: variants for app, variants in apps.items() if variants}
    found = {"machine": machine(packed["target"]), "date": time.strftime("%Y-%m-%d"), "apps": {}}

    def keep(app, measured):
        found["apps"][app] = {name: asdict(one) for name, one in measured.items()}
        (HERE / "measured.json").write_text(json.dumps(found), encoding="utf-8")

    # Drivers keep the kernels that they have compiled, so checking also makes the runs to be timed start sooner.
    start = time.monotonic()
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        checks = dict(zip(apps, pool.map(lambda app: check(app, apps[app], options, HERE), apps)))
    print(f"checked in {time.monotonic() - start:.1f} s", flush=True)
    for app, checked in checks.items():
        keep(app, checked)
        for name, one in checked.items():
            if one.failure:
                print(f"{app}: {name}: {one.failure}", flush=True)
    if not arguments.only_check:
        for app, checked in checks.items():
            timed = time_all(app, apps[app], checked, options, HERE)
            keep(app, timed)
            best = {name: f"{1e3 * min(one.all_samples):.4g}" for name, one in timed.items() if one.all_samples}
            print(f"{app}: " + " ".join(f"{name} {ms}" for name, ms in best.items()), flush=True)
    print(f"done in {time.monotonic() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

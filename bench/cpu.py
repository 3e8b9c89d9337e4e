"""./dev bench cpu: run time of our schedules, of Halide's other autoschedulers' and of the apps'
own, on this machine, always measured anew, on a dozen apps by default. See bench/README.md for how it measures and what its
numbers mean; ./dev bench peers is the same at full length."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness.command import Preset, run_preset
from bench.harness.schedulers import MANUAL, OURS, ROOT, STRATEGIES
from bench.harness.targets import CPU

PRESET = Preset(
    name="cpu",
    description="Compares schedules for the CPU: run time, scheduling time and memory.",
    targets=(CPU,),
    schedulers=(ROOT, MANUAL, "Mullapudi2016", "Adams2019", OURS),
    more_schedulers=tuple(STRATEGIES),
    apps=(
        "blur", "unsharp", "harris", "bilateral_grid", "local_laplacian", "camera_pipe",
        "hist", "iir_blur", "stencil_chain", "mat_mul", "conv_layer",
    ),  # fmt: skip
    smoke_apps=("blur", "harris", "hist"),
    smoke_schedulers=(ROOT, "Mullapudi2016", OURS),
    limit_seconds=600,
    smoke_limit_seconds=600,
    keeps_results=False,
    folder_per_target=False,
)

if __name__ == "__main__":
    sys.exit(run_preset(PRESET))

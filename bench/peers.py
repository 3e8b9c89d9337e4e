"""./dev bench peers: every app against every peer, for the CPU and for a GPU. Goes on where a killed
run was. See bench/README.md for how it measures and what its numbers mean."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.harness.command import Preset, run_preset
from bench.harness.schedulers import GPU_STRATEGIES, MANUAL, OURS, PEERS, ROOT, STRATEGIES
from bench.harness.targets import CPU, CUDA

PRESET = Preset(
    name="peers",
    description="Compares all schedulers on all apps: run time, scheduling time and memory. For a "
    "target that this machine has no device for: scheduling, registers and spills only.",
    targets=(CPU, CUDA),
    schedulers=(ROOT, MANUAL, *PEERS, OURS),
    more_schedulers=(*STRATEGIES, *GPU_STRATEGIES),
    apps=(),
    smoke_apps=("blur", "harris", "sgemm_1060"),  # short ones, and a product at a reduced size
    smoke_schedulers=(ROOT, MANUAL, *PEERS, OURS),
    limit_seconds=300,
    smoke_limit_seconds=60,
    keeps_results=True,
    folder_per_target=True,
)

if __name__ == "__main__":
    sys.exit(run_preset(PRESET))

"""Halide targets that schedules are made for, and whether this machine can run them."""

from bench.harness import devices

CPU = "host"
CUDA = "host-cuda-cuda_capability_80"
OPENCL = "host-opencl"

# What a host of a preset is to Halide: a prediction for it is made with its vectors, wherever it is made.
AVX2 = "x86-64-linux-avx-avx2-f16c-fma-sse41"
AVX512 = f"{AVX2}-avx512-avx512_skylake-avx512_cannonlake"
HOSTS_OF_PRESETS = {
    "x86-sse4": "x86-64-linux-sse41",
    "x86-avx2": AVX2,
    "x86-avx2-zen3": f"{AVX2}-tune_znver3",
    "x86-avx512": f"{AVX512}-avx512_zen4",
    "x86-avx512-zen5": f"{AVX512}-avx512_zen4-avx512_zen5",
    "x86-avx512-sapphirerapids": f"{AVX512}-avx512_sapphirerapids",
    "arm-neon": "arm-64-linux",
}


def preset_of(machine):
    """The preset that a machine file stands on; empty: none. A store's files have every value, and its name alone."""
    name = machine.get("preset") or machine.get("name", "")
    return name if name in HOSTS_OF_PRESETS else ""


INTERFACES = ("cuda", "opencl")
OTHER_GPU_FEATURES = ("metal", "vulkan", "d3d12compute", "webgpu")

# Multiprocessors of the GPU that a capability stands for, where none is here to ask.
USUAL_PROCESSORS = {"70": 80, "75": 40, "80": 108, "86": 82}


def interface(target):
    """The target's GPU feature, such as cuda or opencl; empty for a CPU."""
    features = target.split("-")
    for name in INTERFACES + OTHER_GPU_FEATURES:
        if name in features:
            return name
    return ""


def host_of(target):
    """The target without its GPU."""
    gpu = tuple(INTERFACES + OTHER_GPU_FEATURES)
    return "-".join(part for part in target.split("-") if not part.startswith(gpu))


def devices_of(target):
    name = interface(target)
    return devices.find_devices(name) if name in INTERFACES else []


def why_not_runnable(target):
    """Empty if the target's programs can run here, else the reason."""
    name = interface(target)
    if not name or devices_of(target):
        return ""
    return f"no {name} device here" if name in INTERFACES else f"{name} is not supported"


def cuda_capability(target):
    """The digits of cuda_capability_80; the oldest that Halide and ptxas share without any."""
    for feature in target.split("-"):
        if feature.startswith("cuda_capability_"):
            return feature.removeprefix("cuda_capability_")
    return "50"


# Of the GPUs that ./dev bench peers --gpu names: the presets of machine/gpu.cpp (checked by tests/targets_test.py).
PROCESSORS_OF_GPUS = {"v100": 80, "t4": 40, "a100": 108, "a100-80gb": 108, "rtx-3090": 82, "rtx-4090": 128,
                      "h100": 132, "h200": 132}  # fmt: skip


def gpu_processors(target, gpu=""):
    """What a GPU autoscheduler is told as parallelism. `gpu`: the name of the one that it schedules for; empty:
    that of the target."""
    if gpu:
        return PROCESSORS_OF_GPUS[gpu]
    found = devices_of(target)
    if found:
        return found[0].processors
    return USUAL_PROCESSORS.get(cuda_capability(target), 80)

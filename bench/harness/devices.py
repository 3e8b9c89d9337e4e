"""The GPUs that a Halide target could run on here. Asked in a process of its own, because a driver
is another's code and may crash or hang: run as a script it prints a JSON list for one interface.

    python3 bench/harness/devices.py cuda|opencl
"""

import ctypes
import json
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    name: str
    processors: int  # what the autoschedulers call parallelism: SMs, or compute units


def _cuda_devices():
    driver = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    multiprocessor_count = 16  # CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    devices = []
    for number in range(count.value):
        device, processors = ctypes.c_int(0), ctypes.c_int(0)
        name = ctypes.create_string_buffer(256)
        driver.cuDeviceGet(ctypes.byref(device), number)
        driver.cuDeviceGetName(name, len(name), device)
        driver.cuDeviceGetAttribute(ctypes.byref(processors), multiprocessor_count, device)
        devices.append(Device(name.value.decode(), processors.value))
    return devices


def _opencl_devices():
    library = ctypes.CDLL("libOpenCL.so.1")
    all_types, max_compute_units, device_name = ctypes.c_uint64(0xFFFFFFFF), 0x1002, 0x102B
    count = ctypes.c_uint(0)
    if library.clGetPlatformIDs(0, None, ctypes.byref(count)) != 0:
        return []
    platforms = (ctypes.c_void_p * count.value)()
    library.clGetPlatformIDs(count, platforms, None)
    devices = []
    for platform in platforms:
        platform = ctypes.c_void_p(platform)
        if library.clGetDeviceIDs(platform, all_types, 0, None, ctypes.byref(count)) != 0:
            continue
        ids = (ctypes.c_void_p * count.value)()
        library.clGetDeviceIDs(platform, all_types, count, ids, None)
        for device in map(ctypes.c_void_p, ids):
            name, units = ctypes.create_string_buffer(256), ctypes.c_uint(0)
            size = ctypes.c_size_t
            library.clGetDeviceInfo(device, device_name, size(len(name)), name, None)
            library.clGetDeviceInfo(device, max_compute_units, size(4), ctypes.byref(units), None)
            devices.append(Device(name.value.decode(), units.value))
    return devices


def find_devices(interface):
    """Devices of "cuda" or "opencl"; an empty list where the driver is missing or fails."""
    from bench.harness import processes

    result = processes.run(
        [sys.executable, __file__, interface], processes.Limits(seconds=30, memory_mb=4096)
    )
    return [Device(**device) for device in json.loads(result.output)] if result.ok else []


if __name__ == "__main__":
    try:
        FOUND = {"cuda": _cuda_devices, "opencl": _opencl_devices}[sys.argv[1]]()
    except OSError:  # no such driver
        FOUND = []
    print(json.dumps([device.__dict__ for device in FOUND]))

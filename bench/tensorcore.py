"""./dev bench tensorcore: what ptxas makes of the kernels for tensor cores. See bench/README.md."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

CUDA_FOLDER = "/usr/local/cuda/bin"


def main():
    parser = argparse.ArgumentParser(
        prog="./dev bench tensorcore",
        description="Assembles every kernel that tensor cores may be given and prints registers, spills, shared memory "
        "and blocks per SM. Needs ptxas of the CUDA toolkit, and no GPU. Fails if a kernel spills.",
    )
    parser.add_argument("--build-dir", required=True, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--smoke", action="store_true", help="one type in one layout")
    parser.add_argument("--capability", default="80", help="that Halide compiles for: 75, 80 (default) or 86")
    parser.add_argument("--architectures", help="that ptxas compiles for (sm_80,sm_86,sm_90)")
    parser.add_argument("--types", help="of f16,bf16,half,i8,u8 (all)")
    parser.add_argument("--csv", type=Path, help="file to write")
    options = parser.parse_args()
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=CUDA_FOLDER)
    if ptxas is None:
        sys.exit("./dev bench tensorcore needs ptxas: install the CUDA toolkit or add its bin folder to PATH")
    command = [options.build_dir / "bench" / "bench_tensor_kernels", "--ptxas", ptxas,
               "--capability", options.capability]  # fmt: skip
    if options.smoke:
        command += ["--types", "f16", "--layouts", "1"]
    elif options.types:
        command += ["--types", options.types]
    if options.architectures:
        command += ["--architectures", options.architectures]
    if options.csv:
        command += ["--csv", options.csv]
    sys.exit(subprocess.run(command, check=False).returncode)


if __name__ == "__main__":
    main()

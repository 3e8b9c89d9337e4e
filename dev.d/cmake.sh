# CMake: Halide's package asks for 3.28, which Debian 12 and Ubuntu 22.04 do not have. PyPI's wheel
# of it is the plain program and can be unpacked beside the system's.

cmake_minimum=3.28
cmake_wheel_version=3.31.6
cmake_wheel_sha256=1c8b05df0602365da91ee6a3336fe57525b137706c4ab5675498f662ae1dbcec

# find_cmake: sets cmake_bin, the folder of cmake and ctest; returns 1 if there is none.
find_cmake() {
    local version=""
    if command -v cmake >/dev/null; then
        version=$(cmake --version | sed -n '1s/^cmake version \([0-9.]*\).*/\1/p')
        if [[ $(printf '%s\n%s\n' "$cmake_minimum" "$version" | sort -V | head -n 1) == \
            "$cmake_minimum" ]]; then
            cmake_bin=$(dirname "$(command -v cmake)")
            return 0
        fi
    fi
    local destination="$cache/cmake-$cmake_wheel_version"
    if [[ ! -d $destination ]]; then
        say "CMake ${version:-(none)} is older than $cmake_minimum: taking $cmake_wheel_version from PyPI"
        if [[ $(uname -m) != x86_64 ]] ||
            ! fetch_wheel "$destination" "cmake==$cmake_wheel_version" "$cmake_wheel_sha256"; then
            why_not="no CMake $cmake_minimum or newer here, and PyPI's cannot be had"
            return 1
        fi
    fi
    cmake_bin="$destination/cmake/data/bin"
}

# Which Halide: the user's, the system's if new enough, PyPI's wheel, or a private Debian 13 with
# its own. The choice and why it was not an earlier one are printed where a tree is configured, because most of what
# goes wrong with a Halide plugin is a Halide that one did not mean.

# Wheels, pinned: version, tag of the Python that `import halide` needs, hash.
halide_wheels='
21.0.0 cp39  e9b33f3a0653f6c2aeea9f1e8ab0d0f08a8458125eeb6d61c9b6c90ac1bc2b30
21.0.0 cp310 0db6da2bc70945db4aebaeac87dbe8610c9e5a0ab63e2eb30141f3ef0a94a454
21.0.0 cp311 3686c2b4c9aed1e26e1e55631608b2c4a4c3fe2d4386505ba1921859adb683ab
21.0.0 cp312 6db7fa414e6a38bde49630066d8fdba1a71d86aff9b4636dbc65b5b5f652428e
21.0.0 cp313 67ac80d57efc24227bc327c5f17cb2fd39634ff5f0de5c9742f078b701158933
19.0.0 cp39  4d73a5b14857356a7487c5354f9a5ea1d301a431026107ba81b8e8da316de8da
19.0.0 cp310 7cfcc3609f277f34ac917abd90780de4781d75f235566bf7e23cd71a9b35d7b4
19.0.0 cp311 13440eef365d5570b0206d8efc054de0e6ed204ae6c04490a687c367d4918553
19.0.0 cp312 2b0a283d9653dac81ea8ebdefe46f88461a2bae894b7ea83baa112740a132466
19.0.0 cp313 484764fd45216d71dd1b97672bf2163fd8b5fb94d2e0382870c9d13962ec7760
'
halide_oldest=19
halide_default=21

halide_cmake=""    # the folder of HalideConfig.cmake
halide_libraries=""  # the folder of libHalide.so
halide_python=""   # the folder that `import halide` is found in; empty if it needs none
halide_version=""
halide_source=""   # user, system, wheel or root
halide_choice=()   # what there is to say about it
why_not=""         # the reason of the step that last said no

# take_halide PREFIX...: looks for Halide's CMake package under the prefixes.
take_halide() {
    local prefix candidate
    for prefix in "$@"; do
        for candidate in "$prefix"/{lib,lib64,lib/*-linux-gnu}/cmake/Halide*/HalideConfig.cmake \
            "$prefix"/HalideConfig.cmake; do
            [[ -f $candidate ]] || continue
            halide_cmake=$(dirname "$candidate")
            halide_version=$(sed -n 's/^set(PACKAGE_VERSION "\([0-9.]*\)").*/\1/p' \
                "$halide_cmake/HalideConfigVersion.cmake" 2>/dev/null | head -n 1)
            # .../lib*/cmake/Halide: the library is beside the package's folder.
            halide_libraries=$(cd "$halide_cmake/../.." && pwd)
            return 0
        done
    done
    return 1
}

halide_from_user() {
    if [[ -z $halide_directory ]]; then
        why_not="--halide DIR was not given"
        return 1
    fi
    halide_directory=$(cd "$halide_directory" && pwd)
    take_halide "$halide_directory" "$halide_directory/halide" ||
        fail "--halide $halide_directory: no lib*/cmake/Halide*/HalideConfig.cmake in it"
    ((${halide_version%%.*} >= halide_oldest)) ||
        fail "--halide $halide_directory is $halide_version; $halide_oldest is the oldest that works"
    [[ -z $halide_major || ${halide_version%%.*} == "$halide_major" ]] ||
        fail "--halide $halide_directory is $halide_version, not $halide_major as asked"
    [[ ! -f $halide_directory/__init__.py ]] || halide_python=$(dirname "$halide_directory")
    [[ ! -f $halide_directory/halide/__init__.py ]] || halide_python=$halide_directory
}

halide_from_system() {
    if ! take_halide /usr/local /usr; then
        why_not="the system has no Halide package for CMake"
        return 1
    fi
    local major=${halide_version%%.*}
    if ((major < halide_oldest)); then
        why_not="the system's Halide is $halide_version, older than $halide_oldest"
        return 1
    fi
    if [[ -n $halide_major && $major != "$halide_major" ]]; then
        why_not="the system's Halide is $halide_version, not $halide_major as asked"
        return 1
    fi
    halide_python=""
}

halide_from_wheel() {
    if [[ $(uname -m) != x86_64 ]]; then
        why_not="PyPI's wheels are for x86_64, and this is $(uname -m)"
        return 1
    fi
    local host_tag version tag hash wanted="" fallback="" major=${halide_major:-$halide_default}
    host_tag=cp$(python3 -c 'import sys; print("%d%d" % sys.version_info[:2])') || host_tag=none
    while read -r version tag hash; do
        [[ ${version%%.*} == "$major" ]] || continue
        [[ $tag != "$host_tag" ]] || wanted="$version $tag $hash"
        # Any wheel holds the same C++ files; only `import halide` wants the host's Python.
        [[ $tag != cp312 ]] || fallback="$version $tag $hash"
    done <<<"$halide_wheels"
    read -r version tag hash <<<"${wanted:-$fallback}"
    local destination="$cache/halide-$version-$tag-${hash:0:12}"
    if [[ ! -d $destination ]]; then
        say "fetching Halide $version from PyPI (about 60 MB)"
        if ! fetch_wheel "$destination" "halide==$version" "$hash" --implementation cp \
            --python-version "${tag:2:1}.${tag:3}" --abi "$tag" --platform manylinux_2_28_x86_64; then
            why_not="PyPI's wheel of Halide $version cannot be had"
            return 1
        fi
    fi
    take_halide "$destination/halide" || fail "$destination is not a Halide: remove it and try again"
    if [[ -n $wanted ]]; then
        halide_python=$destination
    else
        halide_python=""
        say "this Python ($host_tag) has no wheel of Halide $version: \`import halide\` will not work"
    fi
}

# find_halide: sets the halide_* names above, or re-enters this script in the Debian root.
find_halide() {
    local reasons=() taken="" source
    if [[ $in_root == yes ]]; then
        take_halide /usr || fail "the Debian root has no Halide"
        halide_source=root
        taken="this Debian root"
    else
        for source in user system wheel; do
            # --halide-from means that source and no other.
            if [[ $source != user && -n $halide_from && $source != "$halide_from" ]]; then
                reasons+=("--halide-from $halide_from rules out the $source")
                continue
            fi
            if "halide_from_$source"; then
                halide_source=$source
                break
            fi
            reasons+=("$why_not")
            [[ $source != "$halide_from" ]] || fail "$why_not"
        done
        case $halide_source in
            user) taken="$halide_directory, as asked" ;;
            system) taken="the system" ;;
            wheel) taken="PyPI's wheel" ;;
        esac
    fi
    if [[ -z $taken ]]; then
        [[ -z $halide_major || $halide_major == "$halide_in_root" ]] ||
            fail "no Halide $halide_major: ${reasons[*]/%/;} and the Debian root has $halide_in_root"
        halide_choice=("Halide $halide_in_root from a private Debian 13 root")
    else
        halide_choice=("Halide $halide_version from $taken ($halide_cmake)")
    fi
    local reason
    for reason in "${reasons[@]}"; do
        halide_choice+=("  not another: $reason")
    done
    if [[ -z $taken ]]; then
        say_halide
        enter_debian_root
    fi
}

# say_halide: which it is and why; said where something is made with it, and not by every command.
say_halide() {
    local line
    for line in "${halide_choice[@]}"; do
        say "$line"
    done
}

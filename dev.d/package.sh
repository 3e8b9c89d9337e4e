# What users install. The wheel takes its plugins from the build trees of both Halides, so that after the tests of both
# nothing is compiled again.

command_package() {
    if help_asked "$@" || [[ $# -eq 0 ]]; then
        echo "Usage: ./dev package wheel|deb [--output FOLDER] [--check]
wheel: makes the wheel halide-cryolite of the build trees for PyPI's Halide 19 and 21, built first where they are out of
date, installs it into a fresh environment per Halide, and tries the README's examples there.
deb: makes a Debian package for the Halide at hand (./dev --halide-from root package deb: for Debian 13's own). With
--check, which asks for Debian 13's, it is installed and tried in a throw-away copy of that Debian.
FOLDER: default: out/"
        [[ $# -gt 0 ]] || return 2
        return 0
    fi
    local kind=$1 output="$checkout/out" check=no
    shift
    while [[ $# -gt 0 ]]; do
        case $1 in
            --output=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
            --output) need_value "$@"; output=$2; shift 2 ;;
            --check) check=yes; shift ;;
            *) usage_error "package does not know $1" ;;
        esac
    done
    [[ $kind =~ ^(wheel|deb)$ ]] || usage_error "package makes a wheel or a deb, not $kind"
    [[ $check == no || $kind == deb ]] || usage_error "--check is for a deb: a wheel is always tried"
    [[ $check == no || $halide_from == root ]] ||
        usage_error "--check is for Debian 13's Halide: ./dev --halide-from root package deb --check"
    mkdir -p "$output"
    output=$(cd "$output" && pwd)
    shared_with_root=$output
    if [[ $check == yes ]]; then
        # In a process of its own, since it goes on inside the root.
        local options=(--halide-from root --jobs "${jobs:-$(default_jobs)}" --preset "$preset")
        [[ $agreed == no ]] || options+=(--yes)
        "$checkout/dev" "${options[@]}" package deb --output "$output" || fail "there is no package to try"
        check_in_debian_root "$output"/cryolite_*.deb
        return
    fi
    "package_$kind" "$output"
}

package_deb() {
    set_up deb --output "$1"
    need_packages "${deb_packages[@]}"
    build_targets autoschedule_cryolite cryolite cryolite_runner
    (cd "$build_directory" && run_step cpack -G DEB -B "$build_directory/deb") || fail "the package could not be made"
    rm -f "$build_directory"/deb/*.ddeb
    cp "$build_directory"/deb/cryolite_*.deb "$1"
    echo "$1"/cryolite_*.deb
}

# tree_of MAJOR TARGET...: builds the targets for that Halide of PyPI's and sets `tree`.
tree_of() {
    local major=$1 suffix=""
    shift
    [[ $major == "$halide_default" ]] || suffix=-halide$major
    tree="$checkout/build/release$suffix"
    "$checkout/dev" --halide-version "$major" --halide-from wheel --build-dir "$tree" build "$@"
}

package_wheel() {
    local output=$1 tree oldest newest backend tag
    set_up
    tree_of 19 autoschedule_cryolite
    oldest=$tree
    tree_of 21 autoschedule_cryolite cryolite cryolite_runner
    newest=$tree
    backend=$(command_packages wheel)
    tag=$(python3 "$checkout/plugin/python/manylinux.py" "$oldest/plugin/libautoschedule_cryolite.so" \
        "$newest/plugin/libautoschedule_cryolite.so" "$newest/tools/cryolite" "$newest/tools/runner/cryolite_runner") ||
        fail "the wheel would not run elsewhere"
    rm -f "$output"/halide_cryolite-*.whl
    (cd "$checkout" && PYTHONPATH="$backend${PYTHONPATH:+:$PYTHONPATH}" run_step python3 -m pip wheel . \
        --no-deps --no-index --no-build-isolation --no-cache-dir --disable-pip-version-check --wheel-dir "$output" \
        --config-settings=wheel.tags="py3-none-$tag" --config-settings=cmake.define.CRYOLITE_TREE_19="$oldest" \
        --config-settings=cmake.define.CRYOLITE_TREE_21="$newest") || fail "the wheel could not be made"
    run_step python3 "$checkout/plugin/python/repack.py" "$output"/halide_cryolite-*.whl ||
        fail "the wheel could not be packed"
    say "trying it with both Halides"
    run_step python3 "$checkout/tests/install/wheel_test.py" --wheel "$output"/halide_cryolite-*.whl \
        --checkout "$checkout" --tree "$oldest" --tree "$newest" --figures "$newest/wheel_figures.txt" ||
        fail "the wheel does not work"
    cat "$newest/wheel_figures.txt" >&2
    echo "$output"/halide_cryolite-*.whl
}

# Configure, build and run: the commands that people call every day. Each starts with set_up, which
# does nothing, quickly, when all is there.

# choose_build_directory [SUFFIX]: one per preset and choice of Halide, so that switching between
# two does not rebuild the tree.
choose_build_directory() {
    local suffix=${1:-}
    if [[ -z $build_directory ]]; then
        build_directory="$checkout/build/$preset${suffix:+-$suffix}"
    fi
    [[ $build_directory == /* ]] || build_directory="$PWD/$build_directory"
}

# set_up ARGUMENT...: packages, Halide, CMake; remembers the command's arguments for the root.
command_arguments=()
set_up() {
    command_arguments=("$@")
    [[ -n $jobs ]] || jobs=$(default_jobs)
    need_packages "${build_packages[@]}"
    find_halide
    # Only a Halide of the system's can be had where PyPI, and with it a new CMake, cannot.
    find_cmake || {
        [[ $halide_source == system ]] || fail "$why_not"
        say "$why_not: going on in a private Debian 13 root"
        enter_debian_root
    }
    local suffix=""
    if [[ -n $halide_directory ]]; then
        suffix=custom
    elif [[ -n $halide_major && $halide_major != "$halide_default" ]]; then
        suffix=halide$halide_major
    fi
    choose_build_directory "$suffix"
    PATH="$cmake_bin:$PATH"
}

# Configures when there is no build tree for this choice or when a room has come or gone.
configure() {
    local made_for rooms stamp="$build_directory/dev.stamp" fresh=()
    made_for="$preset $cmake_bin $halide_cmake $halide_version plotly $plotly_version"
    rooms=$(cd "$checkout" && ls -d -- */CMakeLists.txt */*/CMakeLists.txt CMakePresets.json)
    if [[ -f $stamp && -f $build_directory/build.ninja &&
        $(<"$stamp") == "$made_for"$'\n'"$rooms" ]]; then
        return 0
    fi
    if [[ -f $build_directory/CMakeCache.txt ]] &&
        { [[ ! -f $stamp ]] || [[ $(head -n 1 "$stamp") != "$made_for" ]]; }; then
        fresh=(--fresh)
    fi
    rm -f "$stamp"
    find_plotly
    say_halide
    say "configuring $build_directory"
    (cd "$checkout" && run_step cmake --preset "$preset" -B "$build_directory" "${fresh[@]}" \
        -DHalide_DIR="$halide_cmake" -DCRYOLITE_PLOTLY="$plotly_script") || fail "the configuration failed"
    printf '%s\n%s\n' "$made_for" "$rooms" >"$stamp"
}

build_targets() {
    configure
    local options=(--build "$build_directory" -j "$jobs")
    [[ $verbose == no ]] || options+=(--verbose)
    [[ $# -eq 0 ]] || options+=(--target "$@")
    # Quiet where nothing has changed.
    [[ $(ninja -C "$build_directory" -n "$@" 2>/dev/null | tail -n 1) != "ninja: no work to do." ]] || return 0
    cmake "${options[@]}" >&2 || fail "the build failed"
}

has_target() {
    configure
    ninja -C "$build_directory" -t query "$1" >/dev/null 2>&1
}

# built_program NAME: the path of a program in the build tree; nothing if there is none.
built_program() {
    find "$build_directory" -name CMakeFiles -prune -o -type f -name "$1" -perm -u+x -print -quit
}

# in_environment COMMAND...: with Halide's libraries and Python module for that process alone.
in_environment() {
    LD_LIBRARY_PATH="$halide_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        PYTHONPATH="$halide_python${PYTHONPATH:+:$PYTHONPATH}" "$@"
}

command_setup() {
    if help_asked "$@"; then
        echo "Usage: ./dev setup
Finds or fetches packages, CMake and Halide, and says what it took. Builds nothing."
        return 0
    fi
    [[ $# -eq 0 ]] || usage_error "setup takes no arguments"
    set_up
    say_halide
    say "CMake from $cmake_bin"
    say "the build tree would be $build_directory"
}

command_build() {
    if help_asked "$@"; then
        echo "Usage: ./dev build [TARGET...]
Configures and builds everything, or only the named targets."
        return 0
    fi
    set_up "$@"
    build_targets "$@"
}

# select_quick: leaves out of `selection` what takes a second or more. ctest keeps the time of every test of a tree; a
# tree that has none, or an older ctest, gets the rooms that never take long.
select_quick() {
    local times="$build_directory/Testing/Temporary/CTestCostData.txt" slow="$build_directory/dev.slow"
    if [[ -f $times ]] && ctest --help | grep -q -- --exclude-from-file; then
        awk '/^---/ { exit } $3 >= 1 { print $1 }' "$times" >"$slow"
        say "leaving out $(wc -l <"$slow") tests that take a second or more"
        selection+=(--exclude-from-file "$slow")
    else
        say "no times of an earlier run here: the tests of the rooms that never take long"
        selection+=(-L '^(base|machine|graph|schedule|featurize|analytical|model|reference|oracle|house|docs|dev)$')
    fi
}

command_test() {
    if help_asked "$@"; then
        echo "Usage: ./dev test [--quick] [--filter NAME] [--label LABEL]
Builds everything (for --label smoke: only what it needs) and runs the tests.
  --quick         those that take less than a second: under two minutes on two cores, once everything is built
  --filter NAME   those whose name matches the regular expression NAME (names are room/Suite.Case)
  --label LABEL   those of one room or of the set 'smoke' or 'long', which is left out where nothing is named"
        return 0
    fi
    local arguments=("$@") selection=() targets=() quick=no
    while [[ $# -gt 0 ]]; do
        case $1 in
            --filter=* | --label=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
            --filter) need_value "$@"; selection+=(-R "$2"); shift 2 ;;
            --label)
                need_value "$@"
                selection+=(-L "$2")
                [[ $2 != smoke ]] || targets=(smoke_tests)
                shift 2
                ;;
            --quick) quick=yes; shift ;;
            *) usage_error "test does not know $1" ;;
        esac
    done
    [[ ${#selection[@]} -gt 0 ]] || selection=(-LE long)
    set_up "${arguments[@]}"
    build_targets "${targets[@]}"
    [[ $quick == no ]] || select_quick
    in_environment ctest --test-dir "$build_directory" -j "$jobs" --output-on-failure \
        --no-tests=error "${selection[@]}"
}

# Scripts in bench/ itself, or in a folder of their own name: what run_part finds.
benchmark_names() {
    local script folder name
    for script in "$checkout"/bench/*.{sh,py} "$checkout"/bench/*/*.{sh,py}; do
        [[ -f $script ]] || continue
        name=$(basename "${script%.*}")
        folder=$(basename "$(dirname "$script")")
        # The demo is a command of its own.
        [[ $folder == bench || $folder == "$name" ]] && [[ $name != demo ]] || continue
        echo "$name"
    done | sort -u
}

command_bench() {
    if help_asked "$@" || [[ $# -eq 0 ]]; then
        echo "Usage: ./dev bench NAME [--smoke] [ARGUMENT...]
Builds and runs one benchmark; --smoke is its quick form. Benchmarks here:"
        benchmark_names | sed 's|^|  |'
        [[ $# -gt 0 ]] || return 2
        return 0
    fi
    local name=$1
    [[ $name =~ ^[a-z0-9_]+$ ]] || usage_error "bench: $name is not the name of a benchmark"
    set_up "$@"
    [[ $name != cachemisses ]] || need_packages valgrind
    shift
    run_part "bench" "$name" "bench_$name" "$@"
}

command_demo() {
    if help_asked "$@"; then
        echo "Usage: ./dev demo [ARGUMENT...]
Schedules a real pipeline on a photograph with Cryolite and with its peers, and prints one table."
        return 0
    fi
    set_up "$@"
    run_part "bench/demo" demo demo "$@"
}

# run_part FOLDER NAME TARGET ARGUMENT...: a script of that name in the folder, which is told the
# build tree by --build-dir, or else the built program TARGET.
run_part() {
    local folder=$1 name=$2 target=$3 script
    shift 3
    for script in "$checkout/$folder/$name".{sh,py} "$checkout/$folder/$name/$name".{sh,py}; do
        [[ -f $script ]] || continue
        if has_target "$target"; then
            build_targets "$target"
        else
            build_targets
        fi
        local interpreter=bash
        [[ $script != *.py ]] || interpreter=python3
        (cd "$checkout" && in_environment "$interpreter" "$script" --build-dir "$build_directory" "$@")
        return
    done
    has_target "$target" || fail "there is no $name: neither $folder/$name.sh or .py nor a target $target"
    build_targets "$target"
    (cd "$checkout" && in_environment "$(built_program "$target")" "$@")
}

command_run() {
    if help_asked "$@" || [[ $# -eq 0 ]]; then
        echo "Usage: ./dev run COMMAND [ARGUMENT...]
Runs a program of the build tree (built first if it is a target), or any other command, with
Halide's libraries and its Python module in the environment."
        [[ $# -gt 0 ]] || return 2
        return 0
    fi
    set_up "$@"
    local name=$1 program
    if has_target "$name"; then
        build_targets "$name"
    fi
    program=$(built_program "$name")
    if [[ -z $program ]]; then
        program=$(command -v "$name") || fail "no built program and no command is called $name"
    fi
    shift
    in_environment "$program" "$@"
}

command_shell() {
    if help_asked "$@"; then
        echo "Usage: ./dev shell
A shell with CMake, Halide's libraries and its Python module in the environment."
        return 0
    fi
    [[ $# -eq 0 ]] || usage_error "shell takes no arguments"
    set_up
    say "the build tree is $build_directory; leave with exit"
    in_environment bash
}

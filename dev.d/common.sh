# Messages, errors and the running of long steps, used by every other part.

say() { printf 'dev: %s\n' "$*" >&2; }

fail() {
    say "error: $*"
    exit 1
}

usage_error() {
    say "error: $*"
    say "./dev --help lists what there is"
    exit 2
}

# agree WHAT: before this computer is changed. Nobody is there to be asked where no terminal is.
agree() {
    [[ $agreed == no && ${CI:-} != true && -t 0 && -t 2 ]] || return 0
    local answer
    read -r -p "dev: $1: go on? [y/N] " answer
    [[ $answer == [yY]* ]] || fail "stopped; nothing was changed"
}

# agree_to_gigabytes WHAT: the same, and where nobody can be asked it takes a word beforehand.
agree_to_gigabytes() {
    [[ $agreed == yes || ${CI:-} == true || (-t 0 && -t 2) ]] ||
        fail "$1: not without your word; ./dev --yes ... gives it, and so does CI=true"
    agree "$1"
}

# need_value OPTION [VALUE...]: the option's value must be there.
need_value() {
    [[ $# -ge 2 && -n $2 ]] || usage_error "$1 needs a value"
}

# help_asked ARGUMENT...: is the first one a request for help?
help_asked() { [[ ${1:-} == --help || ${1:-} == -h ]]; }

# Runs a long step so that a signal to this script ends the step at once: bash would otherwise
# wait for a foreground child before it looks at the signal. Its output is shown on failure only,
# or as it comes with --verbose.
current_step=""
step_log=""
run_step() {
    local status=0
    if [[ $verbose == yes ]]; then
        "$@" >&2 </dev/null &
        current_step=$!
        wait "$current_step" || status=$?
    else
        step_log=$(mktemp)
        "$@" >"$step_log" 2>&1 </dev/null &
        current_step=$!
        wait "$current_step" || status=$?
        if [[ $status -ne 0 ]]; then
            tail -n 40 "$step_log" >&2
        fi
        rm -f "$step_log"
        step_log=""
    fi
    current_step=""
    return "$status"
}

# root_command: what to put before a command that needs root. An array and not a function, so that
# a step's process is the command itself and can be killed.
root_command=()
if [[ $(id -u) -ne 0 ]]; then
    root_command=(sudo)
fi
need_root() {
    [[ $(id -u) -eq 0 ]] || command -v sudo >/dev/null ||
        fail "this needs root, and there is no sudo: $*"
}

# remove_tree DIRECTORY: also where a killed step is still dying, or where root made the files.
remove_tree() {
    local attempt
    for attempt in 1 2 3 4 5; do
        rm -rf --one-file-system "$1" 2>/dev/null && return 0
        "${root_command[@]}" rm -rf --one-file-system "$1" 2>/dev/null && return 0
        sleep 0.2
    done
    say "could not remove $1"
}

# What an interrupted or failed run leaves behind: nothing.
partial_directory=""
at_exit() {
    if [[ -n $current_step ]]; then
        kill "$current_step" 2>/dev/null ||
            "${root_command[@]}" kill "$current_step" 2>/dev/null || true
        wait "$current_step" 2>/dev/null || true
    fi
    [[ -z $partial_directory ]] || remove_tree "$partial_directory"
    [[ -z $step_log ]] || rm -f "$step_log"
}
trap at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Jobs: a file that includes Halide takes up to 1.5 GB to compile.
default_jobs() {
    local cores memory_kib by_memory
    cores=$(nproc)
    memory_kib=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo 2>/dev/null || echo 8000000)
    by_memory=$((memory_kib / 1500000))
    ((by_memory >= 1)) || by_memory=1
    echo $((cores < by_memory ? cores : by_memory))
}

#!/usr/bin/env bash
# Tests of ./dev itself: dev_test.sh CHECKOUT CASE. Every case works in a scratch cache and with a
# stand-in for Python where a download would happen, so that nothing of the user's is touched.
set -euo pipefail

checkout=$1
case_name=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"

fail() {
    echo "FAILED: $*"
    exit 1
}

# expect_error STATUS TEXT ARGUMENT...: ./dev ends with that status and says that text.
expect_error() {
    local wanted=$1 text=$2 status=0 output
    shift 2
    output=$("$checkout/dev" "$@" 2>&1) || status=$?
    [[ $status -eq $wanted ]] || fail "dev $*: status $status, not $wanted: $output"
    [[ $output == *"$text"* ]] || fail "dev $*: does not say '$text': $output"
}

# The packages that set-up would install must be there: a test does not change the machine.
skip_without_packages() {
    command -v dpkg-query >/dev/null || { echo "SKIPPED: no dpkg"; exit 77; }
    local package
    for package in g++ ninja-build libgtest-dev libhwloc-dev nlohmann-json3-dev libcli11-dev \
        libeigen3-dev libsqlite3-dev libpng-dev libjpeg-dev python3 python3-venv python3-pip ccache ca-certificates; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' ||
            { echo "SKIPPED: $package is not installed"; exit 77; }
    done
}

# A python3 that answers as one does, but whose downloads write half a file and then hang.
hanging_python() {
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/python3" <<'TEXT'
#!/usr/bin/env bash
if [[ $* == *download* ]]; then
    echo half >"${!#}/half.whl"
    echo $$ >"$STARTED.tmp"
    mv "$STARTED.tmp" "$STARTED"
    exec sleep 50
fi
echo 311
TEXT
    chmod +x "$scratch/bin/python3"
}

# A python3 whose pip writes half of what it should into its target and then ends as $PIP_STATUS says.
installing_python() {
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/python3" <<'TEXT'
#!/usr/bin/env bash
if [[ $* == *" install --require-hashes "*" --target "* ]]; then
    echo "$*" >>"$PIP_CALLS"
    while [[ $1 != --target ]]; do shift; done
    mkdir -p "$2"
    echo 'drawn = True' >"$2/drawing.py"
    exit "$PIP_STATUS"
fi
echo cp311
TEXT
    chmod +x "$scratch/bin/python3"
    : >"$scratch/calls"
}

# fetch_packages STATUS_OF_PIP: prints what ./dev packages plot prints.
fetch_packages() {
    PIP_STATUS=$1 PIP_CALLS="$scratch/calls" PATH="$scratch/bin:$PATH" \
        "$checkout/dev" packages plot 2>"$scratch/log"
}

# start_set_up: runs it in the background with the hanging Python until it is downloading.
start_set_up() {
    rm -f "$scratch/started"
    STARTED="$scratch/started" PATH="$scratch/bin:$PATH" \
        "$checkout/dev" --halide-from wheel setup >"$scratch/log" 2>&1 &
    set_up=$!
    for _ in $(seq 200); do
        [[ ! -e $scratch/started ]] || return 0
        sleep 0.05
    done
    fail "the set-up never got to its download: $(cat "$scratch/log")"
}

option_errors() {
    expect_error 2 "unknown option --frob" --frob
    expect_error 2 "unknown command frob" frob
    expect_error 2 "--preset is release" --preset fast build
    expect_error 2 "--halide-version is 19 or 21" --halide-version 14 build
    expect_error 2 "--halide needs a value" --halide
    expect_error 2 "no such directory" --halide "$scratch/none" build
    expect_error 2 "exclude each other" --halide "$scratch" --halide-from wheel build
    expect_error 2 "--jobs takes a number" --jobs many build
    expect_error 2 "test does not know --frob" test --frob
    expect_error 2 "format does not know" format --frob
    expect_error 2 "is not the name of a benchmark" bench ../etc
    expect_error 2 "packages takes the name" packages nonsense
    expect_error 2 "packages takes the name" packages ../../tests/dev/dev_test
    expect_error 2 "package makes a wheel or a deb" package rpm
    expect_error 2 "--check is for a deb" --halide-from root package wheel --check
    expect_error 2 "./dev --halide-from root package deb --check" package deb --check
    expect_error 2 "site takes a folder" site one two
    expect_error 2 "package does not know --frob" package wheel --frob
    expect_error 2 "Commands"
}

help() {
    local command
    for command in "" demo test bench train run shell build setup format wheel packages package site; do
        # shellcheck disable=SC2086
        "$checkout/dev" $command --help >"$scratch/help" || fail "dev $command --help fails"
        grep -q '^Usage: ./dev' "$scratch/help" || fail "dev $command --help shows no usage"
    done
}

interrupted_set_up() {
    skip_without_packages
    hanging_python
    # A polite end cleans up at once.
    start_set_up
    kill -TERM "$set_up"
    local status=0
    wait "$set_up" || status=$?
    [[ $status -eq 143 ]] || fail "ended by TERM with status $status: $(cat "$scratch/log")"
    local left
    left=$(find "$XDG_CACHE_HOME/cryolite" -mindepth 1 -not -name lock)
    [[ -z $left ]] || fail "left behind after TERM: $left"
    # After a kill -9 the half-made folder has a name that is never taken for the real one ...
    start_set_up
    kill -KILL "$set_up"
    wait "$set_up" 2>/dev/null || true
    left=$(find "$XDG_CACHE_HOME/cryolite" -mindepth 1 -maxdepth 1 -not -name lock \
        -not -name '.partial.*')
    [[ -z $left ]] || fail "half-made under a real name after KILL: $left"
    kill -KILL "$(<"$scratch/started")"
    # ... and the next run sweeps it away, once the orphan has let go of the lock.
    start_set_up
    [[ $(find "$XDG_CACHE_HOME/cryolite" -maxdepth 1 -name '.partial.*' | wc -l) -eq 1 ]] ||
        fail "the half-made folder of a killed run was not swept"
    kill -TERM "$set_up"
    wait "$set_up" 2>/dev/null || true
}

# What drawing needs is fetched once, is whole or not there, and is fetched anew when its list changes.
packages() {
    skip_without_packages
    installing_python
    local status=0 folder again left
    fetch_packages 1 >/dev/null || status=$?
    [[ $status -eq 1 ]] || fail "a failed download: status $status: $(cat "$scratch/log")"
    grep -q "PyPI's packages for plot cannot be had" "$scratch/log" ||
        fail "does not say what failed: $(cat "$scratch/log")"
    left=$(find "$XDG_CACHE_HOME/cryolite" -mindepth 1 -not -name lock)
    [[ -z $left ]] || fail "left behind by a failed download: $left"

    folder=$(fetch_packages 0) || fail "$(cat "$scratch/log")"
    [[ -f $folder/drawing.py ]] || fail "prints '$folder', which has not what pip put there"
    [[ $folder == "$XDG_CACHE_HOME/cryolite/packages-plot-cp311-"* ]] ||
        fail "is not in the cache under its name and Python's: $folder"
    [[ $folder == *$(sha256sum "$checkout/dev.d/plot.requirements" | cut -c 1-12) ]] ||
        fail "its name does not change with the list of packages: $folder"
    again=$(fetch_packages 1) || fail "the second time: $(cat "$scratch/log")"
    [[ $again == "$folder" ]] || fail "prints $again the second time, not $folder"
    [[ $(wc -l <"$scratch/calls") -eq 2 ]] || fail "called pip again: $(cat "$scratch/calls")"
}

# Two gigabytes are not fetched without a word, and no folder is left of them.
asks_first() {
    skip_without_packages
    unset CI
    expect_error 1 "not without your word; ./dev --yes" --halide-from root setup </dev/null
    [[ ! -e $XDG_CACHE_HOME/cryolite/lock ]] || fail "began to fetch: $(ls -A "$XDG_CACHE_HOME/cryolite")"
}

second_run() {
    skip_without_packages
    # Measured, not asserted: a loaded machine is no defect. A stand-in for a Halide that is there.
    mkdir -p "$scratch/halide/lib/cmake/Halide"
    touch "$scratch/halide/lib/cmake/Halide/HalideConfig.cmake"
    echo 'set(PACKAGE_VERSION "21.0.0")' >"$scratch/halide/lib/cmake/Halide/HalideConfigVersion.cmake"
    local begin end
    mkdir -p "$scratch/bin"
    printf '#!/bin/sh\necho cmake version 3.31.6\n' >"$scratch/bin/cmake"
    chmod +x "$scratch/bin/cmake"
    begin=$(date +%s%N)
    PATH="$scratch/bin:$PATH" "$checkout/dev" --halide "$scratch/halide" setup 2>"$scratch/log" ||
        fail "$(cat "$scratch/log")"
    end=$(date +%s%N)
    grep -q "Halide 21.0.0 from $scratch/halide, as asked" "$scratch/log" ||
        fail "does not say which Halide it took: $(cat "$scratch/log")"
    echo "a set-up with nothing to do took $(((end - begin) / 1000000)) ms (the aim: under 3000)"
}

"$case_name"

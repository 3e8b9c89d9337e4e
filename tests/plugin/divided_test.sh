#!/usr/bin/env bash
# A schedule that divides reductions, from a generator's command line: its trace replays to the same schedule, and what
# is written for users compiles.
# Arguments: GENERATOR PLUGIN SCRATCH COMPILER INCLUDES
set -euo pipefail
generator=$1 plugin=$2 scratch=$3 compiler=$4
IFS=: read -ra include_folders <<<"$5"
includes=()
for folder in "${include_folders[@]}"; do includes+=(-isystem "$folder"); done

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

# run FOLDER OPTION...: schedules hist; what the generator says lands in FOLDER/said.
run() {
    local folder=$1
    shift
    mkdir -p "$folder"
    timeout 120 "$generator" -g hist -o "$folder" -e schedule,featurization -p "$plugin" target=host \
        autoscheduler=Cryolite autoscheduler.parallelism=8 autoscheduler.time_limit=100 "$@" >"$folder/said" 2>&1
}

run out || fail "$(cat out/said)"
[[ ! -s out/said ]] || fail "it should be silent, but said: $(cat out/said)"
grep -q '^divide ' out/hist.featurization || fail "nothing is divided: $(cat out/hist.featurization)"
grep -q '\.rfactor(' out/hist.schedule.h || fail "the schedule does not divide"
"$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -x c++ "${includes[@]}" \
    out/hist.schedule.h -Wno-error=pragmas 2>said_by_compiler || fail "$(head -n 30 said_by_compiler)"
run replayed autoscheduler.mode=replay "autoscheduler.trace_file=$scratch/out/hist.featurization" ||
    fail "$(cat replayed/said)"
cmp out/hist.featurization replayed/hist.featurization
# Its head names the parameters, which differ.
diff <(grep -v autoscheduler_params out/hist.schedule.h) <(grep -v autoscheduler_params replayed/hist.schedule.h)
sed '/^divide /d' out/hist.featurization >whole.trace
! run refused autoscheduler.mode=replay "autoscheduler.trace_file=$scratch/whole.trace" || fail "taken without its divisions"
grep -q 'Cryolite: line ' refused/said || fail "$(cat refused/said)"

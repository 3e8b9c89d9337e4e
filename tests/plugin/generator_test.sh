#!/usr/bin/env bash
# The plugin from a generator's command line, in the words of the README. The case `divided` is for the generator hist, the
# others for blur.
# Arguments: CASE GENERATOR PLUGIN SOURCES SCRATCH COMPILER LIBHALIDE INCLUDES
set -euo pipefail
case_name=$1 generator=$2 plugin=$3 sources=$4 scratch=$5 compiler=$6 library=$7
IFS=: read -ra include_folders <<<"$8"
includes=()
for folder in "${include_folders[@]}"; do includes+=(-isystem "$folder"); done

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

app=$(basename "$generator" .generator)
# run_app FOLDER OPTION...: schedules the app; what the generator says lands in FOLDER/said.
run_app() {
    local folder=$1
    shift
    mkdir -p "$folder"
    timeout 120 "$generator" -g "$app" -o "$folder" \
        -e static_library,c_header,schedule,featurization -p "$plugin" target=host \
        autoscheduler=Cryolite autoscheduler.parallelism=2 "$@" >"$folder/said" 2>&1
}

# must_refuse PATTERN OPTION...: an error of one sentence and no file.
must_refuse() {
    local pattern=$1
    shift
    if run_app refused "$@"; then fail "accepted: $*"; fi
    grep -qE "$pattern" refused/said || fail "not said: $pattern; but: $(cat refused/said)"
    ! grep -qi 'internal error' refused/said || fail "an internal error: $(cat refused/said)"
    [[ ! -e refused/$app.a ]] || fail "a library was written all the same: $*"
}

case $case_name in
    outputs)
        run_app out || fail "$(cat out/said)"
        for file in blur.a blur.h blur.schedule.h blur.featurization; do
            [[ -s out/$file ]] || fail "no $file"
        done
        [[ ! -s out/said ]] || fail "it should be silent, but said: $(cat out/said)"
        [[ $(head -n 1 out/blur.featurization) == "cryolite-trace 1" ]] || fail "no trace"
        run_app again autoscheduler.threads=1 || fail "$(cat again/said)"
        cmp out/blur.featurization again/blur.featurization
        run_app loud autoscheduler.log_level=info || fail "$(cat loud/said)"
        grep -q 'Cryolite: predicted .* ms on' loud/said || fail "log_level=info says too little"
        ;;
    top_k)
        run_app out autoscheduler.mode=top_k autoscheduler.top_k=3 autoscheduler.benchmark_seconds=0.3 ||
            fail "$(cat out/said)"
        for file in blur.a blur.h blur.schedule.h blur.featurization; do
            [[ -s out/$file ]] || fail "no $file"
        done
        [[ ! -s out/said ]] || fail "it should be silent, but said: $(cat out/said)"
        run_app loud autoscheduler.mode=top_k autoscheduler.log_level=info || fail "$(cat loud/said)"
        grep -q 'the schedule that was found: .* ms' loud/said || fail "no time: $(cat loud/said)"
        grep -q 'schedule 5: ' loud/said || fail "too few candidates: $(cat loud/said)"
        ;;
    emitted_schedule)
        run_app out || fail "$(cat out/said)"
        "$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -x c++ "${includes[@]}" \
            out/blur.schedule.h -Wno-error=pragmas 2>said_by_compiler ||
            fail "$(head -n 30 said_by_compiler)"
        "$compiler" -std=c++17 -Wall -Wextra -Werror "${includes[@]}" -I out \
            "$sources/emitted_schedule_user.cpp" -o user "$library" \
            "-Wl,-rpath,$(dirname "$library")" -lpthread -ldl
        timeout 120 ./user || fail "the emitted schedule is wrong"
        status=0
        timeout 120 ./user changed >said || status=$?
        [[ $status -eq 2 ]] || fail "a changed algorithm was accepted ($status): $(cat said)"
        grep -q 'The pipeline has changed since: Func "output" computes something else' said || fail "$(cat said)"
        # The schedule comes first.
        head -n 40 out/blur.schedule.h | grep -q ' output\.\(specialize\|split\)(' ||
            fail "the schedule is not at the head: $(head -n 40 out/blur.schedule.h)"
        # Its loops are called as those of the trace: y.1 is y_1.
        loop=$(sed -n 's/^compute_at rows output\.s0 //p' out/blur.featurization)
        [[ -n $loop ]] || fail "rows is not computed inside of output: $(cat out/blur.featurization)"
        grep -q "\.compute_at(output, ${loop//./_})" out/blur.schedule.h ||
            fail "rows is not computed at ${loop//./_}: $(cat out/blur.schedule.h)"
        ;;
    replay)
        run_app out autoscheduler.beam_size=4 || fail "$(cat out/said)"
        run_app replayed autoscheduler.mode=replay \
            "autoscheduler.trace_file=$scratch/out/blur.featurization" || fail "$(cat replayed/said)"
        cmp out/blur.featurization replayed/blur.featurization
        # Its head names the parameters, which differ.
        diff <(grep -v autoscheduler_params out/blur.schedule.h) \
            <(grep -v autoscheduler_params replayed/blur.schedule.h)
        sed 's/^algorithm .*/algorithm 0123456789abcdef/' out/blur.featurization >other.trace
        must_refuse 'another algorithm' autoscheduler.mode=replay \
            "autoscheduler.trace_file=$scratch/other.trace"
        sed 's/^compute_root output/compute_root outputs/' out/blur.featurization >misspelt.trace
        must_refuse "line 3: the pipeline has no Func of that name: 'outputs'" \
            autoscheduler.mode=replay "autoscheduler.trace_file=$scratch/misspelt.trace"
        ;;
    errors)
        must_refuse "Cryolite: unknown option 'beam_sizes'.*'beam_size'" autoscheduler.beam_sizes=8
        must_refuse "option 'beam_size' is 'many'; it must be" autoscheduler.beam_size=many
        must_refuse "unknown machine 'pdp11'" autoscheduler.machine=pdp11
        printf '{"cryolite_machine": 1, "preset": "x86-avx2", "hertz": 0}' >machine.json
        must_refuse "machine.json.*'hertz' is 0" "autoscheduler.machine=$scratch/machine.json"
        must_refuse "no machine model for target 'riscv" target=riscv-64-linux
        must_refuse 'strategy=autogpu schedules for GPUs' autoscheduler.strategy=autogpu
        ;;
    # Reductions in parts: the trace replays to the same schedule, and what is written for users compiles. A short
    # search that the time limit cuts divides nothing.
    divided)
        run_app out autoscheduler.time_limit=100 || fail "$(cat out/said)"
        grep -q '^divide ' out/hist.featurization || fail "nothing is divided: $(cat out/hist.featurization)"
        grep -q '\.rfactor(' out/hist.schedule.h || fail "the schedule does not divide"
        "$compiler" -std=c++17 -fsyntax-only -Wall -Wextra -Werror -x c++ "${includes[@]}" \
            out/hist.schedule.h -Wno-error=pragmas 2>said_by_compiler ||
            fail "$(head -n 30 said_by_compiler)"
        run_app replayed autoscheduler.mode=replay \
            "autoscheduler.trace_file=$scratch/out/hist.featurization" || fail "$(cat replayed/said)"
        cmp out/hist.featurization replayed/hist.featurization
        # Its head names the parameters, which differ.
        diff <(grep -v autoscheduler_params out/hist.schedule.h) \
            <(grep -v autoscheduler_params replayed/hist.schedule.h)
        sed '/^divide /d' out/hist.featurization >whole.trace
        must_refuse 'Cryolite: line ' autoscheduler.mode=replay "autoscheduler.trace_file=$scratch/whole.trace"
        ;;
    *) fail "no such case: $case_name" ;;
esac

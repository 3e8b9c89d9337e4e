#!/usr/bin/env bash
# `cryolite explain` from the command line. Arguments: CASE CRYOLITE PLUGIN BLUR HARRIS SCRATCH
set -euo pipefail
case_name=$1 cryolite=$2 plugin=$3 blur=$4 harris=$5 scratch=$6

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/tmp"
cd "$scratch"
export TMPDIR=$scratch/tmp

# explain ARGUMENT...: succeeds, silent on standard error; what it prints lands in out.
explain() {
    "$cryolite" explain "$@" >out 2>err || fail "$*: $(cat err)"
    [[ ! -s err ]] || fail "$* complains: $(cat err)"
    left_nothing
}

left_nothing() { [[ -z $(ls -A tmp) ]] || fail "something lies in the temporary folder: $(ls tmp)"; }

# The pipelines with a search that is quick and the same everywhere.
quick=(--plugin "$plugin" --machine x86-avx2 --target x86-64-linux-avx2-fma-f16c-sse41-avx
    autoscheduler.parallelism=4 autoscheduler.beam_size=4 autoscheduler.tilings=8
    autoscheduler.time_limit=1000)
explain_blur() { explain "$blur" -g blur "${quick[@]}" "$@"; }

says() { grep -qE -- "$1" out || fail "not said: $1; but: $(cat out)"; }

# ends_with STATUS PATTERN ARGUMENT...: fails with the pattern on standard error and nothing else.
ends_with() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$cryolite" explain "$@" >out 2>err || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status, not $wanted: $(cat err)"
    [[ ! -s out ]] || fail "$* was refused and printed: $(cat out)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
    ! grep -qi 'internal error' err || fail "an internal error: $(cat err)"
    left_nothing
}
# It cannot be done, or the command line is wrong.
refuses() { ends_with 1 "$@"; }
misunderstands() { ends_with 2 "$@"; }

case $case_name in
    search)
        explain_blur --json blur.json
        says '^blur \(algorithm [0-9a-f]{16}\) for x86-64-linux'
        says '^machine x86-avx2, preset x86-avx2$'
        says '^predicted [0-9.]+ .s a run at the estimates, not measured; '
        says '^compute output '
        says '^stage +bound by +total +%'
        says '^all  .* 100\.0 .*\*'
        # What is stored shows the same.
        cp out first
        explain blur.json
        cmp first out
        explain_blur --json -
        cmp out blur.json
        explain_blur --stage output --features
        says '^output\.s0: 1 productions'
        says '^points_computed +[0-9]'
        says '^hertz +[0-9.e+]+ +cycles/s  '
        explain "$harris" -g harris "${quick[@]}"
        says '^harris \(algorithm'
        ;;
    trace)
        # A trace from the search replays as what was chosen; so does the JSON that holds it.
        "$blur" -g blur -o . -e featurization -p "$plugin" target=x86-64-linux-avx2-fma-f16c-sse41-avx \
            autoscheduler=Cryolite autoscheduler.machine=x86-avx2 autoscheduler.parallelism=4 \
            autoscheduler.beam_size=4 autoscheduler.tilings=8
        explain_blur --json chosen.json
        for trace in blur.featurization chosen.json; do
            explain_blur --trace "$trace" --json replayed.json
            cmp chosen.json replayed.json
        done
        explain_blur autoscheduler.mode=plain --json plain.json
        says '^compute '
        ;;
    compare)
        explain_blur --json chosen.json
        explain_blur autoscheduler.mode=plain --json plain.json
        explain chosen.json chosen.json
        says '^The schedules are the same\.$'
        says '^all +([0-9.]+) +\1 +\+0\.000 +0 %'
        explain chosen.json plain.json
        says '^loops of chosen\.json +loops of plain\.json$'
        says '^stage +chosen\.json +plain\.json +difference'
        says '^features of output\.s0 \(6 of [0-9]+ that differ\)'
        cp out stored
        explain_blur --trace chosen.json --compare plain.json
        cmp out stored
        misunderstands 'one by one' chosen.json plain.json --json both.json
        misunderstands 'one by one' "$blur" -g blur "${quick[@]}" --compare plain.json --json both.json
        explain "$harris" -g harris "${quick[@]}" autoscheduler.mode=plain --json harris.json
        refuses 'different algorithms' plain.json harris.json
        refuses 'another algorithm' "$blur" -g blur "${quick[@]}" --trace harris.json
        ;;
    as_scheduled)
        explain_blur --as-scheduled
        says '^by hand: blur \('
        says '^chosen: blur \('
        says '^Not as in the schedule by hand:$'
        says '^  output\.s0: tails of splits: y by 32 GuardWithIf'
        says '^stage +by hand +chosen +difference'
        explain_blur --as-scheduled --json hand.json
        says '^predicted'
        # The trace is of the pipeline: it replays.
        explain_blur --trace hand.json
        says 'sliding along y by 1'
        explain_blur --as-scheduled autoscheduler.mode=plain schedule=root
        says '^Not as in the schedule by hand:$|^The schedule by hand is expressed as a whole\.$'
        misunderstands '--as-scheduled compares' "$blur" -g blur "${quick[@]}" --as-scheduled --compare hand.json
        misunderstands '--as-scheduled is for a generator' hand.json --as-scheduled
        refuses 'has a space' "$blur" -g blur "${quick[@]}" --as-scheduled 'schedule=a b'
        ;;
    errors)
        refuses "no generator 'none'" none -g blur --plugin "$plugin"
        echo text >text
        refuses "'text' is no program" text -g blur --plugin "$plugin"
        refuses "no plugin 'none.so'" "$blur" -g blur --plugin none.so
        misunderstands 'is no stored explanation.*-g NAME' "$blur"
        for option in --trace --compare --plugin --target --machine; do
            misunderstands "^cryolite: $option is for a generator, which needs -g NAME" blur.json $option t
        done
        misunderstands '^cryolite explain --help lists' blur.json --as-scheduled
        misunderstands 'inputs is required'
        misunderstands 'say the target with --target' "$blur" -g blur --plugin "$plugin" --target host target=host
        refuses "no file 'blur.json'" blur.json
        misunderstands "is no parameter of a generator" "$blur" -g blur "${quick[@]}" parameter
        refuses "failed \(exit status" "$blur" -g blurs "${quick[@]}"
        refuses "unknown option 'beam_sizes'" "$blur" -g blur "${quick[@]}" autoscheduler.beam_sizes=8
        refuses "unknown machine 'pdp11'" "$blur" -g blur --plugin "$plugin" --machine pdp11
        refuses "no file 'none.trace'" "$blur" -g blur "${quick[@]}" --trace none.trace
        printf 'cryolite-trace 1\nalgorithm 0123456789abcdef\ninline x\n' >bad.trace
        refuses "another algorithm" "$blur" -g blur "${quick[@]}" --trace bad.trace
        echo nonsense >bad.trace
        refuses "line 1" "$blur" -g blur "${quick[@]}" --trace bad.trace
        echo '{"status": "failed"}' >sample.json
        refuses "holds no trace" "$blur" -g blur "${quick[@]}" --trace sample.json
        refuses "explains no schedule" sample.json
        explain_blur autoscheduler.mode=plain --json blur.json
        head -c 1000 blur.json >cut.json
        refuses "cut.json.*cannot be understood" cut.json
        sed 's/"cryolite_explanation": 6/"cryolite_explanation": 7/' blur.json >newer.json
        refuses 'has version 7 of the format.*reads version 6' newer.json
        sed 's/^ "algorithm"/ "algorythm"/' blur.json >misspelt.json
        refuses "lacks key 'algorithm'" misspelt.json
        sed 's/^ "algorithm"/ "verdict": 1, "algorithm"/' blur.json >more.json
        refuses "unknown key 'verdict'" more.json
        refuses "no stage 'nothing'; the stages are: output.s0" blur.json --stage nothing
        misunderstands "not 3" blur.json blur.json blur.json
        refuses "cannot write" blur.json --json no/such/folder.json
        printf '#!/bin/sh\necho nothing to do\n' >fake
        chmod +x fake
        refuses 'without asking Cryolite.*nothing to do' ./fake -g blur --plugin "$plugin"
        printf '#!/bin/sh\nkill -ABRT $$\n' >fake
        refuses 'failed \(signal 6' ./fake -g blur --plugin "$plugin"
        ;;
    *) fail "no such case: $case_name" ;;
esac

#!/usr/bin/env bash
# `cryolite train` from the command line: sample or tune, train, and use the weights.
# Arguments: CASE CRYOLITE PLUGIN RANDOM_PIPELINE BLUR SCRATCH
set -euo pipefail
case_name=$1 cryolite=$2 plugin=$3 generator=$4 blur=$5 scratch=$6

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/tmp"
cd "$scratch"
export TMPDIR=$scratch/tmp

says() { grep -qE -- "$1" "$2" || fail "not said: $1; but: $(cat "$2")"; }
ends_with() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$cryolite" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status, not $wanted: $(cat err)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
}
train() { "$cryolite" train --plugin "$plugin" --generators "$generator,$blur" --epochs 3 "$@"; }

case $case_name in
    train)
        for seed in 4 5; do
            "$cryolite" sample --pipelines "$generator" --plugin "$plugin" --schedules-each 5 --seconds 0.05 \
                -o sampled.sqlite --quiet shrink=8 seed=$seed 2>err || fail "$(cat err)"
        done
        "$cryolite" tune "$blur" -g blur -o tuned --plugin "$plugin" --budget 6 --seconds 0.05 --final-seconds 0.5 \
            --quiet autoscheduler.beam_size=4 autoscheduler.tilings=8 autoscheduler.num_passes=2 2>err ||
            fail "$(cat err)"
        train --store sampled.sqlite --store tuned/tune.sqlite --hold-out blur --date today --report report \
            -o w.safetensors >out 2>err || fail "$(cat err)"
        [[ ! -s err ]] || fail "it warns: $(cat err)"
        says 'learned from [0-9]+ schedules of 2 pipelines' out
        for part in '^epoch +member 1' '^held out +network +1' '^random_pipeline:shrink=8:seed=4' \
            '^dominating term' 'measured, ms'; do
            says "$part" report
        done
        says 'written: w.safetensors' out
        # The same samples give the same weights.
        train --store sampled.sqlite --store tuned/tune.sqlite --hold-out blur --date today -o again.safetensors \
            --quiet >out 2>err || fail "$(cat err)"
        [[ ! -s out && ! -s err ]] || fail "--quiet says: $(cat out err)"
        cmp w.safetensors again.safetensors || fail "the weights differ"
        # A search takes them.
        "$blur" -g blur -o . -e schedule -p "$plugin" target=host autoscheduler=Cryolite \
            autoscheduler.weights=w.safetensors autoscheduler.explain=explained.json || fail "the weights are refused"
        [[ -s explained.json ]] || fail "no explanation"
        # A tuner trains them further, and leaves what it has learned for one shot.
        "$cryolite" tune "$blur" -g blur -o tuned --plugin "$plugin" --budget 40 --batch 20 --seconds 0.03 \
            --final-seconds 0.2 --weights w.safetensors autoscheduler.beam_size=4 autoscheduler.tilings=8 \
            autoscheduler.num_passes=2 >out 2>err || fail "$(cat err)"
        says 'weights.safetensors' out
        grep -q 'warning' err && fail "it warns: $(cat err)"
        grep -q '"network"' tuned/weights.json && fail "weights.json holds the network, too"
        # Weights that rank the quarter held back worse are not taken, which noise decides here: both are right, and the
        # file says which it is (that something is learned is a test of train/).
        if grep -qa tuned_spearman tuned/weights.safetensors; then
            cmp -s w.safetensors tuned/weights.safetensors && fail "it says that it learned, and did not"
        else
            cmp w.safetensors tuned/weights.safetensors || fail "it learned, and does not say so"
        fi
        "$blur" -g blur -o . -e schedule -p "$plugin" target=host autoscheduler=Cryolite \
            autoscheduler.weights=tuned/weights.safetensors || fail "the tuned weights are refused"
        ends_with 1 'weights.json. holds no network' tune "$blur" -g blur -o tuned --plugin "$plugin" \
            --weights tuned/weights.json
        [[ -z $(ls -A tmp) ]] || fail "something lies in the temporary folder: $(ls tmp)"
        ;;
    errors)
        ends_with 2 '--store is required' train -o w.safetensors
        ends_with 2 '-o is required' train --store none.sqlite
        ends_with 2 'members' train --store none.sqlite -o w.safetensors --members=0
        ends_with 1 "there is no store" train --store none.sqlite -o w.safetensors
        echo 'my thesis' >text.sqlite
        ends_with 1 "text.sqlite'" train --store text.sqlite -o w.safetensors
        "$cryolite" sample --pipelines "$generator" --plugin "$plugin" --schedules-each 3 --seconds 0.05 \
            -o s.sqlite --quiet shrink=8 seed=4 2>err || fail "$(cat err)"
        run=(train --plugin "$plugin" --store s.sqlite -o w.safetensors --epochs 1)
        ends_with 1 "no samples are of 'harris'" "${run[@]}" --generators "$generator" --hold-out harris
        ends_with 1 'all samples are held out' "${run[@]}" --generators "$generator" --hold-out random_pipeline
        ends_with 1 'there is no plugin' train --plugin missing.so --store s.sqlite -o w.safetensors \
            --generators "$generator"
        # A generator that is gone.
        cp "$cryolite" alone
        status=0
        ./alone train --plugin "$plugin" --store s.sqlite -o w.safetensors >out 2>err || status=$?
        [[ $status -eq 1 ]] || fail "status $status: $(cat err)"
        says "no generator 'random_pipeline'; name its path with --generators" err
        says 'there are no samples to learn from' err
        [[ ! -e w.safetensors ]] || fail "a file was written"
        ;;
    *) fail "no case $case_name" ;;
esac

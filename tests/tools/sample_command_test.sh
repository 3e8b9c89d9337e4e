#!/usr/bin/env bash
# `cryolite sample` from the command line. Arguments: CASE CRYOLITE PLUGIN RANDOM_PIPELINE SCRATCH
set -euo pipefail
case_name=$1 cryolite=$2 plugin=$3 generator=$4 scratch=$5

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch/tmp"
cd "$scratch"
export TMPDIR=$scratch/tmp

says() { grep -qE -- "$1" "$2" || fail "not said: $1; but: $(cat "$2")"; }
# Two small pipelines that a seed draws, with four schedules of each.
sample() {
    "$cryolite" sample --pipelines "$generator" --plugin "$plugin" --schedules-each 4 --seconds 0.05 -o s.sqlite \
        shrink=8 "$@"
}
samples() { "$cryolite" store export s.sqlite | grep -c '^{"sample"' || true; }
nothing_runs() {
    sleep 0.3
    ! pgrep -f "$scratch/s.sqlite.work" >/dev/null || fail "something is left: $(pgrep -af "$scratch")"
}
ends_with() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$cryolite" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status, not $wanted: $(cat err)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
}

case $case_name in
    sample)
        for seed in 4 5; do
            sample seed=$seed >out 2>err || fail "$(cat err)"
            says 'samples' out
        done
        [[ $(samples) -ge 6 ]] || fail "only $(samples) samples"
        "$cryolite" store check s.sqlite >out || fail "$(cat out)"
        [[ ! -e s.sqlite.work ]] || fail "the folder for work is left"
        # All is there, and it says so without a measurement.
        before=$(samples)
        sample seed=5 >out 2>err || fail "$(cat err)"
        says 'going on' err
        says 'all is there' out
        [[ $(samples) -eq $before ]] || fail "it measured again"
        # The same seed draws the same pipeline.
        for folder in a b; do
            "$generator" -g random_pipeline -f f -n f -o . -e stmt target=host seed=5 shrink=8
            mv f.stmt $folder.stmt
        done
        cmp a.stmt b.stmt || fail "the seed draws another pipeline"
        sample seed=6 --budget 2 --json >out 2>err || fail "$(cat err)"
        python3 -c 'import json
events = [json.loads(line) for line in open("out")]
assert {"progress", "sample"} <= {e["event"] for e in events}, events
assert any(e.get("pipeline") == "random_pipeline:shrink=8:seed=6" for e in events), events' || fail "$(cat out)"
        sample seed=7 --quiet >out 2>err || fail "$(cat err)"
        [[ ! -s out && ! -s err ]] || fail "--quiet says: $(cat out err)"
        nothing_runs
        ;;
    interrupt)
        # A kill loses what is in flight and nothing else; the next run goes on.
        for _ in 1 2 3; do
            before=$(samples 2>/dev/null || echo 0)
            (exec "$cryolite" sample --pipelines "$generator" --plugin "$plugin" --schedules-each 12 \
                --seconds 0.05 -o s.sqlite shrink=4 seed=8 >out 2>err) &
            running=$!
            sleep 2
            kill -KILL $running 2>/dev/null || true
            wait $running 2>/dev/null || true
            nothing_runs
            [[ $(samples) -ge $before ]] || fail "samples are lost"
            [[ ! -e s.sqlite ]] || "$cryolite" store check s.sqlite >out || fail "$(cat out)"
        done
        # Ctrl-C ends it soon.
        (exec "$cryolite" sample --pipelines "$generator" --plugin "$plugin" --schedules-each 12 \
            --seconds 0.05 -o s.sqlite shrink=4 seed=8 >out 2>err) &
        running=$!
        sleep 1
        kill -INT $running 2>/dev/null || true
        wait $running || true
        nothing_runs
        sample seed=8 --budget 1h >out 2>err || fail "$(cat err)"
        "$cryolite" store check s.sqlite >out || fail "$(cat out)"
        ;;
    errors)
        run=(sample --pipelines "$generator" --plugin "$plugin")
        ends_with 2 'no budget' "${run[@]}" -o none.sqlite --budget soon
        ends_with 2 '-o is required' "${run[@]}"
        ends_with 2 'no parameter' "${run[@]}" -o none.sqlite stray
        ends_with 2 'parameters are for' sample -o none.sqlite seed=3
        ends_with 2 '--json excludes --quiet|--quiet excludes --json' "${run[@]}" -o none.sqlite --json --quiet
        for option in --random=0 --from=-1 --schedules-each=1 --seed=-1 --jobs=-1 --seconds=0 --memory-mb=0; do
            ends_with 2 "${option%%=*}" "${run[@]}" -o none.sqlite "$option"
        done
        ends_with 1 "there is no generator 'missing'" sample --pipelines missing -o none.sqlite
        ends_with 1 'there is no plugin' sample --pipelines "$generator" --plugin missing.so -o none.sqlite
        [[ ! -e none.sqlite ]] || fail "a store was made"
        echo 'my thesis' >text.sqlite
        ends_with 1 "text.sqlite'" "${run[@]}" -o text.sqlite
        [[ $(cat text.sqlite) == 'my thesis' ]] || fail "it was written over"
        ;;
    *) fail "no case $case_name" ;;
esac

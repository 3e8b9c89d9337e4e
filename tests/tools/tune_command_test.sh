#!/usr/bin/env bash
# `cryolite tune`, `store`, `replay` and `pack` from the command line. Arguments: CASE CRYOLITE PLUGIN BLUR HARRIS SCRATCH
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

# With a search that is quick. Times do not matter here.
quick=(--plugin "$plugin" --seconds 0.05 --final-seconds 0.5 autoscheduler.beam_size=4
    autoscheduler.tilings=8 autoscheduler.num_passes=2)
tune_blur() { "$cryolite" tune "$blur" -g blur -o tuned "${quick[@]}" "$@"; }
# In the background; signals reach the program itself.
start_tuning() {
    (exec "$cryolite" tune "$blur" -g blur -o tuned "${quick[@]}" --budget 1h >out 2>err) &
    tuner=$!
}

says() { grep -qE -- "$1" "$2" || fail "not said: $1; but: $(cat "$2")"; }

# ends_with STATUS PATTERN ARGUMENT...: fails with the pattern on standard error.
ends_with() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$cryolite" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status, not $wanted: $(cat err)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
    ! grep -qi 'internal error' err || fail "an internal error: $(cat err)"
}
# It cannot be done, or the command line is wrong.
refuses() { ends_with 1 "$@"; }
misunderstands() {
    ends_with 2 "$@"
    [[ ! -s out ]] || fail "$* was refused and printed: $(cat out)"
}

schedules() { "$cryolite" store show tuned/tune.sqlite --json | grep -c '"trace"'; }
nothing_runs() {
    sleep 0.3
    ! pgrep -f "$scratch/tuned/work" >/dev/null || fail "something is left: $(pgrep -af "$scratch")"
}

case $case_name in
    tune)
        # With the generator's own schedule, and again: it goes on.
        tune_blur --budget 10 --by-hand >out 2>err || fail "$(cat err)"
        says 'best: ' out
        says 'by hand +[0-9.]+ ms' out
        says 'plain' out
        says 'round 0, .* tried' err
        "$cryolite" store show tuned/tune.sqlite --top 99 >shown
        says ' given( |$)' shown # the own schedule as a trace
        ! grep -q 'warning' err || fail "$(cat err)"
        for file in best.schedule.h best.trace machine.json weights.json result.json tune.sqlite report.html \
            best.explain.json one_shot.explain.json; do
            [[ -s tuned/$file ]] || fail "there is no $file"
        done
        [[ ! -e tuned/work ]] || fail "the folder for work is left"
        before=$(schedules)
        [[ $before -ge 10 ]] || fail "only $before schedules"
        # The report is of this store, with both explanations, and is made again to the byte.
        "$cryolite" report tuned -o again.html >out 2>err || fail "$(cat err)"
        [[ ! -s out && ! -s err ]] || fail "report says: $(cat out err)"
        cmp tuned/report.html again.html || fail "the reports differ"
        [[ $(grep -o '"bound_by"' again.html | wc -l) -ge 2 ]] || fail "a schedule is not explained"
        "$cryolite" explain tuned/best.explain.json tuned/one_shot.explain.json >out || fail "no explanation"
        tune_blur --budget 6 --quiet >out 2>err || fail "$(cat err)"
        [[ ! -s out && ! -s err ]] || fail "--quiet says: $(cat out err)"
        [[ $(schedules) -ge $((before + 6)) ]] || fail "it did not go on: $(schedules)"
        "$cryolite" store check tuned/tune.sqlite >out || fail "$(cat out)"
        # The result is used as any recorded schedule is.
        "$cryolite" replay "$blur" -g blur --plugin "$plugin" --trace tuned/best.trace -o replayed ||
            fail "no replay"
        [[ -s replayed/blur.a && -s replayed/blur.h && -s replayed/blur.schedule.h ]] ||
            fail "replay made $(ls replayed)"
        refuses 'algorithm' replay "$harris" -g harris --plugin "$plugin" --trace tuned/best.trace \
            -o replayed
        # Weights are taken by a search, and the events of --json are JSON.
        "$blur" -g blur -o replayed -e schedule -p "$plugin" target=host autoscheduler=Cryolite \
            autoscheduler.weights=tuned/weights.json || fail "the weights are refused"
        # A report that cannot be written loses nothing else.
        rm tuned/report.html
        mkdir tuned/report.html
        tune_blur --budget 1 --json --from tuned/best.trace >out 2>err || fail "$(cat err)"
        says 'warning: there is no report: .*report.html' err
        [[ -s tuned/result.json ]] || fail "the result is lost"
        python3 -c 'import json, sys
events = [json.loads(line)["event"] for line in open("out")]
assert "progress" in events, events' || fail "no JSON: $(head out)"
        nothing_runs
        ;;
    interrupt)
        # Ctrl-C keeps the best; the next run goes on.
        start_tuning
        for ((i = 0; i < 600; i++)); do
            grep -q 'tried, best' err && break
            sleep 0.1
        done
        kill -INT $tuner
        wait $tuner || fail "it ended with $?: $(cat err)"
        says 'ended by: stopped' out
        [[ -s tuned/best.schedule.h ]] || fail "the best was not kept"
        nothing_runs
        # A kill loses no sample, and leaves nothing running.
        for _ in 1 2 3; do
            before=$(schedules)
            start_tuning
            sleep 4
            kill -KILL $tuner
            wait $tuner 2>/dev/null || true
            nothing_runs
            [[ $(schedules) -ge $before ]] || fail "samples are lost"
        done
        "$cryolite" store check tuned/tune.sqlite >out || fail "$(cat out)"
        ;;
    far)
        # Measured by a command that takes a pack on standard input, as ssh would.
        tune_blur --budget 4 --runner "sh -c {}" >out 2>err || fail "$(cat err)"
        says 'best: ' out
        # A stand-in for ssh: its words become one line for a shell in another folder, with another environment. The
        # other computer has no Halide, no compiler, and nothing of ours.
        mkdir -p bin box/tmp
        cat >bin/ssh <<END
#!/bin/sh
[ "\$1" = -p ] && shift 2
[ "\$1" = box ] || { echo "ssh: Could not resolve hostname \$1" >&2; exit 255; }
shift
echo "\$*" >>"$scratch/asked"
cd "$scratch/box" && exec env -i PATH=/usr/bin:/bin HOME="$scratch/box" TMPDIR="$scratch/box/tmp" sh -c "\$*"
END
        chmod +x bin/ssh
        PATH=$scratch/bin:$PATH tune_blur --budget 6 --runner "ssh -p 2222 box {}" >out 2>err || fail "$(cat err)"
        says 'best: ' out
        [[ $(wc -l <asked) -ge 2 ]] || fail "nothing was measured over there: $(cat asked)"
        [[ -z $(ls -A box/tmp) ]] || fail "something lies on the other computer: $(find box/tmp)"
        # It is out of reach: said in ssh's own words, and what was measured before is kept.
        before=$(schedules)
        PATH=$scratch/bin:$PATH refuses "Could not resolve hostname board" tune "$blur" -g blur -o other \
            "${quick[@]}" --budget 2 --runner "ssh board {}"
        if PATH=$scratch/bin:$PATH tune_blur --budget 20 --batch 20 --runner "ssh board {}" >out 2>err; then
            fail "a run without a computer ends well"
        fi
        says 'Could not resolve hostname board' err
        [[ $(schedules) -eq $before && -s tuned/best.trace ]] || fail "what was measured before is lost"
        "$cryolite" pack "$blur" -g blur --plugin "$plugin" --trace tuned/best.trace --by-hand \
            --seconds 0.3 -o pack "${quick[@]:6}" >out 2>err || fail "$(cat err)"
        cp -r pack pack2
        mv pack moved
        env -i PATH=/usr/bin:/bin moved/run >out 2>err || fail "the pack does not run: $(cat err)"
        [[ $(grep -o '"status": *"timed"' moved/results.json | wc -l) -eq 3 ]] ||
            fail "not all were timed: $(cat moved/results.json)"
        # Its results go into a tuner's store, once, and into a new one, which a tuner then goes on with.
        refuses 'run its script' store import tuned/tune.sqlite pack2
        before=$(schedules)
        "$cryolite" store import tuned/tune.sqlite moved >out || fail "not imported"
        says '^3 samples .* 0 samples were there' out
        "$cryolite" store ls tuned/tune.sqlite --json | grep -c '"problem"' | grep -qx 1 || fail "another problem"
        "$cryolite" store import tuned/tune.sqlite moved >out
        says '^0 samples .* 3 samples were there' out
        [[ $(schedules) -eq $((before + 1)) ]] || fail "$(schedules) schedules after $before and one by hand"
        "$cryolite" store import new.sqlite moved >out || fail "not imported"
        tune_blur --store new.sqlite --budget 3 >out 2>err || fail "$(cat err)"
        says 'best: ' out
        "$cryolite" store check new.sqlite >out || fail "$(cat out)"
        [[ -z $(ls -A tmp) ]] || fail "something lies in the temporary folder: $(ls tmp)"
        nothing_runs
        ;;
    store)
        tune_blur --budget 4 >out 2>err || fail "$(cat err)"
        "$cryolite" store ls tuned/tune.sqlite >out
        says ' 1  blur ' out
        "$cryolite" store show tuned/tune.sqlite --trace 1 >out
        says '^cryolite-trace' out
        "$cryolite" store export tuned/tune.sqlite -o lines
        "$cryolite" store import copy.sqlite lines >out
        says '[0-9]+ samples and 1 rounds of 1 problems; 0 samples were there' out
        "$cryolite" store export copy.sqlite | cmp - lines || fail "the copy differs"
        "$cryolite" store merge copy.sqlite tuned/tune.sqlite >out
        says ' 0 samples and 0 rounds' out
        "$cryolite" store check copy.sqlite >out
        says 'is whole' out
        # Other inputs, sizes and parameters are another problem.
        tune_blur --budget 2 --range input=0:3 >out 2>err || fail "$(cat err)"
        "$cryolite" store ls tuned/tune.sqlite >out
        says ' 2  blur ' out
        # A report is of the problem that was measured last, and says so; the folder's result says which it is of.
        "$cryolite" report tuned -o two.html 2>err || fail "$(cat err)"
        says 'several problems: 1 \(blur .*, 2 \(blur .* The report is of problem 2' err
        "$cryolite" report tuned/tune.sqlite --problem 1 -o one.html 2>err || fail "$(cat err)"
        [[ ! -s err ]] || fail "report says: $(cat err)"
        refuses 'no problem 7 with samples' report tuned --problem 7 -o one.html
        refuses 'is the store itself' report tuned -o tuned/tune.sqlite
        refuses 'no problem 7' store show copy.sqlite 7
        refuses 'there is no store' store ls missing.sqlite
        echo nonsense >text
        refuses 'no store' store ls text
        [[ $(cat text) == nonsense ]] || fail "the text was changed"
        refuses 'line 1' store import copy.sqlite text
        ;;
    errors)
        refuses "there is no 'missing'" report missing
        refuses 'no folder of' report tmp
        refuses "there is no generator" tune missing -g blur -o tuned
        misunderstands 'no budget' tune "$blur" -g blur -o tuned --plugin "$plugin" --budget soon
        misunderstands 'no parameter' tune "$blur" -g blur -o tuned --plugin "$plugin" stray
        refuses 'there is no plugin' tune "$blur" -g blur -o tuned --plugin missing.so
        refuses 'blurr' tune "$blur" -g blurr -o tuned --plugin "$plugin"
        misunderstands 'needs one word \{\}' tune "$blur" -g blur -o tuned --plugin "$plugin" --runner 'ssh box'
        refuses 'no file' tune "$blur" -g blur -o tuned --plugin "$plugin" --input input=missing.npy
        misunderstands '--target' tune "$blur" -g blur -o tuned --plugin "$plugin" target=host
        misunderstands '--json excludes --quiet|--quiet excludes --json' tune "$blur" -g blur -o tuned --json --quiet
        misunderstands '--runner is for --launcher local' tune "$blur" -g blur -o tuned --launcher slurm \
            --runner 'ssh box {}'
        for option in --nodes=1 --sbatch=--partition=bench; do
            misunderstands 'are for --launcher slurm' tune "$blur" -g blur -o tuned $option
        done
        for option in --jobs=-1 --patience=-1 --compile-seconds=0 --memory-mb=0 --batch=0 --seconds=0 \
            --final-seconds=-1 --seed=-1 --launcher=cloud; do
            misunderstands "^cryolite: ${option%%=*}: .{1,60}$" tune "$blur" -g blur -o tuned "$option"
        done
        # The same of what is packed; and nothing is made before the command line is understood.
        for command in tune pack; do
            for wrong in --range=input=3 --range=input=3:2 --input=input= --scalar=n=x --shape=output=0x3; do
                misunderstands "${wrong%%=*} takes NAME=" $command "$blur" -g blur -o none "$wrong"
            done
            misunderstands 'no parameter' $command "$blur" -g blur -o none stray
            misunderstands 'say the target with --target' $command "$blur" -g blur -o none target=host
            misunderstands '-g is required' $command "$blur" -o none
            refuses 'no file' $command "$blur" -g blur -o none --input input=missing.npy
        done
        misunderstands '--threads' pack "$blur" -g blur -o none --threads=-1
        misunderstands '--seconds' pack "$blur" -g blur -o none --seconds=0
        [[ ! -e none ]] || fail "a folder was made: $(ls none)"
        misunderstands 'no parameter' replay "$blur" -g blur --trace best.trace stray
        misunderstands 'say the target with --target' replay "$blur" -g blur --trace t --target host target=host
        misunderstands '--trace is required' replay "$blur" -g blur
        misunderstands '--problem' report tuned --problem 0
        misunderstands '--trace' store show tune.sqlite --trace first
        misunderstands '--trace' store show tune.sqlite --trace 0
        misunderstands 'excludes' store show tune.sqlite --trace 1 --json
        misunderstands 'excludes' store show tune.sqlite --trace 1 --top 3
        misunderstands 'excludes' store show tune.sqlite --top 3 --json
        misunderstands 'problem' store show tune.sqlite 0
        misunderstands 'files is required' store import tune.sqlite
        misunderstands 'subcommand is required' store
        # A store that is damaged, of a later version or none at all: nothing is written over.
        tune_blur --budget 2 >out 2>err || fail "$(cat err)"
        cp tuned/tune.sqlite whole.sqlite
        head -c 6000 whole.sqlite >cut.sqlite
        cp whole.sqlite later.sqlite
        printf '\0\0\0\143' | dd of=later.sqlite bs=1 seek=60 conv=notrunc 2>/dev/null # its user_version: 99
        echo 'my thesis' >text.sqlite
        for store in cut later text; do
            cp $store.sqlite before
            refuses "$store.sqlite'" tune "$blur" -g blur -o other "${quick[@]}" --budget 2 --store $store.sqlite
            cmp before $store.sqlite || fail "$store.sqlite was changed"
        done
        refuses 'version 99' tune "$blur" -g blur -o other "${quick[@]}" --budget 2 --store later.sqlite
        refuses "'shapes.nothing' is no argument" tune "$blur" -g blur -o tuned --plugin "$plugin" \
            --shape nothing=3x3 --budget 3
        ;;
    *) fail "no case $case_name" ;;
esac

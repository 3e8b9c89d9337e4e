#!/usr/bin/env bash
# `cryolite tune --launcher slurm` on a real cluster of two nodes that this test starts. Arguments: CRYOLITE PLUGIN BLUR
# SCRATCH. Ends with 77, which ctest reports as skipped, where there is no Slurm.
set -euo pipefail
cryolite=$1 plugin=$2 blur=$3 scratch=$4
source "$(dirname "$0")/slurm_cluster.sh"

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
cluster_is_possible || exit 77
trap 'stop_cluster' EXIT
start_cluster

tune=("$cryolite" tune "$blur" -g blur -o tuned --plugin "$plugin" --seconds 0.05 --final-seconds 0.5
    --launcher slurm --nodes 2 --sbatch=--partition=all
    autoscheduler.beam_size=4 autoscheduler.tilings=8 autoscheduler.num_passes=2)
says() { grep -qE -- "$1" "$2" || fail "not said: $1; but: $(cat "$2")"; }
schedules() { "$cryolite" store show tuned/tune.sqlite --json | grep -c '"trace"'; }
statuses() { "$cryolite" store show tuned/tune.sqlite --json | grep -o '"status": "[a-z ]*"' | sort | uniq -c; }
# A schedule may be cut off where the computer is busy; nothing else is wrong with any.
all_are_right() { ! statuses | grep -vqE '"(timed|too slow)"' || fail "$1: $(statuses)"; }
nothing_waits() { [[ -z $(squeue -h) ]] || fail "jobs are left: $(squeue)"; }
wait_for() {
    local i
    for ((i = 0; i < 600; i++)); do
        eval "$1" && return
        sleep 0.1
    done
    fail "waited in vain for: $1"
}
is_at_work() { [[ -n $(squeue -h -w "$1" -t running -o %i) ]]; }

# From the beginning to the results, with both nodes.
"${tune[@]}" --budget 8 >out 2>err || fail "$(cat err)"
says 'best: ' out
[[ -s tuned/best.schedule.h && -s tuned/report.html ]] || fail "there are no results"
[[ $(schedules) -ge 8 ]] || fail "only $(schedules) schedules: $(cat err)"
all_are_right "not all were timed"
for node in n1 n2; do says "Allocate .*NodeList=$node " "$cluster/slurmctld.log"; done
says 'Allocate .*#CPUs=2' "$cluster/slurmctld.log" # a node alone
nothing_waits

# A node that is lost in the middle, and a job that somebody cancels: their tasks are done once more.
before=$(schedules)
"${tune[@]}" --budget 10 >out 2>err &
tuner=$!
wait_for 'is_at_work n2'
kill_node n2
wait_for 'is_at_work n1'
scancel "$(squeue -h -w n1 -t running -o %i | head -1)"
wait_for '[[ $(sinfo -h -n n2 -o %t) == down* ]]'
start_node n2
wait $tuner || fail "it ended with $?: $(cat err)"
says 'best: ' out
[[ $(schedules) -ge $((before + 8)) ]] || fail "schedules are lost: $(schedules) of $before and 10: $(cat err)"
all_are_right "a lost job is taken for a bad schedule"
nothing_waits

# Ctrl-C leaves no job; what a killed tuner leaves is ended by the next.
"${tune[@]}" --budget 1h >out 2>err &
tuner=$!
wait_for 'is_at_work n1 || is_at_work n2'
kill -INT $tuner
wait $tuner || fail "it ended with $?: $(cat err)"
says 'ended by: stopped' out
wait_for '[[ -z $(squeue -h) ]]'
"${tune[@]}" --budget 1h >out 2>err &
tuner=$!
wait_for 'is_at_work n1 || is_at_work n2'
kill -KILL $tuner
wait $tuner 2>/dev/null || true
before=$(schedules)
"${tune[@]}" --budget 2 >out 2>err || fail "$(cat err)"
[[ $(schedules) -ge $before ]] || fail "samples are lost"
wait_for '[[ -z $(squeue -h) ]]'
"$cryolite" store check tuned/tune.sqlite >out || fail "$(cat out)"

# What sbatch refuses is said.
if "${tune[@]}" --budget 2 --sbatch=--partition=nowhere >out 2>err; then fail "accepted"; fi
says 'Invalid partition name' err

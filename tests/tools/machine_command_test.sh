#!/usr/bin/env bash
# `cryolite machine` from the command line. Arguments: CASE CRYOLITE SCRATCH
set -euo pipefail
case_name=$1 cryolite=$2 scratch=$3

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

# must_say PATTERN ARGUMENT...: succeeds, silent on standard error, and its output has the pattern.
must_say() {
    local pattern=$1
    shift
    "$cryolite" "$@" >out 2>err || fail "$*: $(cat err)"
    [[ ! -s err ]] || fail "$* complains: $(cat err)"
    grep -qE -- "$pattern" out || fail "$*: not said: $pattern; but: $(cat out)"
}

# must_end_with STATUS PATTERN ARGUMENT...: fails with the pattern on standard error and nothing else.
must_end_with() {
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$cryolite" "$@" >out 2>err || status=$?
    [[ $status -eq $wanted ]] || fail "$*: status $status, not $wanted: $(cat err)"
    [[ ! -s out ]] || fail "$* was refused and printed: $(cat out)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
}
# It cannot be done, or the command line is wrong.
must_refuse() { must_end_with 1 "$@"; }
must_misunderstand() { must_end_with 2 "$@"; }

# The shortest that measures at all. What it finds is not looked at, only that it is there.
calibrate_quickly() {
    "$cryolite" machine calibrate --seconds 0.1 "$@" 2>err || fail "calibrate: $(cat err)"
}

case $case_name in
    show)
        must_say '^cores +[1-9][0-9]* +cores +detected$' machine show
        must_say '^hertz +2\.6e\+09 +cycles/s +preset arm-neon$' machine show --machine arm-neon
        must_say '^caches\[2\]\.size_bytes +33554432 +bytes' machine show --machine arm-neon
        must_say '^multiprocessors +108 +SMs' machine show --machine a100
        must_say '"value": 108' machine show --machine a100 --json
        # The text of a machine is a machine file.
        "$cryolite" machine show --machine arm-neon --json >arm.json
        must_say '^hertz +2\.6e\+09 +cycles/s +preset arm-neon$' machine show --machine arm.json
        "$cryolite" machine show --machine ./arm.json --json | cmp - arm.json
        must_say 'Measures this computer' machine calibrate --help
        ;;
    list)
        must_say '^x86-avx2 ' machine list
        must_say '^rtx-4090 ' machine list
        must_say '"name": "rtx-4090"' machine list --json
        ;;
    errors)
        must_misunderstand "unknown machine 'a10'; did you mean 'a100'" machine show --machine a10
        must_misunderstand "unknown machine 'pdp11'" machine show --machine pdp11
        must_refuse "no machine file 'none.json'.*calibrate" machine show --machine none.json
        printf '{"cryolite_machine": 1, "preset": "x86-avx2", "hertz": -1}' >bad.json
        must_refuse "bad.json.*'hertz' is -1" machine show --machine bad.json
        printf '{"cryolite_machine": 1, "pres' >cut.json
        must_refuse "cut.json.*cannot be understood" machine show --machine cut.json
        must_refuse "no folder 'no/such'" machine calibrate --output no/such/file.json
        must_refuse 'is a folder' machine calibrate --output .
        must_misunderstand 'seconds' machine calibrate --seconds 1000
        must_misunderstand 'seconds' machine calibrate --seconds many
        must_misunderstand 'subcommand is required'
        must_misunderstand 'subcommand is required' machine
        must_misunderstand "unknown command 'frobnicate'" machine frobnicate
        ;;
    calibrate)
        calibrate_quickly --output mine.json --name mine
        [[ $(ls -A) == $'err\nmine.json' ]] || fail "something lies beside: $(ls -A)"
        must_say '^value of mine ' machine show --machine mine.json
        cp out table
        # Everything that is measured at all, and nothing that is not a number above zero.
        for key in hertz memory_core_bytes_per_cycle memory_total_bytes_per_cycle followed_streams \
            allocation_seconds page_fault_seconds vector.float_add vector.gather_element \
            scalar.load 'caches\[0\].core_bytes_per_cycle' 'caches\[1\].total_bytes_per_cycle'; do
            grep -qE "^$key +[0-9.e+-]+ .* measured" table || fail "not measured: $key"
        done
        for key in cores vector_bytes vector_registers page_bytes; do
            grep -qE "^$key +[1-9][0-9]* .* detected$" table || fail "not detected: $key"
        done
        ! grep -qE ' (-|nan|inf)' table || fail "no number: $(cat table)"
        # Without --output the file is what is printed.
        calibrate_quickly >printed.json
        must_say '^hertz .* measured' machine show --machine printed.json
        ;;
    full_disk)
        [[ -w /dev/full ]] || exit 77
        if "$cryolite" machine show >/dev/full 2>err; then fail "a full disk was not noticed"; fi
        grep -q 'standard output' err || fail "said only: $(cat err)"
        if "$cryolite" machine calibrate --seconds 0.1 --output /dev/full >out 2>err; then
            fail "a full disk was not noticed"
        fi
        grep -q 'No space left' err || fail "said only: $(cat err)"
        # A limit on the size of files stands for a full disk: the old file stays.
        echo old >mine.json
        if (trap '' XFSZ; ulimit -f 1
            "$cryolite" machine calibrate --seconds 0.1 --output mine.json >out 2>err); then
            fail "a full disk was not noticed"
        fi
        [[ $(cat mine.json) == old ]] || fail "the old file is gone"
        ! ls -A | grep -q partial || fail "something lies beside: $(ls -A)"
        ;;
    *) fail "no such case: $case_name" ;;
esac

#!/usr/bin/env bash
# The command line of `cryolite`, whatever the command. Arguments: CASE CRYOLITE SCRATCH
set -euo pipefail
case_name=$1 cryolite=$2 scratch=$3

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

# misunderstood PATTERN ARGUMENT...: ends with 2 and the pattern on standard error, and prints nothing.
misunderstood() {
    local pattern=$1 status=0
    shift
    "$cryolite" "$@" >out 2>err || status=$?
    [[ $status -eq 2 ]] || fail "$*: status $status, not 2: $(cat err)"
    [[ ! -s out ]] || fail "$* was refused and printed: $(cat out)"
    grep -qE -- "$pattern" err || fail "$*: not said: $pattern; but: $(cat err)"
}

# at_terminal COLUMNS COMMAND...: runs it at a terminal of that width; what it shows lands in `shown`.
at_terminal() {
    command -v script >/dev/null || exit 77
    local width=$1
    shift
    script -qec "stty cols $width; $*" /dev/null >shown </dev/null || fail "$*: $(cat shown)"
}

# completed WORD...: what bash offers for the last of the words of a command line.
completed() {
    COMP_WORDS=(cryolite "$@") COMP_CWORD=$# COMPREPLY=()
    _cryolite
    echo "${COMPREPLY[*]}"
}

case $case_name in
    usage)
        misunderstood "unknown command 'machin'; did you mean 'machine'\?" machin
        misunderstood "unknown command 'lst'; did you mean 'list'\?" machine lst
        misunderstood "^cryolite machine --help lists" machine lst
        misunderstood "unknown option '--tarce'; did you mean '--trace'\?" explain --tarce x
        misunderstood "unknown command 'frobnicate'$" frobnicate
        misunderstood "unknown option '-q'$" explain -q
        misunderstood 'subcommand is required'
        misunderstood "problem: 'y' is no whole number from 1 up" store show x y
        misunderstood 'not in \{bash,zsh,fish\}' completion tcsh
        # So it is with the runner, which lies in a folder of its own.
        command=$cryolite cryolite=$(dirname "$cryolite")/runner/cryolite_runner
        misunderstood 'request is required'
        misunderstood 'not expected: --frob' request.json --frob
        misunderstood 'excludes' request.json -o result.json --pack folder
        misunderstood "no file 'none.json'" none.json
        cryolite=$command
        # What cannot be done is another thing.
        status=0
        "$cryolite" store ls none.sqlite >out 2>err || status=$?
        [[ $status -eq 1 ]] || fail "a store that is not there: status $status"
        ;;
    version)
        [[ $("$cryolite" --version) =~ ^cryolite\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "$("$cryolite" --version)"
        ;;
    help)
        "$cryolite" explain --help >plain
        ! grep -q $'\x1b' plain || fail "colour in a file"
        at_terminal 70 "$cryolite" explain --help
        grep -q $'\x1b\[1mUsage:' shown || fail "no colour at a terminal: $(cat shown)"
        # The lines of the footer are broken, too; words are whole.
        longest=$(sed 's/\r//; s/\x1b\[[0-9;]*m//g' shown | awk '{ if (length > most) most = length } END { print most }')
        ((longest <= 70)) || fail "a line of $longest columns at a terminal of 70: $(cat shown)"
        # Nothing is lost.
        words() { sed 's/\x1b\[[0-9;]*m//g' "$1" | tr -s ' \r\n' '\n' | sed '/^$/d'; }
        [[ $(words shown) == "$(words plain)" ]] || fail "the help at a terminal has other words"
        ;;
    waiting)
        # A generator that takes three seconds and says what is wrong.
        printf '#!/bin/sh\nsleep 3\necho no such pipeline\nexit 1\n' >slow.generator
        printf '#!/bin/sh\n' >plugin.so
        chmod +x slow.generator
        at_terminal 80 "$cryolite explain ./slow.generator -g slow --plugin ./plugin.so || true"
        grep -q 'scheduling slow, 2 s' shown || fail "nothing is shown meanwhile: $(cat shown)"
        grep -q 'no such pipeline' shown || fail "the error is not shown: $(cat shown)"
        "$cryolite" explain ./slow.generator -g slow --plugin ./plugin.so 2>err && fail "it succeeded"
        ! grep -q 'scheduling' err || fail "written to a file: $(cat err)"
        ;;
    completion)
        "$cryolite" completion bash >bash
        # shellcheck source=/dev/null
        source ./bash
        [[ $(completed ma) == machine ]] || fail "ma: $(completed ma)"
        [[ $(completed machine s) == show ]] || fail "machine s: $(completed machine s)"
        [[ $(completed explain --tra) == --trace ]] || fail "explain --tra: $(completed explain --tra)"
        [[ $(completed explain tune --tra) == --trace ]] || fail "a file that is called as a command"
        [[ -z $(completed explain some) ]] || fail "a file: $(completed explain some)"
        "$cryolite" completion zsh >zsh
        grep -q bashcompinit zsh || fail "zsh: $(head -n 1 zsh)"
        "$cryolite" completion fish >fish
        grep -q "__fish_seen_subcommand_from machine; and __fish_seen_subcommand_from show' -l json" fish ||
            fail "fish: $(cat fish)"
        for shell in zsh fish; do
            ! command -v $shell >/dev/null || $shell -n ./$shell || fail "$shell does not take it"
        done
        ;;
    *) fail "no such case: $case_name" ;;
esac

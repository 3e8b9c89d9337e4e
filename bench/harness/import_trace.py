"""The import of a schedule by hand as a trace of the pipeline that has no such schedule, where it can be one.

`rfactor` and `in()` make Funcs. Those of rfactor, and wrappers of what the pipeline computes, have no place there.
A wrapper that is inlined changes nothing. A single wrapper of an input that is computed is the copy of the
input that our space has: it takes the name of the input's Func."""

import re
from collections import Counter, defaultdict

# Halide's names: rfactor makes NAME_intm, in() makes NAME_in_READER and NAME_global_wrapper.
RFACTOR = re.compile(r"_intm\b")
WRAPPER = re.compile(r"(.+?)(?:_in_.+|_global_wrapper(?:\$\d+)?)")
INPUT = re.compile(r".+_im(?:\$\d+)?")  # the Func by which an input is read
NUMBERED = re.compile(r"(.*?)(?:[$_](\d+))?")


def made_funcs(by_hand, ours):
    """Funcs that only the schedule by hand makes and that have no place without it, with the directive that
    made each: Func -> "rfactor"."""
    copies = _copies(by_hand, ours)
    made = {}
    for func in _unknown(by_hand, ours):
        if func in copies or (_wrapped(func, by_hand) and func not in by_hand.computed):
            continue
        if _wrapped(func, by_hand):
            made[func] = "in()"
        elif RFACTOR.search(func):
            made[func] = "rfactor"
    if not made and by_hand.algorithm != ours.algorithm:
        made["all"] = "another pipeline"
    return made


def trace_for_ours(by_hand, ours):
    """The trace, or None where Funcs are made that have no place."""
    if made_funcs(by_hand, ours):
        return None
    copies, names = _copies(by_hand, ours), _numbers(by_hand, ours)
    wrappers = {func for func in _unknown(by_hand, ours) if _wrapped(func, by_hand)}
    dropped = {f"inline {func}" for func in (wrappers - set(copies)) | set(copies.values())}
    names |= copies
    lines = by_hand.trace.splitlines(keepends=True)
    return "".join(_renamed(line, names) for line in lines if line.strip() not in dropped)


def _unknown(by_hand, ours):
    return [func for func in by_hand.funcs if func not in ours.funcs]


def _wrapped(func, by_hand):
    """The Func that it is a wrapper of, or None."""
    found = WRAPPER.fullmatch(func)
    return found[1] if found and found[1] in by_hand.funcs else None


def _copies(by_hand, ours):
    """Computed wrappers of inputs that have one such wrapper: wrapper -> the input's Func."""
    found = {}
    for func in _unknown(by_hand, ours):
        of = _wrapped(func, by_hand)
        if of and INPUT.fullmatch(of) and of in ours.funcs and func in by_hand.computed:
            found[func] = of
    count = Counter(found.values())
    return {
        func: of for func, of in found.items() if count[of] == 1 and of not in by_hand.computed
    }


def _numbers(by_hand, ours):
    """Funcs that Halide has numbered otherwise, since the schedule made others before them. Those with one
    stem are in the same order: Func by hand -> ours."""
    ours_by_stem, names = defaultdict(list), {}
    for func in ours.funcs:
        if func not in by_hand.funcs:
            ours_by_stem[_stem(func)].append(func)
    by_stem = defaultdict(list)
    for func in _unknown(by_hand, ours):
        by_stem[_stem(func)].append(func)
    for stem, funcs in by_stem.items():
        if len(funcs) == len(ours_by_stem[stem]):
            names |= dict(zip(sorted(funcs, key=_number), sorted(ours_by_stem[stem], key=_number)))
    return names


def _stem(func):
    return NUMBERED.fullmatch(func)[1]


def _number(func):
    return int(NUMBERED.fullmatch(func)[2] or -1)


def _renamed(line, names):
    return re.sub(r"[\w$]+", lambda word: names.get(word[0], word[0]), line)

"""Tables for people, and the summary line."""

from bench.harness import robust
from bench.harness.schedulers import MANUAL, OURS, ROOT


def align(rows, left_columns=1, text_from=None):
    """Rows of text cells as lines; the first row is the head. The first `left_columns` columns begin at the
    left, and those from the column `text_from` on, which hold words."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    words = len(widths) if text_from is None else text_from
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < left_columns or i >= words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def markdown(rows):
    """The same as a table in Markdown."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return lines


def number(value, digits=3):
    """Three significant digits, never in exponents."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    decimals = 0
    while decimals < 6 and abs(value) * 10**decimals < 10 ** (digits - 1):
        decimals += 1
    return f"{value:.{decimals}f}"


def times(value):
    return "-" if value is None else f"{value:.2f}x"


def app_rows(table, app):
    """One row per scheduler of one app, without the app's name."""
    rows = []
    for scheduler in table.schedulers():
        result = table.get(app, scheduler)
        if result is None:
            continue
        compiled = result.compiled
        rows.append(
            [
                scheduler,
                number(result.minimum_ms),
                number(result.median_ms),
                "-" if result.spread_percent is None else f"{result.spread_percent:.0f}%",
                times(table.ratio(app, scheduler)),
                times(table.over_least(app, scheduler)),
                number(compiled.scheduling_seconds),
                number(compiled.scheduling_cpu_seconds),
                number(compiled.process_seconds),
                "-" if not compiled.process_peak_mb else f"{compiled.process_peak_mb:.0f}",
                result.kind,
            ]
        )
    return rows


APP_HEAD = [
    "scheduler", "min ms", "median ms", "spread", "vs Cryolite", "vs least", "scheduling s",
    "its CPU s", "process s", "peak MB", "",
]  # fmt: skip


COMPILED_HEAD = [
    "scheduler", "scheduling s", "its CPU s", "process s", "peak MB", "kernels", "registers",
    "spill bytes", "",
]  # fmt: skip


def compiled_rows(table, app):
    """The same for a target that nothing could be run on."""
    rows = []
    for scheduler in table.schedulers():
        result = table.get(app, scheduler)
        if result is None:
            continue
        compiled = result.compiled
        kernels = compiled.kernels
        counts = [kernels.kernels, kernels.registers, kernels.spill_bytes] if kernels else []
        if kernels and kernels.failure:
            counts = []
        rows.append(
            [
                scheduler,
                number(compiled.scheduling_seconds),
                number(compiled.scheduling_cpu_seconds),
                number(compiled.process_seconds),
                "-" if not compiled.process_peak_mb else f"{compiled.process_peak_mb:.0f}",
                *([str(count) for count in counts] or ["-"] * 3),
                result.kind or (kernels.failure if kernels else ""),
            ]
        )
    return rows


def compiled_table(table):
    rows = [["app"] + COMPILED_HEAD]
    for app in table.apps():
        rows += [[app] + row for row in compiled_rows(table, app)]
    return align(rows, left_columns=2)


def compiled_summary(table):
    """How many schedules each autoscheduler made, and how long it took."""
    parts = []
    for scheduler in table.schedulers():
        results = [table.get(app, scheduler) for app in table.apps()]
        results = [result for result in results if result is not None]
        seconds = [
            result.compiled.scheduling_seconds
            for result in results
            if not result.failure and result.compiled.scheduling_seconds is not None
        ]
        good = sum(1 for result in results if not result.failure)
        text = f"{scheduler} {good} of {_count('app', len(results))}"
        if seconds:
            text += f", geometric mean {number(robust.geometric_mean(seconds))} s"
        parts.append(text)
    return "schedules: " + "; ".join(parts)


def full_table(table):
    rows = [["app"] + APP_HEAD]
    for app in table.apps():
        rows += [[app] + row for row in app_rows(table, app)]
    return align(rows, left_columns=2)


def short_table(table):
    """One line per app: run times by scheduler."""
    schedulers = table.schedulers()
    rows = [["min ms"] + schedulers]
    for app in table.apps():
        cells = []
        for scheduler in schedulers:
            result = table.get(app, scheduler)
            cells.append(
                "" if result is None
                else number(result.minimum_ms) if result.ok
                else result.kind or "failed"
            )
        rows.append([app] + cells)
    return align(rows)


def remarks(table):
    """Failures and notes, a line each."""
    lines = []
    for result in table.all():
        name = f"{result.app} with {result.scheduler}"
        if result.failure:
            lines.append(f"failure: {name}: {result.failure}")
        lines += [f"note: {name} {note}" for note in result.notes]
    return lines


def _compared(ratio):
    """1.9 -> '1.90x faster'; below 1 it is our schedule that is slower."""
    return f"{ratio:.2f}x faster" if ratio >= 1 else f"{1 / ratio:.2f}x slower"


def _count(text, amount):
    return f"{amount} {text}" + ("" if amount == 1 else "s")


def extremes(table, peers):
    """Where we are worst: the figures that a geometric mean hides."""
    lines = []
    worst = None
    for app in table.apps():
        best_peer = min(
            (ratio for peer in peers if (ratio := table.ratio(app, peer)) is not None),
            default=None,
        )
        if best_peer is not None and (worst is None or best_peer < worst[0]):
            worst = (best_peer, app)
    if worst is not None:
        lines.append(f"worst app against the better peer: {worst[1]}, {_compared(worst[0])}")
    ours = [result for result in table.all() if result.scheduler == OURS and result.ok]
    if ours:
        slowest = max(ours, key=lambda result: result.compiled.scheduling_seconds or 0)
        largest = max(ours, key=lambda result: result.compiled.scheduling_peak_mb or 0)
        lines.append(
            f"longest scheduling by {OURS}: {number(slowest.compiled.scheduling_seconds)} s "
            f"({slowest.app}); largest peak memory by its end: "
            f"{number(largest.compiled.scheduling_peak_mb)} MB ({largest.app})"
        )
    return lines


def summary(table, peers):
    """The one line that is printed last."""
    apps = table.apps()
    ours_ok = sum(1 for app in apps if (r := table.get(app, OURS)) is not None and r.ok)
    if OURS not in table.schedulers() or not ours_ok:
        return f"geometric mean: none, no run time of {OURS}"
    parts = []
    for scheduler in table.schedulers():
        if scheduler == OURS:
            continue
        ratios = [
            ratio for app in apps if (ratio := table.ratio(app, scheduler)) is not None
        ]
        if not ratios:
            parts.append(f"{scheduler} failed on all apps" if scheduler in peers else f"no {scheduler}")
            continue
        failures = sum(1 for app in apps if not table.get(app, scheduler).ok)
        counted = _count("app", len(apps))
        if len(ratios) < len(apps):
            counted = f"{len(ratios)} of {counted}"
        if failures:
            counted += ", " + _count("failure", failures)
        parts.append(
            f"{_compared(robust.geometric_mean(ratios))} than {_title(scheduler)} ({counted})"
        )
    for peer in peers:
        ratios = [
            ratio for app in apps if (ratio := table.scheduling_ratio(app, peer)) is not None
        ]
        if ratios:
            parts.append(
                f"scheduling {_compared(robust.geometric_mean(ratios))} than {_title(peer)}"
            )
    failures = len(apps) - ours_ok
    if failures:
        parts.append(f"{_count('failure', failures)} of {OURS}")
    return "geometric mean: " + "; ".join(parts)


def _title(scheduler):
    return {ROOT: "the plain schedule", MANUAL: "the manual schedule"}.get(scheduler, scheduler)

"""One line on the terminal that says what is going on; plain lines where there is no terminal."""

import sys
import time


class Progress:
    def __init__(self):
        self._start = time.monotonic()
        self._live = sys.stderr.isatty()

    def show(self, text):
        """A passing remark: overwritten on a terminal, not shown elsewhere."""
        if self._live:
            print(f"\r\x1b[K[{self._elapsed()}] {text}", end="", file=sys.stderr, flush=True)

    def say(self, text):
        """A line that stays."""
        self.clear()
        print(f"[{self._elapsed()}] {text}", file=sys.stderr, flush=True)

    def clear(self):
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _elapsed(self):
        seconds = int(time.monotonic() - self._start)
        return f"{seconds // 60:d}:{seconds % 60:02d}"


class Eta:
    """How long the steps that are left will take, by those that were done in this run. Steps that
    an earlier run had done are counted but teach nothing."""

    def __init__(self, steps, clock=time.monotonic):
        self._steps, self._clock = steps, clock
        self._done = self._measured = 0
        self._seconds = 0.0
        self._started = clock()

    def start_step(self):
        self._started = self._clock()

    def end_step(self, known_before):
        self._done += 1
        if not known_before:
            self._measured += 1
            self._seconds += self._clock() - self._started

    def text(self):
        """For the step that is under way."""
        position = f"{min(self._done + 1, self._steps)} of {self._steps}"
        left = self._steps - self._done
        if not self._measured:
            return position
        return f"{position}, about {duration(left * self._seconds / self._measured)} left"


def duration(seconds):
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60}:{minutes % 60:02d} h"

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

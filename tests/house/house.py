#!/usr/bin/env python3
"""Checks how the house is built, from its files alone:

- rooms include only what stands before them on the line below (docs/development.md);
- Halide's headers are included only where the line between Halide and plain C++ allows;
- every source file of a room is reached from the plugin, a tool or a bench, not from tests alone;
- comments are at most 120 columns wide.

    python3 tests/house/house.py [ROOT]
"""

import re
import sys
from pathlib import Path

LINE = [
    "base", "machine", "graph", "schedule", "code", "emit", "featurize", "analytical", "model",
    "train", "search", "reference", "tensorcore", "autotune", "plugin", "tools",
]  # fmt: skip
# Branches off the line: rooms that only these include.
BRANCHES = {"emit": {"tensorcore", "autotune", "plugin", "tools"}}
# Pipelines stand beside the rooms: they know Halide and nothing of us.
APPS = "apps"
# Where programs begin: what none of these reaches is dead, or there for tests alone.
ENTRIES = ["plugin", "tools", "bench"]

# Files that may name Halide's types: rooms, and in the other rooms the libraries that are built with Halide.
HALIDE_ROOMS = {"plugin", "tensorcore", "autotune", APPS, "bench"}
HALIDE_LIBRARIES = {"graph": "graph_build", "emit": "emit"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
ROOM = re.compile(r"cryolite_room\((\w+)(.*?)\n\s*\)|cryolite_room\((\w+)(.*?)\)", re.DOTALL)
SOURCE = re.compile(r"[\w/.]+\.cpp")


LONGEST_COMMENT = 120  # in columns; clang-format wraps code alone


class House:
    def __init__(self, root):
        self.root = Path(root)
        self.rooms = [r for r in LINE if (self.root / r).is_dir()]
        self.includes = {}  # file -> what it includes of ours
        self.halide = set()  # files that include Halide.h
        self.wide = []  # (file, line)
        for room in [*self.rooms, APPS, "bench"]:
            for path in sorted((self.root / room).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    self._read(path)

    def _read(self, path):
        name = path.relative_to(self.root).as_posix()
        ours = []
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > LONGEST_COMMENT and line.lstrip().startswith("//"):
                self.wide.append((name, number))
        for bracket, included in INCLUDE.findall(text):
            if included == "Halide.h":  # HalideRuntime.h is plain C
                self.halide.add(name)
            elif bracket == '"' and (self.root / included).exists():
                ours.append(included)
        self.includes[name] = ours

    @staticmethod
    def room_of(file):
        return file.split("/", 1)[0]

    def forward_includes(self):
        """Includes of a room that stands after the including one, or is none."""
        place = {room: i for i, room in enumerate(LINE)}
        for file, included in self.includes.items():
            room = self.room_of(file)
            for other in included:
                to = self.room_of(other)
                if room == "bench" or to == room:
                    continue
                if room == APPS or place.get(to, len(LINE)) > place[room]:
                    yield f"{file} includes {other}: {to}/ does not stand before {room}/"
                elif room not in BRANCHES.get(to, {room}):
                    yield f"{file} includes {other}: {room}/ may not include {to}/"

    def halide_leaks(self):
        """Files outside of the rooms and libraries that may, which include Halide.h, near or far."""
        allowed = {f for f in self.includes if self.room_of(f) in HALIDE_ROOMS}
        for room, library in HALIDE_LIBRARIES.items():
            allowed |= {f"{room}/{source}" for source in self._sources_of(room, library)}
        for file in self.includes:
            # A header is as free as the sources that include it.
            if file.endswith(".cpp") and file not in allowed:
                leaks = sorted(self.halide & self.closure([file], with_sources=False))
                if leaks:
                    yield f"{file} sees Halide.h, by {leaks[0]}"

    def _sources_of(self, room, library):
        if room not in self.rooms:
            return set()
        text = (self.root / room / "CMakeLists.txt").read_text(encoding="utf-8")
        sources = set()
        for match in ROOM.finditer(text):
            name, body = match.group(1) or match.group(3), match.group(2) or match.group(4)
            if name == library:
                sources |= set(SOURCE.findall(body))
        return sources

    def closure(self, files, with_sources):
        """All that `files` include. with_sources: where a header is reached its sources are, too."""
        sources = {}  # header -> the sources that may define what it declares
        if with_sources:
            for file in self.includes:
                if file.endswith(".cpp"):
                    for header in self._declared_in(file):
                        sources.setdefault(header, []).append(file)
        reached, left = set(), list(files)
        while left:
            file = left.pop()
            if file in reached or file not in self.includes:
                continue
            reached.add(file)
            left += self.includes[file] + sources.get(file, [])
        return reached

    def _declared_in(self, source):
        """A source's own header; of one that has none all that it includes of its room."""
        own = source.removesuffix(".cpp") + ".h"
        if own in self.includes:
            return [own]
        room = self.room_of(source)
        return [header for header in self.includes[source] if self.room_of(header) == room]

    def unreached(self):
        entries = [f for f in self.includes if self.room_of(f) in ENTRIES]
        reached = self.closure(entries, with_sources=True)
        for file in sorted(self.includes):
            if self.room_of(file) in self.rooms and file not in reached:
                yield f"{file} is reached from no plugin, tool or bench"

    def wide_comments(self):
        for file, line in self.wide:
            yield f"{file}:{line}: a comment is longer than {LONGEST_COMMENT} columns"


def problems(root):
    house = House(root)
    return [
        *house.forward_includes(),
        *house.halide_leaks(),
        *house.unreached(),
        *house.wide_comments(),
    ]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = problems(root)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""The house passes its rules, and houses that break one do not."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from house import problems

ROOT = Path(__file__).resolve().parents[2]

SOUND = {
    "base/hash.h": "",
    "base/hash.cpp": '#include "base/hash.h"\n',
    "graph/graph.h": '#include "base/hash.h"\n',
    "graph/build.h": '#include <Halide.h>\n#include "graph/graph.h"\n',
    "graph/build.cpp": '#include "graph/build.h"\n',
    "graph/build_loops.cpp": '#include "graph/build.h"\n',
    "graph/CMakeLists.txt": "cryolite_room(graph SOURCES graph.cpp)\n"
    "cryolite_room(graph_build\n    SOURCES build.cpp build_loops.cpp\n    DEPENDS cryolite_graph)\n",
    "search/search.h": '#include "graph/graph.h"\n',
    "search/search.cpp": '#include "search/search.h"\n',
    "plugin/plugin.cpp": '#include "graph/build.h"\n#include "search/search.h"\n',
}


class Rules(unittest.TestCase):
    def problems_with(self, files=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**SOUND, **(files or {})}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return problems(folder)

    def test_of_this_house(self):
        self.assertEqual(problems(ROOT), [])

    def test_of_a_sound_house(self):
        self.assertEqual(self.problems_with(), [])

    def test_an_include_that_points_forward(self):
        found = self.problems_with(files={"base/hash.h": '#include "graph/graph.h"\n'})
        self.assertEqual(
            found, ["base/hash.h includes graph/graph.h: graph/ does not stand before base/"]
        )

    def test_an_include_of_a_branch(self):
        found = self.problems_with(
            files={
                "emit/CMakeLists.txt": "cryolite_room(emit SOURCES call.cpp)\n",
                "emit/call.h": "",
                "search/search.h": '#include "emit/call.h"\n',
            }
        )
        self.assertEqual(
            found, ["search/search.h includes emit/call.h: search/ may not include emit/"]
        )

    def test_an_include_of_tests(self):
        found = self.problems_with(
            files={"search/search.cpp": '#include "search/search.h"\n#include "tests/made.h"\n',
                   "tests/made.h": ""}
        )  # fmt: skip
        self.assertEqual(
            found, ["search/search.cpp includes tests/made.h: tests/ does not stand before search/"]
        )

    def test_halide_where_plain_cpp_belongs(self):
        found = self.problems_with(files={"search/search.h": '#include "graph/build.h"\n'})
        self.assertEqual(found, ["search/search.cpp sees Halide.h, by graph/build.h"])

    def test_a_comment_that_is_too_wide(self):
        found = self.problems_with(files={"base/hash.h": "int x;\n// " + "wide " * 24 + "\n"})
        self.assertEqual(found, ["base/hash.h:2: a comment is longer than 120 columns"])

    def test_sources_that_nothing_reaches(self):
        found = self.problems_with(
            files={"search/old.h": "", "search/old.cpp": '#include "search/old.h"\n'}
        )
        self.assertEqual(
            found,
            [f"search/old.{end} is reached from no plugin, tool or bench" for end in ("cpp", "h")],
        )


if __name__ == "__main__":
    unittest.main()

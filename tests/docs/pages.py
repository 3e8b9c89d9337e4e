"""The code blocks of the README and of docs/, and who runs each.

A block is found by how it begins. Those of the README must all be here; those of the other pages that begin with a
command.
"""

import re
from dataclasses import dataclass
from typing import Dict, List, Tuple

# Who runs a block. Anything else is the reason why nobody does.
WHEEL = "tests/install/wheel_test.py"
SESSION = "tests/docs/session_test.py"
PACKAGE = "./dev package wheel"
SHOWN = "not to be run: it is shown"

README: List[Tuple[str, str]] = [
    ("./dev package wheel && pip install", PACKAGE),
    ("import halide as hl\nimport halide_cryolite\n", WHEEL),
    ("predicted 60.061 us a run", SHOWN),
    ("pipeline with estimates", SHOWN),
    ("find_package(Cryolite REQUIRED)", WHEEL),
    ("./smooth.generator -g smooth", WHEEL),
    ("cryolite explain ./smooth.generator", WHEEL),
    ("cryolite tune ./harris.generator", SESSION),
    ("./dev demo", ".ci/run"),
]

PAGES: Dict[str, List[Tuple[str, str]]] = {
    "docs/development.md": [
        ("apt-get install g++", "it installs packages, and ./dev does the same"),
        ("pip download plotly", "./dev fetches the same wheel"),
        ("./dev run golden_signature_test", "it accepts new values"),
    ],
    "docs/explain.md": [
        ("cryolite explain ./blur.generator", SESSION),
        ("cryolite explain build/release", SESSION),
    ],
    "docs/generator.md": [
        ("./smooth.generator -g smooth", "that of the README, with a folder"),
        ("g++ -std=c++17 -fno-rtti smooth_generator.cpp", SESSION),
    ],
    "docs/gpu.md": [("./smooth.generator -g smooth", "tests/plugin/gpu_test.cpp schedules for this target")],
    "docs/machine.md": [("cryolite machine show", SESSION)],
    "docs/nontemporal-stores.md": [("copy.generator -g copy", "tests/tools/nontemporal, where there is an LLVM")],
    "docs/python.md": [
        ("./dev package wheel", PACKAGE),
        ("python3 my_generator.py", "tests/plugin/python_test.py, with a generator of its own"),
    ],
    "docs/reading-a-schedule.md": [("./dev build autoschedule_cryolite", "./dev builds, and tests do not")],
    "docs/report.md": [("cryolite report tuned", SESSION)],
    "docs/results.md": [("./dev bench cpu", "hours"), ("./dev bench peers", "hours")],
    "docs/runner.md": [
        ("cryolite_runner REQUEST.json", "tests/autotune runs both forms"),
        ("./blur.generator -g blur -f blur -n rows", SESSION),
        ("cryolite_runner request.json --pack", "there is no other computer"),
    ],
    "docs/sample.md": [
        ("cryolite sample -o", "tools/sample and tools/train, with small pipelines"),
        ("./random_pipeline.generator", "tools/sample"),
    ],
    "docs/schedules.md": [("blur.generator -g blur", SESSION)],
    "docs/store.md": [("cryolite store import all.sqlite", "minutes: 3,826 samples, and benchmarks")],
    "docs/trace.md": [("blur.generator -g blur", SESSION)],
    "docs/train.md": [("cryolite tune ./harris.generator", "tools/train, with small pipelines")],
    "docs/tune.md": [
        ("cryolite tune ./harris.generator -g harris --budget 10m", SESSION),
        ("cryolite replay", SESSION),
        ("cryolite tune ./harris.generator -g harris --target", "tools/tune.far, with a stand-in for ssh"),
        ("cryolite pack", SESSION),
        ("cryolite tune ./harris.generator -g harris --launcher slurm", "tools/tune_slurm"),
    ],
}

COMMAND = re.compile(r"(\./|\w+\.generator |cryolite[ _]|pip |python3 |apt|cmake |ctest |[gc]\+\+ )")


@dataclass
class Block:
    line: int
    language: str  # of a fence; empty: indented
    text: str


def code_blocks(page: str) -> List[Block]:
    """Of a page's text: fenced, and indented by four spaces after an empty line or a heading."""
    blocks: List[Block] = []
    lines = page.splitlines()
    i = 0
    while i < len(lines):
        fence = re.match(r" *```(\w*)", lines[i])
        begin = i
        if fence:
            i += 1
            while not lines[i].lstrip().startswith("```"):
                i += 1
            blocks.append(Block(begin + 1, fence.group(1), "\n".join(lines[begin + 1 : i]) + "\n"))
        elif lines[i].startswith("    ") and (i == 0 or not lines[i - 1].strip() or lines[i - 1].startswith("#")):
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                i += 1
            text = "\n".join(line[4:] for line in lines[begin:i]).rstrip() + "\n"
            blocks.append(Block(begin + 1, "", text))
            continue
        i += 1
    return blocks


def run_by(who: str, page: str, text: str) -> List[Block]:
    """The page's blocks that `who` must run, in their order. What follows an empty line is what they print."""
    begins = [begin for begin, by in (README if page == "README.md" else PAGES[page]) if by == who]
    return [block for block in code_blocks(text) if block.text.startswith(tuple(begins))]

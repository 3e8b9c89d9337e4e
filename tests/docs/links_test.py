#!/usr/bin/env python3
"""Every link of every page leads somewhere: to a file of the tree, and to a heading of it where it names one.

    python3 tests/docs/links_test.py [ROOT]
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```|^    .*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def anchors(page):
    """The headings' names in links, as GitHub makes them."""
    names = set()
    for heading in re.findall(r"^#+ +(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower())
        names.add(words.strip().replace(" ", "-"))
    return names


def wrong_links(root):
    for page in sorted(root.rglob("*.md")):
        if {"build", "out", ".git"} & set(page.relative_to(root).parts[:1]):
            continue
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path) if path else page
            if not target.exists():
                yield "%s: there is no %s" % (page.relative_to(root), link)
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield "%s: %s has no heading #%s" % (page.relative_to(root), path, anchor)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    wrong = list(wrong_links(root))
    print("\n".join(wrong) or "every link leads somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

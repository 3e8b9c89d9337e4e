"""For mkdocs: the README is the site's first page, and links to files outside of docs/ become plain names, since the site
has pages alone. tests/docs/links_test.py checks all of them in the tree."""

import re
from pathlib import Path

from mkdocs.structure.files import File

OUTSIDE = re.compile(r"\[([^]]*)\]\((?:\.\./|LICENSE|CONTRIBUTING|CHANGELOG|bench/|apps/)[^)\s]*\)")


def on_files(files, config):
    readme = (Path(config.docs_dir).parent / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=readme.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown, **_):
    return OUTSIDE.sub(r"\1", markdown)

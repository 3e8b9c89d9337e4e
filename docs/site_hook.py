"""For mkdocs: the README is the site's first page; every term and every feature has a page of its own, made of its row in
terms.md or features.md; and links to files outside of docs/ become plain names, since the site has pages alone.
tests/docs/links_test.py checks all of them in the tree."""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

OUTSIDE = re.compile(r"\[([^]]*)\]\((?:\.\./|LICENSE|CONTRIBUTING|CHANGELOG|bench/|apps/)[^)\s]*\)")
# The tables whose rows are pages, and the folder of these pages.
TABLES = {"terms.md": "terms", "features.md": "features"}
ROW = re.compile(r"^\| `(\w+)` \|(.*)\|$", re.MULTILINE)
HEAD = re.compile(r"^\| (?:name|term) \|(.*)\|$", re.MULTILINE)


def cells(row):
    return [cell.strip() for cell in row.split("|")]


def row_pages(page, text):
    """By name: what the row of a table says of it, a line for each column."""
    title = re.match(r"# (.*)", text).group(1)
    columns = cells(HEAD.search(text).group(1))
    for name, row in ROW.findall(text):
        section = re.findall(r"^## (.*)$", text[: text.index("| `%s` |" % name)], re.MULTILINE)
        lines = ["# `%s`" % name, "", "One of [%s](../%s)." % (title[0].lower() + title[1:], page), ""]
        lines += ["- **%s**: %s" % pair for pair in zip(["group"], section[-1:])]
        lines += ["- **%s**: %s" % pair for pair in zip(columns, cells(row))]
        yield name, "\n".join(lines) + "\n"


def on_files(files, config):
    docs = Path(config.docs_dir)
    readme = (docs.parent / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=readme.replace("](docs/", "](")))
    for page, folder in TABLES.items():
        pages = list(row_pages(page, (docs / page).read_text(encoding="utf-8")))
        if not pages:
            raise PluginError("%s has no table whose rows could be pages" % page)
        for name, content in pages:
            files.append(File.generated(config, "%s/%s.md" % (folder, name), content=content))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri.partition("/")[0] in TABLES.values():
        return markdown
    folder = TABLES.get(page.file.src_uri)
    if folder:
        markdown = ROW.sub(r"| [`\1`](%s/\1.md) |\2|" % folder, markdown)
    return OUTSIDE.sub(r"\1", markdown)

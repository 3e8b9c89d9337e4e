#!/usr/bin/env python3
"""Every code block of the README, and every command of another page, is run by a test or is not run for a reason that
pages.py gives. What the pages say of commands and options is so.

    python3 tests/docs/pages_test.py ROOT [CRYOLITE]

CRYOLITE: the program, for the options of its commands; without it they are not looked at.
"""

import re
import subprocess
import sys
import unittest
from functools import lru_cache
from pathlib import Path

import pages

ROOT = Path(sys.argv[1]).resolve()
CRYOLITE = sys.argv[2] if len(sys.argv) > 2 else None


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def all_pages():
    return ["README.md"] + sorted("docs/" + page.name for page in (ROOT / "docs").glob("*.md"))


@lru_cache(maxsize=None)
def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def uncommented(line):
    return re.sub(r" #.*", "", line)


def commands(page, program):
    """What follows the program's name, in code blocks and in inline code, a line each."""
    text = text_of(page).replace("\\\n", " ")
    lines = [line for block in pages.code_blocks(text) for line in block.text.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for line in lines:
        found = re.match(r"%s (.*)" % re.escape(program), uncommented(line).strip())
        if found:
            yield found.group(1)


class Pages(unittest.TestCase):
    def unlisted(self, page, listed, must_be_listed):
        begins = [begin for begin, _ in listed]
        for block in pages.code_blocks(text_of(page)):
            if must_be_listed(block) and not block.text.startswith(tuple(begins)):
                yield "%s:%d: %s" % (page, block.line, block.text.splitlines()[0])

    def test_every_block_of_the_readme_is_run_or_not_for_a_reason(self):
        self.assertEqual([], list(self.unlisted("README.md", pages.README, lambda block: True)))

    def test_every_command_of_a_page_is_run_or_not_for_a_reason(self):
        for page in all_pages()[1:]:
            is_command = lambda block: not block.language and pages.COMMAND.match(block.text)
            self.assertEqual([], list(self.unlisted(page, pages.PAGES.get(page, []), is_command)))

    def test_what_is_listed_is_on_its_page(self):
        for page, listed in {"README.md": pages.README, **pages.PAGES}.items():
            blocks = pages.code_blocks(text_of(page))
            for begin, _ in listed:
                self.assertTrue(any(b.text.startswith(begin) for b in blocks), "%s: %s" % (page, begin))

    def test_continuous_integration_runs_what_is_left_to_it(self):
        lines = text_of(".ci/run").splitlines()
        for block in pages.run_by(".ci/run", "README.md", text_of("README.md")):
            for command in block.text.splitlines():
                command = uncommented(command).strip()
                self.assertTrue(any(line.startswith(command) for line in lines), ".ci/run does not run " + command)

    def test_the_options_of_the_readme_are_those_of_the_plugin(self):
        known = text_of("docs/options.md")
        table = re.search(r"\n\| option \|.*?\n\n", text_of("README.md"), re.DOTALL).group(0)
        rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", table, re.MULTILINE)
        self.assertTrue(rows)
        for option, default in rows:
            row = re.search(r"^\| `%s` \|(.*)$" % option, known, re.MULTILINE)
            self.assertTrue(row, option)
            value = re.fullmatch(r"`([^`]*)`|(\d+)", default)
            if value:
                self.assertIn("`%s`" % (value.group(1) or value.group(2)), row.group(1))

    def test_what_is_said_of_dev_exists(self):
        everything = said("bash", str(ROOT / "dev"), "--help")
        for page in all_pages() + ["CONTRIBUTING.md"]:
            for words in commands(page, "./dev"):
                before = re.match(r"(?:--[a-z-]+(?:[ =](?![a-z]+ ?$)\S+)? )*", words).group(0)
                for option in re.findall(r"--[a-z-]+", before):
                    self.assertIn(option, everything, "%s: ./dev %s" % (page, words))
                rest = words[len(before) :].split()
                if not rest or not re.fullmatch("[a-z]+", rest[0]):
                    continue
                self.assertRegex(everything, r"(?m)^  %s\b" % rest[0], "%s: ./dev %s" % (page, words))
                if rest[0] in ("test", "package", "site", "setup", "build"):
                    helped = said("bash", str(ROOT / "dev"), rest[0], "--help")
                    for option in re.findall(r"(?<!\S)--[a-z-]+", " ".join(rest[1:])):
                        self.assertIn(option, helped, "%s: ./dev %s" % (page, words))

    @unittest.skipUnless(CRYOLITE, "the command is not built here")
    def test_what_is_said_of_cryolite_exists(self):
        for page in all_pages() + ["tools/README.md"]:
            for words in commands(page, "cryolite"):
                named = re.match(r"(?:[a-z]+(?:\\?\|[a-z]+)* ?)*", words).group(0).split()
                help_text = said(CRYOLITE, "--help")
                path = []
                for word in named[:2]:
                    choices = re.split(r"\\?\|", word)
                    if not re.search(r"(?m)^Subcommands:", help_text):
                        break
                    for choice in choices:
                        self.assertRegex(help_text, r"(?m)^  %s\b" % choice, "%s: cryolite %s" % (page, words))
                    path.append(choices[0])
                    help_text = said(CRYOLITE, *path, "--help")
                for option in re.findall(r"(?<![\w=-])--?[a-z][a-z-]*", words):
                    self.assertIn(option, help_text, "%s: cryolite %s" % (page, words))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""python3 -m halide_cryolite: where this package keeps what build systems ask for."""

import argparse

from . import __version__, cmake_dir, command_path, plugin_path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m halide_cryolite", description=__doc__)
    parser.add_argument("--version", action="version", version="halide-cryolite " + __version__)
    asked = parser.add_mutually_exclusive_group(required=True)
    for name, answer, what in (
        ("--plugin-path", plugin_path, "the plugin for the installed Halide"),
        ("--cmake-dir", cmake_dir, "the CMake package, for -DCryolite_DIR="),
        ("--command-path", command_path, "the program cryolite"),
    ):
        asked.add_argument(name, dest="answer", action="store_const", const=answer, help=what)
    print(parser.parse_args().answer())


main()

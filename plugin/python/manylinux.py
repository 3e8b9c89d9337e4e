#!/usr/bin/env python3
"""The oldest manylinux on which binaries run, by the versions of the symbols that they ask for (PEP 600):

    python3 plugin/python/manylinux.py FILE...

prints the platform tag. Fails where a binary needs a library that is neither part of manylinux nor Halide's.
Needs objdump.

SPDX-License-Identifier: MIT
"""

import platform
import re
import subprocess
import sys

# libHalide.so comes with the wheel `halide`, which has loaded it before the plugin is.
LIBRARIES = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*|libHalide\.so")
# The newest libstdc++ (GLIBCXX_3.4.<value>) that every system with glibc 2.<key> has, as PyPA's policy says.
LIBSTDCXX = {28: 24, 31: 28, 34: 29, 35: 30, 38: 32, 39: 33}


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(files):
    glibc = 17
    for file in files:
        for library in re.findall(r"NEEDED +(\S+)", said("objdump", "-p", file)):
            if not LIBRARIES.fullmatch(library):
                sys.exit("%s needs %s, which another computer may lack" % (file, library))
        symbols = said("objdump", "-T", file)
        for version in re.findall(r"GLIBC_2\.(\d+)", symbols):
            glibc = max(glibc, int(version))
        for version in map(int, re.findall(r"GLIBCXX_3\.4\.(\d+)", symbols)):
            having = [minor for minor, newest in LIBSTDCXX.items() if newest >= version]
            if not having:
                sys.exit("%s asks for a libstdc++ that no manylinux has yet" % file)
            glibc = max(glibc, min(having)) if version > 24 else glibc
    print("manylinux_2_%d_%s" % (glibc, platform.machine()))


main(sys.argv[1:])

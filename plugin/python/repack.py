#!/usr/bin/env python3
"""Packs a wheel once more, as small as zip can: python3 plugin/python/repack.py FILE. The backend has no such option."""

import os
import sys
import zipfile


def repack(wheel):
    packed = wheel + ".packed"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(packed, "w") as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED, 9)
    os.replace(packed, wheel)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    repack(sys.argv[1])

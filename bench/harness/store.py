"""What earlier runs found out, so that a killed run goes on where it was. A record is used only if
its key is the same: a hash over everything that could change the answer, the contents of the
programs first. Records appear by renaming, so that one that is there is whole."""

import fcntl
import hashlib
import json
import os
import time
from functools import lru_cache
from pathlib import Path

FORMAT = 1  # of the records; a change makes older ones stale


@lru_cache(maxsize=None)
def _digest_of(path, size, modified):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def file_digest(path):
    """Of the contents; empty if there is no such file."""
    if path is None:
        return ""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return _digest_of(str(path), status.st_size, status.st_mtime_ns)


def key(**parts):
    """Of anything that JSON can say."""
    text = json.dumps({"format": FORMAT} | parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


class Store:
    """Records by name. Without a directory it forgets everything."""

    def __init__(self, directory):
        self._directory = Path(directory) if directory else None

    def get(self, name, wanted_key):
        """The record's value, or None if there is none with this key."""
        record = self._read(name)
        return record["value"] if record and record["key"] == wanted_key else None

    def latest(self, name):
        """The same whatever its key, for whoever judges by what is in it."""
        record = self._read(name)
        return record["value"] if record else None

    def _read(self, name):
        if self._directory is None:
            return None
        try:
            record = json.loads((self._directory / f"{name}.json").read_text(encoding="utf-8"))
            return {"key": record["key"], "value": record["value"]}
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, name, record_key, value):
        if self._directory is not None:
            write_json(self._directory / f"{name}.json", {"key": record_key, "value": value})


class Lock:
    """Held while a run writes into a directory; ends with the process, however that ends. A run
    that has just been killed may take a moment to be gone."""

    def __init__(self, directory, patience_seconds=5):
        directory.mkdir(parents=True, exist_ok=True)
        self._file = open(directory / "lock", "w", encoding="utf-8")
        end = time.monotonic() + patience_seconds
        while not self._taken():
            if time.monotonic() > end:
                self._file.close()
                raise SystemExit(f"another run is writing into {directory}")
            time.sleep(0.05)

    def _taken(self):
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            return False

    def release(self):
        self._file.close()

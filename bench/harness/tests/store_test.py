"""A record is used while everything that it depends on is the same, and never half a record."""

import tempfile
import unittest
from pathlib import Path

from bench.harness import store


class StoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = store.Store(self.folder)

    def test_a_record_is_found_by_its_key_only(self):
        self.store.put("blur/root", "key 1", {"seconds": [1.0, float("inf")]})
        self.assertEqual(self.store.get("blur/root", "key 1"), {"seconds": [1.0, float("inf")]})
        self.assertIsNone(self.store.get("blur/root", "key 2"))
        self.assertIsNone(self.store.get("blur/manual", "key 1"))
        self.assertEqual(self.store.latest("blur/root"), {"seconds": [1.0, float("inf")]})
        self.assertIsNone(self.store.latest("blur/manual"))

    def test_a_damaged_record_counts_as_none(self):
        self.store.put("blur/root", "key", 1)
        for text in ('{"key": "key", "va', "[]", '{"key": "key"}'):
            (self.folder / "blur" / "root.json").write_text(text, encoding="utf-8")
            self.assertIsNone(self.store.get("blur/root", "key"))

    def test_without_a_folder_nothing_is_kept(self):
        forgetful = store.Store(None)
        forgetful.put("blur/root", "key", 1)
        self.assertIsNone(forgetful.get("blur/root", "key"))

    def test_a_key_depends_on_every_part(self):
        keys = {
            store.key(a=1, b=2), store.key(a=2, b=1), store.key(a=1, b=None), store.key(a=1),
        }  # fmt: skip
        self.assertEqual(len(keys), 4)
        self.assertEqual(store.key(a=1, b=2), store.key(b=2, a=1))

    def test_a_file_that_changes_has_another_digest(self):
        file = self.folder / "plugin.so"
        file.write_bytes(b"one")
        first = store.file_digest(file)
        file.write_bytes(b"three")
        self.assertNotEqual(store.file_digest(file), first)
        self.assertEqual(store.file_digest(self.folder / "none"), "")

    def test_two_runs_do_not_write_into_one_folder(self):
        held = store.Lock(self.folder)
        with self.assertRaises(SystemExit):
            store.Lock(self.folder, patience_seconds=0.1)
        held.release()
        store.Lock(self.folder).release()


if __name__ == "__main__":
    unittest.main()

"""Stores of samples are read as batches."""

import json
import lzma
import sqlite3
import tempfile
import unittest
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

from bench.harness import apps, learning_data, sample_store, targets

TABLES = """
CREATE TABLE problems (id INTEGER PRIMARY KEY, pipeline TEXT, parameters TEXT, machine TEXT,
    threads INTEGER);
CREATE TABLE traces (id INTEGER PRIMARY KEY, problem INTEGER, text TEXT);
CREATE TABLE samples (id INTEGER PRIMARY KEY, trace INTEGER, repeat INTEGER, status TEXT, message TEXT, seconds TEXT,
    anchor_seconds TEXT, created INTEGER, origin TEXT);
"""


def stand_in_tools(folder, generator):
    """Tools that have one generator."""
    (folder / f"{generator}.generator").touch()
    return SimpleNamespace(generator=lambda name: folder / f"{name}.generator")


class SampleStoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "tune.sqlite"
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(TABLES + f"PRAGMA application_id = {sample_store.APPLICATION};")
            database.execute(
                "INSERT INTO problems VALUES (1, 'harris', '[]', ?, 2), (2, 'blur', '[]', '{}', 4)",
                [json.dumps({"preset": "x86-avx512-zen5"})],
            )
            database.execute("INSERT INTO traces VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'), (4, 1, '')")
            rows = [
                # The anchor was disturbed in the second turn.
                (1, 0, "timed", "", [0.002, 0.002, 0.004], [0.001, 0.080, 0.002]),
                (1, 1, "timed", "", [0.006], [0.003]),
                (2, 0, "wrong", "3 differ", [], []),
                (3, 0, "crashed", "signal 11", [], []),
                (4, 0, "timed", "", [0.001], [0.001]),  # by hand: it has no trace
            ]
            for trace, repeat, status, message, seconds, anchor in rows:
                database.execute(
                    "INSERT INTO samples VALUES (NULL, ?, ?, ?, ?, ?, ?, 0, 'plain')",
                    (trace, repeat, status, message, json.dumps(seconds), json.dumps(anchor)),
                )
            database.commit()

    def test_problems_with_times_are_batches(self):
        (batch,) = learning_data.batches_in(self.path)
        self.assertEqual((batch.app, batch.threads, batch.date), ("harris", 2, "1970-01-01"))
        self.assertEqual(targets.preset_of(batch.machine), "x86-avx512-zen5")
        self.assertEqual(targets.preset_of({"name": "x86-avx2", "cores": 2}), "x86-avx2")
        self.assertEqual(targets.preset_of({"name": "my-box"}), "")
        timed, wrong = batch.samples
        # Twice as long as the anchor in most turns, and so twice its median, 2.5 ms.
        self.assertEqual(timed.times, [[0.005], [0.005]])
        self.assertEqual((wrong.kind, wrong.failure, wrong.ok), ("wrong output", "3 differ", False))

    def test_the_generators_parameters_make_an_app(self):
        with closing(sqlite3.connect(self.path)) as database:
            database.execute(
                "UPDATE problems SET pipeline = 'random_pipeline', parameters = ? WHERE id = 1",
                [json.dumps(["seed=17", "autoscheduler.machine=box.json"])],
            )
            database.commit()
        (batch,) = sample_store.batches_in(self.path)
        self.assertEqual(batch.parameters, {"seed": "17"})
        tools = stand_in_tools(Path(self.path).parent, "random_pipeline")
        app = apps.app_of(batch, {}, tools)
        self.assertEqual((app.name, app.generator), ("random_pipeline_seed17", "random_pipeline"))
        self.assertTrue(apps.is_drawn(app.name))
        listed = apps.App("seventeenth", "random_pipeline", {"seed": "17"})
        self.assertIs(apps.app_of(batch, {"seventeenth": listed}, tools), listed)
        batch.app = "missing"
        self.assertIsNone(apps.app_of(batch, {}, tools))

    def test_what_was_exported_is_read_as_well(self):
        path = self.path.with_name("samples-box.jsonl.xz")
        problem = {"pipeline": "harris", "parameters": "[]", "machine": "{}", "threads": 2}
        sample = {
            "trace": "a", "status": "timed", "message": "", "seconds": [0.002], "anchor_seconds": [0.001],
            "created": 0, "origin": "plain",
        }  # fmt: skip
        with lzma.open(path, "wt", encoding="utf-8") as file:
            chosen = sample | {"trace": "b", "origin": "one shot"}
            lines = ({"cryolite_store": 1}, {"problem": problem}, {"round": {}}, {"sample": sample}, {"sample": chosen})
            for line in lines:
                file.write(json.dumps(line) + "\n")
        (batch,) = learning_data.batches_in(path)
        self.assertEqual((batch.app, batch.samples[0].times), ("harris", [[0.002]]))
        self.assertEqual([s.trace for s in batch.samples], ["b", "a"])  # the search's choice is the first
        self.assertEqual(learning_data.archive_name(path), "box")

    def test_another_database_is_refused(self):
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("PRAGMA application_id = 7")
        with self.assertRaises(SystemExit):
            sample_store.batches_in(self.path)

    def test_a_store_has_a_name(self):
        self.assertEqual(learning_data.archive_name("tuned/tune.sqlite"), "tune")
        self.assertEqual(learning_data.archive_name("batches-zen5-any.tar.xz"), "zen5-any")


if __name__ == "__main__":
    unittest.main()

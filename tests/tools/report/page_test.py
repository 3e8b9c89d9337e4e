"""The page of a report in a browser: it shows the store's figures, sorts, asks for nothing and runs what no store says.

    page_test.py CRYOLITE SCRATCH                       the tests; exit status 77: there is no browser here
    page_test.py --screenshots FOLDER REPORT.html...    pictures, wide and narrow, light and dark
"""

import json
import shutil
import statistics
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import browser

NASTY = "</script><img src=x onerror=\"document.title='broken'\"><b>&amp;{{data}}\u2028"
ANCHOR = [0.004, 0.0041, 0.0039]
MANY = 450  # more than the table shows at once


def spread(values):
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def sample(number, origin, times, status="timed", message="", round_=0, predicted=0.0):
    """times: of the anchor's time, in three turns; none: not timed. Sixteen are a group, whose anchor drifts a little."""
    anchor = [a * (1 + 0.001 * (number // 16)) for a in ANCHOR]
    seconds = [t * a for t, a in zip(times, anchor)]
    nothing = {"median": 0.0, "low": 0.0, "high": 0.0}
    return {"sample": {
        "trace": "" if origin == "by hand" else f"cryolite-trace 1\nalgorithm 0123456789abcdef\n# {number}\n",
        "status": status, "message": message, "seconds": seconds,
        "anchor_seconds": anchor if seconds else [], "spread": spread(seconds) if seconds else nothing,
        "ratio": spread(times) if times else nothing, "predicted_seconds": predicted, "origin": origin,
        "round": round_, "repeat": 0, "seed": 0, "object_hash": number, "build_seconds": 1.5, "run_seconds": 0.5,
        "quiet": number % 7 != 0, "cryolite": "0.1.0", "created": 1_800_000_000 + number,
    }}  # fmt: skip


def made_up_lines():
    problem = {"pipeline": "made_up " + NASTY, "algorithm": "0123456789abcdef", "parameters": json.dumps(["n=3"]),
               "workload": json.dumps({"inputs": {"in": [[0, 640], [0, 480]]}}), "target": "x86-64-linux",
               "machine": json.dumps({"name": "box"}), "halide": "21.0.0", "threads": 2}  # fmt: skip
    rounds = [{"number": n, "seed": n, "draws": "[]", "model": "{}", "rank_correlation": 0.5 * n,
               "created": 1_800_000_000 + 200 * n} for n in (0, 1)]  # fmt: skip
    samples = [sample(1, "plain", [2.0] * 3, predicted=0.009), sample(2, "one shot", [1.0] * 3, predicted=0.003),
               sample(3, "by hand", [0.75, 0.76, 0.74]), sample(4, "greedy", [], "wrong", NASTY),
               sample(5, NASTY, [], "not built", "refused")]  # fmt: skip
    for n in range(6, MANY + 1):
        ratio = 0.5 + ((n * 7919) % 1000) / 1000
        samples.append(sample(n, "changed" if n % 2 else "greedy", [ratio, ratio * 1.01, ratio * 0.99],
                              round_=int(n >= 200), predicted=0.004 * ratio * (1 + 0.2 * ((n % 5) - 2))))  # fmt: skip
    lines = [{"cryolite_store": 1}, {"problem": problem}, *({"round": r} for r in rounds), *samples]
    return "".join(json.dumps(line) + "\n" for line in lines)


def made_up_explanation(trace, seconds):
    stage = {"name": "out$1.s0", "seconds": seconds, "dominating": "compute", "bound_by": "arithmetic", "productions": 1,
             "speedup": 2, "terms": {"compute": seconds}, "features": {}, "raw": {}, "corrected": {},
             "trust": 1, "spread": 0}  # fmt: skip
    body = {"kind": "stage", "of": "out$1.s0", "text": NASTY, "loop": "", "run": "", "extents": [], "children": []}
    term = {"name": "compute", "seconds": seconds, "unit": "s", "appendix_b": "", "doc": NASTY, "constants": [],
            "raw_seconds": seconds}  # fmt: skip
    return {"cryolite_explanation": 6, "pipeline": "made_up", "algorithm": "0123456789abcdef", "target": "x86-64-linux",
            "machine": "box", "machine_source": "made up", "seconds": seconds, "dominating": "compute", "peak_bytes": 0,
            "least_arithmetic_seconds": 0.001, "least_traffic_seconds": 0, "too_large": False, "trace": trace,
            "nest": [{**body, "kind": "compute", "text": "compute out 8", "children": [body]}], "inlined": ["mid"],
            "terms": [term], "stages": [stage], "constants": [], "features": [],
            "is_by_hand": False, "differences": [], "tensor_cores": [], "spread": 0}  # fmt: skip


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.folder = Path(cls.scratch).resolve()
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "tuned").mkdir(parents=True)
        (folder / "lines").write_text(made_up_lines(), encoding="utf-8")
        store = str(folder / "tuned" / "tune.sqlite")
        cls.run_cryolite("store", "import", store, str(folder / "lines"))
        cls.shown = json.loads(cls.run_cryolite("store", "show", store, "--json"))
        cls.listed = json.loads(cls.run_cryolite("store", "ls", store, "--json"))[0]
        one_shot = next(s for s in cls.shown if s["origin"] == "one shot")
        for file, schedule in (("best", cls.shown[0]), ("one_shot", one_shot)):
            (folder / "tuned" / f"{file}.explain.json").write_text(
                json.dumps(made_up_explanation(schedule["trace"], 0.002)), encoding="utf-8")  # fmt: skip
        cls.page = folder / "report.html"
        cls.run_cryolite("report", str(folder / "tuned"), "-o", str(cls.page))
        cls.browser = browser.Browser(browser.find())

    def setUp(self):
        self.browser.open(self.page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    @classmethod
    def run_cryolite(cls, *arguments):
        return subprocess.run([cls.cryolite, *arguments], check=True, capture_output=True, text=True).stdout

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent").replace("\u00a0", " ")

    def column(self, number):
        return self.browser.evaluate(
            f"[...document.querySelectorAll('#samples tbody tr')].map((r) => r.children[{number}].textContent)"
        )

    def test_opens_without_an_error_or_a_request(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests, [self.browser.url])

    def test_asks_for_nothing_while_it_is_used(self):
        self.browser.evaluate("document.querySelectorAll('button').forEach((b) => b.textContent === 'Copy' || b.click())")
        self.browser.open(self.page, width=400, dark=True)
        self.assertEqual((self.browser.errors, self.browser.requests), ([], [self.browser.url]))
        self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 400)

    def test_shows_the_stores_best_time_and_ratios(self):
        best = self.shown[0]
        self.assertAlmostEqual(self.listed["best_seconds"], best["median_seconds"], places=12)
        value = self.text(".tile.main .value")
        self.assertEqual(value, f"{best['median_seconds'] * 1e3:.3f} ms")
        tiles = self.browser.evaluate("[...document.querySelectorAll('.tile')].map((t) => t.innerText)")
        for name, label in (("one shot", "Against one shot"), ("plain", "Against plain"), ("by hand", "Against by hand")):
            other = next(s for s in self.shown if s["origin"] == name)
            tile = next(t for t in tiles if t.startswith(label)).replace("\u00a0", " ")
            self.assertIn(f"{other['ratio'] / best['ratio']:.2f}× faster", tile)
        self.assertIn(str(len(self.shown)), next(t for t in tiles if t.startswith("Schedules tried")))

    def test_shows_each_sample_with_the_stores_figures(self):
        data = json.loads(self.browser.evaluate("document.getElementById('report-data').textContent"))
        kept = [line["sample"] for text in made_up_lines().splitlines() if "sample" in (line := json.loads(text))]
        self.assertEqual(len(data["samples"]), len(kept))
        for shown, sample_ in zip(data["samples"], kept):
            self.assertEqual((shown["status"], shown["message"]), (sample_["status"], sample_["message"]))
            self.assertEqual((shown["seconds"], shown["ratio"]), (sample_["spread"], sample_["ratio"]))

    def test_shows_samples_of_one_status_alone(self):
        self.browser.evaluate(
            "(() => { const s = document.getElementById('sample-status'); s.value = 'wrong';"
            "s.dispatchEvent(new Event('input')); })()"
        )
        self.assertEqual(self.text("#sample-count"), f"1 of {MANY} samples")
        self.assertEqual(self.column(2), ["wrong"])

    def click_head(self, number):
        self.browser.evaluate(f"document.querySelectorAll('#samples th button')[{number}].click()")

    def test_sorts_by_any_column(self):
        self.click_head(3)
        times = [float(t) for t in self.column(3)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#samples th')[3].getAttribute('aria-sort')"),
                         "ascending")  # fmt: skip
        best = min(t["median_seconds"] for t in self.shown if t["status"] == "timed")
        self.assertAlmostEqual(times[0], best * 1e3, places=1)
        self.click_head(3)
        times = [float(t) for t in self.column(3)]
        self.assertEqual(times, sorted(times, reverse=True))
        self.click_head(2)
        self.assertEqual(self.column(2), sorted(self.column(2)))

    def test_shows_more_rows_when_it_is_asked(self):
        self.assertEqual(len(self.column(0)), 100)
        self.browser.evaluate("document.getElementById('sample-more').click()")
        self.assertEqual(self.column(0), [str(n) for n in range(1, MANY + 1)])

    def test_shows_what_a_store_says_as_text(self):
        self.assertEqual(self.text("h1"), "made_up " + NASTY)
        self.assertTrue(self.browser.evaluate("document.title").startswith("made_up </script>"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertIn(NASTY, self.text("#failures"))
        self.assertIn(NASTY, self.text(".nests"))

    def test_draws_its_charts_or_says_that_it_has_none(self):
        for chart in ("best", "model", "anchor"):
            if self.browser.evaluate("hasCharts()"):
                drawn = f"document.querySelectorAll('#chart-{chart} .scatterlayer .point').length"
                self.assertGreater(self.browser.evaluate(drawn), 1, chart)
            else:
                self.assertIn("This chart is missing", self.text(f"#chart-{chart}"))


def take_pictures(folder, pages):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with browser.Browser(browser.find()) as b:
        for page in pages:
            for width in (1280, 400):
                for dark in (False, True):
                    b.open(Path(page).resolve(), width=width, dark=dark)
                    name = f"{Path(page).stem}-{width}-{'dark' if dark else 'light'}.png"
                    b.screenshot(folder / name)
                    print(folder / name, *b.errors)


if __name__ == "__main__":
    if sys.argv[1] == "--screenshots":
        take_pictures(sys.argv[2], sys.argv[3:])
        sys.exit()
    if not browser.find():
        print("skipped: there is no browser here (" + ", ".join(browser.NAMES) + ")")
        sys.exit(77)
    Page.cryolite, Page.scratch = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)

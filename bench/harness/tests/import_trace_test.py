"""Imports as traces of the pipeline without the schedule by hand."""

import unittest

from bench.harness.import_trace import made_funcs, trace_for_ours
from bench.harness.tests.explanations import read_made_up

HEAD = "cryolite-trace 1\nalgorithm 0123\ncompute_root output\n"


def explanation(computed, inlined=(), trace="", algorithm="0123"):
    stages = {f"{func}.s0": (1, 1, 1) for func in computed}
    return read_made_up(stages, algorithm, inlined=inlined, trace=HEAD + trace)


class ImportTraceTest(unittest.TestCase):
    def setUp(self):
        self.ours = explanation(["output", "rows"], ["a_im"])

    def test_the_same_funcs_have_the_same_trace(self):
        by_hand = explanation(["output"], ["rows", "a_im"], "inline rows\ninline a_im\n")
        self.assertEqual(made_funcs(by_hand, self.ours), {})
        self.assertEqual(trace_for_ours(by_hand, self.ours), by_hand.trace)

    def test_a_wrapper_that_is_inlined_changes_nothing(self):
        by_hand = explanation(
            ["output", "rows"], ["a_im_global_wrapper", "a_im"],
            "compute_root rows\ninline a_im_global_wrapper\ninline a_im\n",
        )  # fmt: skip
        self.assertEqual(
            trace_for_ours(by_hand, self.ours), HEAD + "compute_root rows\ninline a_im\n"
        )

    def test_a_wrapper_of_an_input_is_its_copy(self):
        for wrapper in ("a_im_global_wrapper", "a_im_in_rows"):
            by_hand = explanation(
                ["output", wrapper], ["rows", "a_im"],
                f"inline rows\ncompute_at {wrapper} output.s0 y.1\ntile {wrapper}.s0 _0 8\ninline a_im\n",
            )  # fmt: skip
            self.assertEqual(made_funcs(by_hand, self.ours), {})
            self.assertEqual(
                trace_for_ours(by_hand, self.ours),
                HEAD + "inline rows\ncompute_at a_im output.s0 y.1\ntile a_im.s0 _0 8\n",
            )

    def test_two_wrappers_of_an_input_have_no_place(self):
        by_hand = explanation(["output", "rows", "a_im_in_rows", "a_im_in_output"], ["a_im"])
        self.assertEqual(
            made_funcs(by_hand, self.ours), {"a_im_in_rows": "in()", "a_im_in_output": "in()"}
        )
        self.assertIsNone(trace_for_ours(by_hand, self.ours))

    def test_a_wrapper_of_what_is_computed_has_no_place(self):
        by_hand = explanation(["output", "rows", "rows_in_output"], ["a_im"])
        self.assertEqual(made_funcs(by_hand, self.ours), {"rows_in_output": "in()"})

    def test_partial_sums_have_no_place(self):
        by_hand = explanation(["output", "rows", "rows_intm"], ["a_im"], algorithm="4567")
        self.assertEqual(made_funcs(by_hand, self.ours), {"rows_intm": "rfactor"})
        self.assertIsNone(trace_for_ours(by_hand, self.ours))

    def test_another_pipeline_has_no_trace_here(self):
        by_hand = explanation(["output", "rows"], ["a_im"], algorithm="4567")
        self.assertEqual(made_funcs(by_hand, self.ours), {"all": "another pipeline"})

    def test_funcs_that_halide_numbers_otherwise_have_our_names(self):
        ours = explanation(["output"], ["repeat_edge", "repeat_edge$1", "a_im"])
        by_hand = explanation(
            ["output", "repeat_edge$11"], ["repeat_edge$2", "a_im"],
            "compute_at repeat_edge$11 output.s0 y\ninline repeat_edge$2\ninline a_im\n",
        )  # fmt: skip
        self.assertEqual(
            trace_for_ours(by_hand, ours),
            HEAD + "compute_at repeat_edge$1 output.s0 y\ninline repeat_edge\ninline a_im\n",
        )


if __name__ == "__main__":
    unittest.main()

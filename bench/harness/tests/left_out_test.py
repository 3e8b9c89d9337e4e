"""What matters of what an import leaves out, and the Funcs that a schedule by hand makes."""

import unittest

from bench.harness import left_out
from bench.harness.tests.explanations import read_made_up

TAIL = "output.s0: tails of splits: y by 64 GuardWithIf, here ShiftInwards"


class LeftOutTest(unittest.TestCase):
    def kinds(self, differences, funcs=("output.s0",), algorithm="0123"):
        ours = read_made_up({"output.s0": (1, 1, 1)}, inlined=["input_im"])
        stages = {name: (1, 1, 1) for name in funcs}
        by_hand = read_made_up(
            stages, algorithm, differences=differences, inlined=["input_im"]
        )
        return left_out.kinds(by_hand, ours)

    def test_a_line_has_a_place_a_directive_and_what_became_of_it(self):
        found = left_out.parse("rows.s1: vectorize(c): not_vectorizable; no vectors instead")
        self.assertEqual((found.where, found.func, found.name), ("rows.s1", "rows", "vectorize"))
        self.assertEqual(found.what, "not_vectorizable; no vectors instead")
        self.assertEqual(left_out.parse("f: align_bounds(x, 2): not aligned").func, "f")
        self.assertEqual(left_out.parse("f.s0: split of x by 16: why").name, "split")
        self.assertEqual(left_out.parse(TAIL).name, "tails of splits")

    def test_tails_memory_and_splits_of_nothing_do_not_matter(self):
        lines = [
            TAIL, "f: store_in(Stack): where Halide chooses",
            "f.s0: split of x by 16: only 4 points are needed at the estimates; not split",
            "f.s0: partition(x, Never): as Halide chooses",
        ]  # fmt: skip
        self.assertEqual(self.kinds(lines), [])
        by_hand = read_made_up({"output.s0": (1, 1, 1)}, differences=lines)
        self.assertEqual(
            left_out.minor(by_hand), ["tails of splits", "store_in", "split", "partition"]
        )

    def test_funcs_with_the_same_directive_stand_together(self):
        lines = [
            "a: compute_with(b, y): in loops of its own",
            *(f"f{i}: align_bounds(x, {i}): the region is not aligned" for i in range(5)),
            "a.s0: vectorize(x): a vector of points that lie 2 apart; a vector of neighbours instead",
            "b.s0: vectorize(x): a vector of points that lie 3 apart; a vector of neighbours instead",
        ]
        self.assertEqual(
            self.kinds(lines),
            [
                "align_bounds of f0, f1, f2 and 2 more (the region is not aligned)",
                "vectorize of a, b (a vector of points that lie 2 apart)",
                "compute_with of a (in loops of its own)",
            ],
        )

    def test_funcs_that_the_schedule_makes_are_left_out_too(self):
        funcs = ("output.s0", "a.s0", "sum_intm.s0", "sum_intm.s1", "a_in_sum.s0")
        self.assertEqual(
            self.kinds([], funcs, "4567"), ["rfactor makes sum_intm", "in() makes a_in_sum"]
        )


if __name__ == "__main__":
    unittest.main()

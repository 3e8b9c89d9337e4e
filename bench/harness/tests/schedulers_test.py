"""Who is asked to schedule, and with which parameters."""

import unittest

from bench.harness.schedulers import (
    GPU_STRATEGIES,
    OURS,
    STRATEGIES,
    cpu_schedulers,
    schedulers_for,
    why_none,
)


class Schedulers(unittest.TestCase):
    def test_strategies_are_cryolite_with_a_parameter(self):
        known = cpu_schedulers(threads=3)
        for name in STRATEGIES:
            self.assertEqual(known[name].plugin, OURS)
            self.assertTrue(known[name].autoscheduler)
            self.assertEqual(known[name].parameters, {"parallelism": "3", "strategy": name})

    def test_everyone_else_is_asked_by_name(self):
        known = cpu_schedulers(threads=3)
        self.assertEqual(known[OURS].parameters, {"parallelism": "3"})
        for name in ("Mullapudi2016", "Adams2019", OURS):
            self.assertEqual(known[name].plugin, name)

    def test_strategies_for_cpus_have_nothing_for_gpus(self):
        target = "host-cuda-cuda_capability_80"
        known = schedulers_for(target, 2, "21.0.0")
        for name in STRATEGIES:
            self.assertNotIn(name, known)
            self.assertIn("CPUs only", why_none(name, target))

    def test_strategies_for_gpus_have_nothing_for_cpus(self):
        known = schedulers_for("host-cuda-cuda_capability_80", 2, "21.0.0")
        for name in GPU_STRATEGIES:
            self.assertEqual(known[name].plugin, OURS)
            self.assertEqual(known[name].parameters, {"strategy": name})
            self.assertEqual(why_none(name, "host-opencl"), "")
            self.assertNotIn(name, cpu_schedulers(threads=3))
            self.assertIn("GPUs only", why_none(name, "host"))


if __name__ == "__main__":
    unittest.main()

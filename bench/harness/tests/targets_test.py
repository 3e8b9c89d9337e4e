"""What is known of GPUs here is what machine/gpu.cpp says."""

import re
import unittest

from bench.harness import targets
from bench.harness.tests.processes_test import CHECKOUT


class TargetsTest(unittest.TestCase):
    def test_gpus_are_the_presets(self):
        text = (CHECKOUT / "machine" / "gpu.cpp").read_text(encoding="utf-8")
        presets = re.findall(r'preset\("([^"]+)", "[^"]+", \d+, \d+, (\d+),', text)
        self.assertEqual({name: int(processors) for name, processors in presets}, targets.PROCESSORS_OF_GPUS)

    def test_a_host_is_a_target_without_its_gpu(self):
        self.assertEqual(targets.host_of("host-cuda-cuda_capability_80"), "host")
        self.assertEqual(targets.host_of("x86-64-linux-avx2-opencl-fma"), "x86-64-linux-avx2-fma")


if __name__ == "__main__":
    unittest.main()

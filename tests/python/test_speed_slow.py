"""The evaluator through Python costs at most 5 % more than in C++, on 2^24 elements."""

import os
import subprocess
import time

import numpy as np
import pytest

import actkit

N = 1 << 24


def seconds(f, x, out, repeats):
    best = 1e9
    for _ in range(repeats):
        start = time.perf_counter()
        f(x, out=out)
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize("name", ["gelu", "exp", "relu"])
def test_evaluation_through_python(name):
    program = os.environ.get("ACTKIT_EVALUATE_TIME")
    if not program:
        pytest.skip("evaluate_time is not built")
    x = (np.float32(-8) + np.float32(16) * np.arange(N, dtype=np.float32) / np.float32(N)).astype(np.float32)
    out = np.empty_like(x)
    f = actkit.Catalog.embedded()[name]
    f(x, out=out)
    ratios = []
    for _ in range(6):  # other work on the machine disturbs one side or the other
        native = float(subprocess.run([program, name, "5"], capture_output=True, text=True, check=True).stdout)
        python = seconds(f, x, out, 5)
        ratios.append(python / native)
        print(f"{name}: C++ {native * 1e3:.2f} ms, Python {python * 1e3:.2f} ms, ratio {ratios[-1]:.3f}")
        if ratios[-1] <= 1.05:
            return
    assert min(ratios) <= 1.05

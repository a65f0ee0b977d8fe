"""Helpers for tests: comparisons in units of the last place, and of bits. NaN never slips through."""

import numpy as np

from . import _actkit, _arrays


def _same_shape(actual, expected):
    if np.shape(actual) != np.shape(expected):
        raise AssertionError(f"shapes differ: {np.shape(actual)} and {np.shape(expected)}")


def ulp_distance(actual, expected):
    """Steps between float32 values, float64 of their common shape; 0 where both are NaN, inf where only one is."""
    a, b = np.broadcast_arrays(_arrays.float32(actual), _arrays.float32(expected))
    return _actkit.ulp_distance(np.ascontiguousarray(a), np.ascontiguousarray(b)).reshape(a.shape)


def _report(title, wrong, columns, limit=5):
    lines = [title]
    for at in np.argwhere(wrong)[:limit]:
        at = tuple(int(i) for i in at)
        lines.append(f"  at {list(at)}: " + ", ".join(f"{name} {show(at)}" for name, show in columns))
    return "\n".join(lines)


def assert_ulp(actual, expected, max_ulp, *, nan="equal"):
    """Fails unless every element is within `max_ulp` steps of float32 of the expected one.

    +0 and -0 are equal, infinity is the step after the largest finite value. `nan`: "equal" wants NaN exactly where NaN is expected; "forbid" wants
    none on either side. Shapes must be the same.
    """
    if nan not in ("equal", "forbid"):
        raise ValueError("nan is 'equal' or 'forbid'")
    actual, expected = _arrays.to_numpy(actual), _arrays.to_numpy(expected)
    _same_shape(actual, expected)
    a, b = _arrays.float32(actual), _arrays.float32(expected)
    if nan == "forbid" and (np.isnan(a).any() or np.isnan(b).any()):
        raise AssertionError(_report("NaN where none is allowed", np.isnan(a) | np.isnan(b), [("actual", lambda i: a[i]), ("expected", lambda i: b[i])]))
    distance = ulp_distance(a, b)
    wrong = ~(distance <= max_ulp)
    if wrong.any():
        what = "only one side is NaN" if np.isinf(distance).any() else f"largest distance {distance.max():.0f} ULP"
        raise AssertionError(_report(f"{int(wrong.sum())} of {wrong.size} elements differ by more than {max_ulp} ULP; {what}", wrong,
                                     [("actual", lambda i: a[i]), ("expected", lambda i: b[i]), ("ULP", lambda i: distance[i])]))


def assert_bits(actual, expected):
    """Fails unless shapes, data types and every bit agree: -0 is not +0, and NaN is its pattern."""
    actual, expected = _arrays.to_numpy(actual), _arrays.to_numpy(expected)
    _same_shape(actual, expected)
    if actual.dtype != expected.dtype:
        raise AssertionError(f"data types differ: {actual.dtype} and {expected.dtype}")
    size = actual.dtype.itemsize
    a = np.frombuffer(actual.tobytes(), np.uint8).reshape(*actual.shape, size)
    b = np.frombuffer(expected.tobytes(), np.uint8).reshape(*actual.shape, size)
    wrong = (a != b).any(axis=-1)
    if wrong.any():
        def pattern(x):
            return lambda i: "0x" + x[i][::-1].tobytes().hex()

        raise AssertionError(_report(f"{int(wrong.sum())} of {wrong.size} elements differ", wrong, [("actual", pattern(a)), ("expected", pattern(b))]))

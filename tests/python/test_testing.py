"""assert_ulp and assert_bits: what passes and what must not."""

import numpy as np
import pytest

import actkit
from actkit.testing import ulp_distance

F = np.float32
NAN, INF = F("nan"), F("inf")
NEXT = np.nextafter(F(1), F(2))


@pytest.mark.parametrize("a,b,ulp", [
    (1, 1, 0), (1, NEXT, 1), (0.0, -0.0, 0), (INF, INF, 0), (NAN, NAN, 0), (np.finfo(F).max, INF, 1), (F(2**-149), F(-(2**-149)), 2), ([1, 2], [1, 2], 0), ([], [], 0),
])
def test_passes(a, b, ulp):
    actkit.assert_ulp(F(a), F(b), ulp)
    if ulp:
        with pytest.raises(AssertionError, match="ULP"):
            actkit.assert_ulp(F(a), F(b), ulp - 1)


@pytest.mark.parametrize("a,b", [(NAN, F(1)), (F(1), NAN), (INF, -INF), (F(1), INF), ([1, NAN], [1, 1])])
def test_fails_at_any_small_distance(a, b):
    with pytest.raises(AssertionError):
        actkit.assert_ulp(F(a), F(b), 1000)


@pytest.mark.parametrize("a,b", [(NAN, F(1)), (F(1), NAN)])
def test_a_nan_never_slips_through(a, b):
    for limit in (0, 2**40, np.float64("1e300")):
        with pytest.raises(AssertionError, match="NaN"):
            actkit.assert_ulp(a, b, limit)


def test_nan_can_be_forbidden():
    with pytest.raises(AssertionError, match="NaN"):
        actkit.assert_ulp(NAN, NAN, 0, nan="forbid")
    with pytest.raises(ValueError):
        actkit.assert_ulp(1, 1, 0, nan="x")


def test_shapes_count():
    for f in (lambda a, b: actkit.assert_ulp(a, b, 0), actkit.assert_bits):
        with pytest.raises(AssertionError, match="shapes"):
            f(np.zeros(3, F), np.zeros((3, 1), F))


def test_the_message_says_where():
    with pytest.raises(AssertionError, match=r"at \[1, 2\].*actual 7"):
        actkit.assert_ulp(F([[0, 0, 0], [0, 0, 7]]), np.zeros((2, 3), F), 1)


@pytest.mark.parametrize("a", [F([1, NAN, -0.0]), np.int8([-1]), np.float64([[1.5]]), np.zeros((0, 3), F), np.bool_([True])])
def test_bits_of_equal_arrays(a):
    actkit.assert_bits(a, a.copy(order="F"))


@pytest.mark.parametrize("a,b", [(F(0.0), F(-0.0)), (F(1), NEXT), (np.uint32([0x7FC00000]).view(F), np.uint32([0x7FC00001]).view(F)), (np.int8([1]), np.uint8([1]))])
def test_bits_that_differ(a, b):
    with pytest.raises(AssertionError):
        actkit.assert_bits(a, b)


def test_distances():
    one = 0x3F800000
    np.testing.assert_array_equal(ulp_distance(F([1, 0]), F([[NEXT], [0]])), [[1, one + 1], [one, 0]])

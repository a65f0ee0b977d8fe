"""Tile blocks: text, JSON lines, runs; parity with the program."""

import json

import numpy as np
import pytest

import actkit
from actkit import tile


@pytest.fixture
def relu(source):
    return (source / "examples/tile/relu.pto").read_text()


def test_relu(relu):
    m = tile.Machine()
    x = np.float32([[-1, 2, -0.5]])
    m.load("T#2", x)
    steps = m.run(relu)
    np.testing.assert_array_equal(m.array("T#1"), np.maximum(x, 0))
    assert len(steps) == 5 and steps[0]["command"].startswith("BSTART") and not steps[0]["fault"]
    assert m.describe()["tiles"][0]["register"] == "T#1" and "T#1" in str(m) and m.pc > 0


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("make", [lambda x: x, np.asfortranarray, lambda x: x[::-1], lambda x: np.repeat(x, 2, 1)[:, ::2]])
def test_every_dtype_and_order(dtype, make):
    name = {"f4": "FP32", "f2": "FP16", "f8": "FP64"}.get(dtype, ("S" if dtype[0] == "i" else "U") + str(8 * int(dtype[1])))
    x = make((np.arange(12).reshape(3, 4) - (5 if dtype[0] in "fi" else 0)).astype(dtype))
    m = tile.Machine()
    m.load("T#2", x)
    np.testing.assert_array_equal(m.array("T#2"), x)
    m.run(f"BSTART.VEC TRELU, {name}\nB.DIM LB0 = 4\nB.DIM LB1 = 3\nC.B.DIMI 4, ->LB2\nB.IOT T#2, mask=0001, last, ->U<128B>\nBSTOP\n")
    np.testing.assert_array_equal(m.array("U#1"), np.maximum(x, 0))


def test_text_and_bytes(relu, source, program, tmp_path):
    data = tile.assemble(relu)
    file = tmp_path / "x.bin"
    assert program("tile", "asm", source / "examples/tile/relu.pto", "-o", file)[0] == 0
    assert file.read_bytes() == data
    assert tile.disassemble(data).encode() == program("tile", "dis", file)[1]
    lines = [json.loads(line) for line in program("tile", "dis", "--json", file)[1].decode().splitlines()]
    assert tile.commands(data) == lines
    assert tile.assemble_json(lines) == data == tile.assemble(tile.disassemble(data))
    assert tile.check(data) == [] == tile.check(relu)
    assert "FP32" in tile.types()


def test_what_is_wrong():
    with pytest.raises(actkit.ActkitError) as caught:
        tile.assemble("BSTOP\nNOTHING\n")
    assert caught.value.diagnostics[0].line == 2 and caught.value.diagnostics[0].code == "tile-syntax"
    assert [d.code for d in tile.check("NOTHING")] == ["tile-syntax"]
    found = tile.check(b"\x91\x91\x71\x09")
    assert found and found[0].severity == "error" and found[0].code == "tile-encoding"


def test_faults_carry_their_diagnostic():
    m = tile.Machine()
    with pytest.raises(actkit.ActkitError) as caught:
        m.run("BSTOP")
    assert caught.value.diagnostics[0].code == "bundle-control"
    with pytest.raises(actkit.ActkitError) as caught:
        tile.Machine().run("BSTART.VEC TRELU, FP32\nB.DIM LB0 = 3\n")
    assert caught.value.diagnostics[0].code == "tile-open-block"


@pytest.mark.parametrize("call", [
    lambda m: m.load("T#99", np.zeros((1, 1), np.float32)), lambda m: m.load("T#1", np.zeros((1, 1), np.float32), type="FP99"),
    lambda m: m.load("T#1", np.zeros((1, 1), np.float32), type="S8"), lambda m: m.load("T#1", np.zeros((1, 1), np.float32), layout="x"),
    lambda m: m.load("T#1", np.zeros((1, 1), np.float32), mask=16), lambda m: m.load("T#1", np.zeros((1, 1), complex)), lambda m: m.array("T#1"), lambda m: m.set_gpr("zz", 1),
    lambda m: m.load("T#1", np.zeros((0, 4), np.float32)), lambda m: m.load("T#1", np.zeros((2, 2, 2), np.float32)), lambda m: m.load("T#1", np.zeros((9000, 8), np.float32)),
])
def test_refused_set_ups(call):
    with pytest.raises(actkit.ActkitError) as caught:
        call(tile.Machine())
    assert caught.value.diagnostics


def test_options():
    m = tile.Machine(tile_capacity=512, pc=0x100)
    x = np.int8([[-1, 2, 3], [4, -5, 6]])
    m.load("T#1", x, columns=8, capacity=128, mask=0b0010, defined=[[1, 1, 1], [1, 1, 0]])
    m.set_gpr("a0", 3)
    assert m.pc == 0x100
    with pytest.raises(actkit.ActkitError):
        m.array("T#1")  # an undefined element
    assert m.describe()["tile_capacity"] == 512

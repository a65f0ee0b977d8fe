"""Simulation: examples against their committed bits and against the program; inputs and outputs of every kind."""

import gc
import json
import sys
import threading

import numpy as np
import pytest

import actkit

EXAMPLES = sorted(p.stem for p in (__import__("conftest").SOURCE / "examples").glob("*.act") if p.stem != "first")


def inputs_of(source, name):
    folder = source / "examples/data" / name
    return {p.stem: np.load(p) for p in folder.glob("*.npy") if not p.stem.startswith("expected_")}


def expected_of(source, name):
    folder = source / "examples/data" / name
    return {p.stem.removeprefix("expected_"): np.load(p) for p in folder.glob("expected_*.npy")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_give_the_committed_bits(name, source):
    program = actkit.Program.open(source / "examples" / (name + ".act"))
    outputs, warnings, trace = actkit.Simulator().run(program, inputs_of(source, name))
    expected = expected_of(source, name)
    assert expected and trace is None
    for tensor, want in expected.items():
        got = outputs[tensor]
        if got.dtype.kind == "V" or got.dtype.name not in ("float32", "float16") and got.dtype.kind == "f":
            got = got.view(want.dtype)
        actkit.assert_bits(got.reshape(want.shape), want)
    assert not [w for w in warnings if w.severity == "error"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_as_the_program_does(name, source, program, tmp_path):
    path = source / "examples" / (name + ".act")
    data = source / "examples/data" / name
    declared = actkit.Program.open(path)
    arguments = [f"--in={p.stem}={p}" for p in data.glob("*.npy") if not p.stem.startswith("expected_")]
    arguments += [f"--out={t.name}={tmp_path / t.name}.npy" for t in declared.tensors if t.role == "output"]
    status, out, err = program("run", path, *arguments, "--trace", tmp_path / "trace.txt", "--compare", "exact", "--json")
    assert status == 0, err
    result = actkit.Simulator().run(declared, inputs_of(source, name), trace=True, compare=True)
    summary = json.loads(out)
    assert result.instructions == summary["instructions"] and result.estimated_ns == summary["estimated_ns"]
    assert result.trace.text == (tmp_path / "trace.txt").read_text()
    for ours, theirs in zip(result.comparisons, summary["compare"], strict=True):
        assert {k: ours[k] for k in theirs} == theirs
    for tensor, got in result.outputs.items():
        want = np.load(tmp_path / f"{tensor}.npy")
        assert got.tobytes() == want.tobytes()
    reported = [json.loads(line) for line in err.decode().splitlines()]
    assert [w.to_dict()["message"] for w in result.warnings] == [r["message"] for r in reported]
    assert len(result.trace) == result.instructions
    assert json.loads(result.trace.chrome)["traceEvents"]
    assert [r["opcode"] for r in result.trace][:1] == [actkit.decode(result.trace.records[0]["bytes"]).opcode]


COPY = """.tensor xs input sbuf[p0+0x0] {0} [4,8]
.tensor ys output sbuf[p0+0x400] {0} [4,8]
.engine DVE
copy src=xs dst=ys channels=4
"""


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "int8", "uint8", "int16", "uint16", "int32", "uint32"])
@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_arrays_go_in_and_come_out(dtype, order):
    kind = {"fp32": "f4", "fp16": "f2"}.get(dtype, dtype)
    values = np.arange(32).reshape(4, 8).astype(kind)
    x = {"C": values, "F": np.asfortranarray(values), "strided": np.repeat(values, 2, axis=1)[:, ::2], "reversed": values[::-1][::-1]}[order]
    y = actkit.Simulator().run(COPY.format(dtype), {"xs": x}).outputs["ys"]
    assert y.dtype == values.dtype
    np.testing.assert_array_equal(y, values)


@pytest.mark.parametrize("dtype,shift", [("bfloat16", 16)])
def test_codes_of_bfloat16(dtype, shift):
    codes = np.random.default_rng(2).integers(0, 1 << 15, (4, 8)).astype(np.uint16)
    result = actkit.Simulator().run(COPY.format(dtype), {"xs": codes})
    np.testing.assert_array_equal(result.outputs["ys"].view(np.uint16), codes)
    np.testing.assert_array_equal(result.values("ys").view(np.uint32), codes.astype(np.uint32) << shift)
    rounded = actkit.Simulator().run(COPY.format(dtype), {"xs": np.full((4, 8), 1.0, np.float64)})
    np.testing.assert_array_equal(rounded.outputs["ys"].view(np.uint16), np.full((4, 8), 0x3F80))


@pytest.mark.parametrize("x,code", [
    (np.zeros((4, 7), np.float32), "bad-binding"), (np.zeros((0,), np.float32), "bad-binding"), (np.zeros((4, 8), np.int32), "bad-binding"),
    (np.zeros((4, 8), complex), "bad-binding"), (np.full((4, 8), "a"), "bad-binding"),
])
def test_wrong_shapes_and_dtypes(x, code):
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.Simulator().run(COPY.format("fp32"), {"xs": x})
    assert caught.value.diagnostics[0].code == code


def test_unknown_names():
    simulator = actkit.Simulator()
    with pytest.raises(actkit.ActkitError, match="xs, ys"):
        simulator.run(COPY.format("fp32"), {"z": np.zeros((4, 8), np.float32)})
    for make in (lambda: actkit.Simulator(policies={"no": "x"}), lambda: actkit.Simulator(policies={"affine": "x"}), lambda: actkit.Simulator(gen="v9"),
                 lambda: actkit.Simulator(catalog="nothing"), lambda: actkit.Simulator(catalog="with_ln"),
                 lambda: simulator.run("nop", tables="x"), lambda: simulator.run("nop", threads=0), lambda: actkit.Simulator(gen="v2").run(".gen cayman\nnop")):
        with pytest.raises(actkit.ActkitError):
            make()
    assert actkit.Simulator(catalog="with_ln", allow_tonga_ids=True).catalog.id_space == "tonga"


def test_what_stops_a_run_is_raised_with_its_place():
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.Simulator().run("nop\nwrite\n", {})
    d = caught.value.diagnostics[-1]
    assert d.code == "not-simulated" and d.instruction == 1 and d.line == 2


def test_warnings_come_back():
    result = actkit.Simulator().run(COPY.format("fp32"))
    assert any(w.code == "undefined-read" and w.severity == "warning" for w in result.warnings)


def test_policies_change_what_is_open():
    # x = scale = 0x3F800800, bias = 0xBF801000: two roundings give 0, a fused multiply-add 2^-24.
    text = """.tensor xs input sbuf[p0+0x0] fp32 [1,1]
.tensor bs input sbuf[p0+0x4] fp32 [1,1]
.tensor ys output sbuf[p0+0x8] fp32 [1,1]
activation_table_load set=0
activate copy src=xs dst=ys channels=1 scale=0x3f800800 bias=bs
"""
    arrays = {"xs": np.uint32([[0x3F800800]]).view(np.float32), "bs": np.uint32([[0xBF801000]]).view(np.float32)}
    got = {c: actkit.Simulator(policies={"affine": c}).run(text, arrays).outputs["ys"].view(np.uint32).item() for c in ("two_roundings", "fused")}
    assert got == {"two_roundings": 0, "fused": 0x33800000}
    rows = {r["name"]: r for r in actkit.policies()}
    assert rows["affine"]["default"] == "two_roundings" and list(rows["affine"]["choices"]) == ["two_roundings", "fused"]


def test_accumulators_go_in_and_come_out():
    text = """.tensor xs input sbuf[p0+0x0] fp32 [2,4]
.tensor ys output sbuf[p0+0x10] fp32 [2,4]
activation_table_load set=0
activate copy src=xs dst=ys channels=2 accumulator_cmd=ACCUMULATE
"""
    start = np.zeros(128, np.float32)
    start[:2] = [10, 20]
    result = actkit.Simulator().run(text, {"xs": np.ones((2, 4), np.float32)}, accumulators={"ACT": start})
    np.testing.assert_array_equal(result.accumulators["ACT"][:3], [14, 24, 0])
    assert result.accumulators["DVE"].shape == (128,)
    with pytest.raises(actkit.ActkitError):
        actkit.Simulator().run(text, accumulators={"ACT": np.zeros(3)})


def test_device_tables_and_threads_give_the_same_bits(source):
    name = "w1_flash_attention"
    program = actkit.Program.open(source / "examples" / (name + ".act"))
    inputs = inputs_of(source, name)
    want = actkit.Simulator().run(program, inputs)
    for options in ({"tables": "device"}, {"threads": 2}):
        got = actkit.Simulator().run(program, inputs, **options)
        for tensor in want.outputs:
            assert got.outputs[tensor].tobytes() == want.outputs[tensor].tobytes()


def test_instructions_run_without_text():
    simulator = actkit.Simulator(gen="cayman")
    assert simulator.run([actkit.make("NOP"), actkit.make("HALT")]).instructions == 2
    assert simulator.run(actkit.make("NOP")).instructions == 1
    assert simulator.run(actkit.assemble("nop")).instructions == 1
    with pytest.raises(actkit.ActkitError):
        simulator.run(bytes(63))


def test_two_threads_at_once(source):
    program = actkit.Program.open(source / "examples/softmax.act")
    inputs = inputs_of(source, "softmax")
    want = expected_of(source, "softmax")["y"].tobytes()
    wrong = []

    def work():
        simulator = actkit.Simulator()
        for _ in range(5):
            if simulator.run(program, inputs).outputs["y"].tobytes() != want:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_outputs_outlive_the_run_and_counts_stay():
    x = np.ones((4, 8), np.float32)
    simulator = actkit.Simulator()
    kept = [simulator.run(COPY.format("fp32"), {"xs": x}).outputs["ys"] for _ in range(3)]
    gc.collect()
    before = sys.getrefcount(x)
    for _ in range(10):
        simulator.run(COPY.format("fp32"), {"xs": x}, trace=True)
    gc.collect()
    assert sys.getrefcount(x) == before
    kept[0][0, 0] = 5
    assert kept[1][0, 0] == 1 and kept[0][0, 0] == 5

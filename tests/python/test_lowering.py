"""Modules: built in Python, read, lowered, run; parity with the modules that C++ builds."""

import json

import numpy as np
import pytest

import actkit

EXAMPLES = sorted(p.stem for p in (__import__("conftest").SOURCE / "examples").glob("*.json"))


def softmax():
    """The words of examples/kernels.h, in Python."""
    b = actkit.Builder("softmax")
    rows, y = b.input("rows", "fp32", (128, 64)), b.output("y", "fp32", (128, 64))
    weight, negmax = b.scratch("weight", "fp32", (128, 64)), b.scratch("negmax", "fp32", (128, 1))
    total, recip = b.scratch("total", "fp32", (128, 1)), b.scratch("recip", "fp32", (128, 1))
    b.block("softmax")
    b.reduce("MAX", "X", rows, negmax, negated=True).name("row-max")
    b.activate("exp", rows, weight).bias(negmax).accumulate("ZeroAccumulate").name("weights")
    b.drain(total).name("row-sum")
    b.reciprocal(total, recip).name("row-reciprocal")
    b.activate("Copy", weight, y).scale(recip).name("normalise")
    return b.finish()


def rmsnorm():
    b = actkit.Builder("w2_rmsnorm")
    rows, eps = b.input("rows", "fp32", (2, 4096)), b.input("eps", "fp32", (2, 1))
    out, acc, rstd = b.output("out", "bf16", (2, 4096)), b.output("acc", "fp32", (2, 1)), b.output("rstd", "fp32", (2, 1))
    junk = b.scratch("junk", "bf16", (2, 2048))
    b.block("rmsnorm")
    b.activate("square", rows.columns(0, 2048), junk).accumulate("ZeroAccumulate").name("square-0")
    b.activate("square", rows.columns(2048, 4096), junk).accumulate("AddAccumulate").drain(acc).name("square-1")
    b.activate("reciprocal_sqrt", acc, rstd).scale(1 / 4096).bias(eps).name("rsqrt")
    b.activate("copy", rows, out).scale(rstd).name("scale")
    return b.finish()


@pytest.mark.parametrize("make,name", [(softmax, "softmax"), (rmsnorm, "w2_rmsnorm")])
def test_the_builder_makes_what_c_makes(make, name, source):
    assert make().to_json() == (source / f"examples/{name}.json").read_text()


@pytest.mark.parametrize("name", EXAMPLES)
def test_modules_round_trip_and_verify(name, source):
    text = (source / f"examples/{name}.json").read_text()
    m = actkit.Module.from_json(text)
    assert m.to_json() == text and m.verify() == [] == actkit.check(m)
    assert actkit.Module.from_json(m.to_dict()).to_json() == text
    assert actkit.Module.open(source / f"examples/{name}.json").name == m.name and m.gen in repr(m) and not m.lowered


@pytest.mark.parametrize("name", [n for n in EXAMPLES if (__import__("conftest").SOURCE / "examples/data" / n).is_dir()])
def test_modules_give_the_committed_bits(name, source):
    data = source / "examples/data" / name
    m = actkit.Module.open(source / f"examples/{name}.json")
    inputs = {p.stem: np.load(p) for p in data.glob("*.npy") if not p.stem.startswith("expected_")}
    result = actkit.Simulator().run(m, inputs)
    compared = 0
    for p in data.glob("expected_*.npy"):
        tensor = p.stem.removeprefix("expected_")
        if tensor in result.outputs:
            assert result.outputs[tensor].tobytes() == np.load(p).tobytes(), tensor
            compared += 1
    assert compared


@pytest.mark.parametrize("cover", ["greedy", "first-fit", "optimal"])
def test_lowering(cover):
    lowered, report, notes = actkit.lower(softmax(), cover=cover)
    assert lowered.lowered and lowered.dynamic_pwp and lowered.verify() == []
    assert lowered.to_json().count('"LoadActFuncSet"') == 1  # exp and copy share a set
    assert not [n for n in notes if n.severity == "error"]
    assert report.data["left"] == 1 == len(report.loads) and report.loads[0]["set_name"] == "exp_and_others"
    table = report.table
    assert list(table["activation"]) == ["weights", "normalise"] and set(table["set"]) == {"exp_and_others"}
    assert "exp_and_others" in str(report) and "<td>weights</td>" in report._repr_html_()


def test_static_mode():
    lowered = actkit.lower(softmax(), table_mode="static").module
    assert lowered.act_set and lowered.to_json().count('"LoadActFuncSet"') == 0


def test_a_set_that_is_resident_from_the_start(source):
    inputs = {"rows": np.load(source / "examples/data/softmax/rows.npy")}
    want = np.load(source / "examples/data/softmax/expected_y.npy")
    compiled = actkit.compile(softmax(), table_mode="static")
    simulator = actkit.Simulator()
    for result in (simulator.run(compiled, inputs), simulator.run(compiled.program, inputs, resident=compiled.module.act_set), simulator.run(compiled.module, inputs)):
        actkit.assert_bits(result.outputs["y"], want)
        assert not [w for w in result.warnings if w.code in ("no-table-set", "wrong-table-set")]
    assert [w.code for w in simulator.run(compiled.program, inputs).warnings if w.code == "no-table-set"]
    with pytest.raises(actkit.ActkitError):
        simulator.run(compiled.program, inputs, resident="nothing")


def test_single_passes():
    names = [name for name, doc in actkit.passes()]
    assert names[:4] == ["lower_act", "prefetch_act", "optimize_act", "verify_act"]
    lowered = actkit.lower(softmax(), only="lower_act").module
    assert lowered.to_json().count('"LoadActFuncSet"') >= 1
    with pytest.raises(actkit.ActkitError):
        actkit.lower(softmax(), only="nothing")


@pytest.mark.parametrize("keywords", [{"cover": "x"}, {"table_mode": "x"}, {"load_form": "x"}, {"catalog": "nothing"}])
def test_unknown_choices(keywords):
    with pytest.raises(actkit.ActkitError):
        actkit.lower(softmax(), **keywords)


@pytest.mark.parametrize("name", [n for n in EXAMPLES if (__import__("conftest").SOURCE / "examples/data" / n).is_dir()])
def test_compiled_streams_are_those_of_the_program_and_give_the_committed_bits(name, source, program, tmp_path):
    path, data = source / f"examples/{name}.json", source / "examples/data" / name
    module = actkit.Module.open(path)
    has_container = module.gen in ("sunda", "cayman")  # the only ones whose containers are known
    compiled = actkit.compile(module, neff=f"{name}.neff" if has_container else "")
    status, out, err = program("compile", path, "-o", tmp_path / "theirs", *(["--neff", tmp_path / f"{name}.neff"] if has_container else []))
    assert status == 0, err
    compiled.to_directory(tmp_path / "ours")
    theirs = {p.name: p.read_bytes() for p in (tmp_path / "theirs").iterdir()}
    assert {p.name: p.read_bytes() for p in (tmp_path / "ours").iterdir()} == theirs
    if has_container:
        ours, container = actkit.Neff.from_bytes(compiled.neff), actkit.Neff.open(tmp_path / f"{name}.neff")
        assert ours.members == container.members and ours.target == module.gen
        assert all(ours.member(m).tobytes() == container.member(m).tobytes() for m in ours.members)
    else:
        with pytest.raises(actkit.ActkitError):
            actkit.compile(module, neff="x.neff")
    again = actkit.Program.open(tmp_path / "ours")
    assert sorted((x.engine, x.data) for x in again.streams) == sorted((x.engine, x.data) for x in compiled.program.streams)
    assert [t.name for t in again.tensors] == [t.name for t in compiled.program.tensors] and again.gen == module.gen
    assert not [d for d in actkit.check(compiled.program, final=True) if d.severity == "error"]
    inputs = {p.stem: np.load(p) for p in data.glob("*.npy") if not p.stem.startswith("expected_")}
    result = actkit.Simulator().run(compiled.program, inputs)
    compared = 0
    for p in data.glob("expected_*.npy"):
        tensor = p.stem.removeprefix("expected_")
        if tensor in result.outputs:
            assert result.outputs[tensor].tobytes() == np.load(p).tobytes(), tensor
            compared += 1
    assert compared and compiled.module.lowered and len(compiled.sets) == len({row["set"] for row in compiled.report.table})


def test_refused_code_generation(tmp_path):
    b = actkit.Builder("branches")
    y = b.output("out", "fp32", (4, 8))
    b.branch("EQ", 3, 7, then=lambda: b.memset(y, 0))
    module = b.finish()
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.compile(module)
    assert caught.value.diagnostics[0].code == "lowering"
    compiled = actkit.compile(softmax(), stream_prologue=True, idle_clears=True)
    assert actkit.decode_stream(compiled.program.streams[0].data)[0].opcode == "SET_ORDERING_MODE" and compiled.neff == b""
    compiled.to_directory(tmp_path / "out")
    with pytest.raises(actkit.ActkitError):
        compiled.to_directory(tmp_path / "out")
    compiled.to_directory(tmp_path / "out", replace=True)


def test_what_cannot_be_covered():
    only_exp = actkit.Catalog.of("small", {"one": [actkit.Catalog.embedded()["exp"]]})
    b = actkit.Builder("gelu")
    x, y = b.input("rows", "fp32", (4, 8)), b.output("out", "fp32", (4, 8))
    b.activate("gelu", x, y)
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.lower(b.finish(), only_exp)
    assert caught.value.diagnostics[0].code == "lowering"


def build_nested():
    b = actkit.Builder("nested")
    x, y, z = b.input("rows", "fp32", (4, 8)), b.output("sum", "fp32", (4, 8)), b.output("taken", "fp32", (4, 8))
    b.reg(3, 7)
    b.memset(y, 0)

    @b.loop("i", 5)
    def _():
        b.tensor_tensor("ADD", x, y, y)

    b.branch("EQ", 3, 7, then=lambda: b.memset(z, actkit.Bits(0x3F800000)), otherwise=lambda: b.memset(z, 0))
    b.call("twice")

    @b.function("twice")
    def _():
        b.tensor_scalar(y, y, "MULT", 2.0, "ADD", 1.0)

    return b.finish()


def test_structure_runs():
    m = build_nested()
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    result = actkit.Simulator().run(m, {"rows": x})
    np.testing.assert_array_equal(result.outputs["sum"], 2 * 5 * x + 1)
    np.testing.assert_array_equal(result.outputs["taken"], np.ones_like(x))
    kinds = json.dumps(m.to_dict())
    assert '"i"' in kinds and '"twice"' in kinds


def test_every_word_of_the_builder():
    b = actkit.Builder("words", gen="mariana")
    x, m, y = b.input("rows", "fp32", (32, 64)), b.input("mask", "uint8", (32, 64)), b.output("out", "fp32", (32, 64))
    one, small = b.scratch("column", "fp32", (32, 1)), b.scratch("codes", "int32", (32, 64))
    p = b.tensor("inpsum", "scratch", "fp32", (32, 64), "psum")
    assert (x.dtype, x.partitions, x.elements, p.addr >= 0x2000000) == ("FP32", 32, 64, True)
    b.activate("tanh", x, y).scale(actkit.Bits(0x3F000000)).bias(0.5).alpha(0.1).on("Activation").line(12).wait(3, 0).increment(4)
    b.activate("copy", x, y).stages("MULT", "ADD").update("SEM_INC_READ", 4)
    b.dve_drain(one)
    b.exponential(x, y, 1.0)
    b.copy(x, y)
    b.cast(x, small)
    b.copy_predicated(m, x, y)
    b.mask_select([0] * 32)
    b.stream_shuffle(x, y)
    b.reduce("ADD", "X", x, one)
    b.isa("NOP", "DVE").set("debug_cmd" if "debug_cmd" in actkit.make("NOP").fields else "inst_flags", 1)
    b.tensor_scalar(x, y, "MULT", actkit.Register(5), "ADD", one)
    b.load(0)
    b.load_expression(0, [])
    walked, part = x.walked([8, 8], [1, 8]), x.channels(0, 16, "mariana")
    assert walked.elements == 64 and part.partitions == 16
    b.copy(walked, y)
    with pytest.raises(actkit.ActkitError):
        x.columns(0, 65)
    with pytest.raises(actkit.ActkitError):
        x.channels(0, 33)


def test_instructions_are_refined_before_the_next():
    b = actkit.Builder("late")
    x, y = b.input("rows", "fp32", (4, 8)), b.output("out", "fp32", (4, 8))
    first = b.activate("exp", x, y)
    b.activate("copy", x, y)
    with pytest.raises(actkit.ActkitError, match="before the next"):
        first.scale(2.0)
    last = b.copy(x, y)
    b.finish()
    for call in (lambda: last.name("x"), lambda: b.copy(x, y), b.finish, lambda: b.input("late", "fp32", (1, 1))):
        with pytest.raises(actkit.ActkitError):
            call()


@pytest.mark.parametrize("call", [
    lambda b, x: b.activate("nothing", x, x), lambda b, x: b.input("rows", "fp32", (4, 8)), lambda b, x: b.call("nothing"), lambda b, x: b.isa("NOP", "DVE").set("nothing", 1),
    lambda b, x: b.output("toolarge", "fp32", (4, 1 << 20)),
])
def test_faults_come_at_the_end(call):
    b = actkit.Builder("faults")
    x = b.input("rows", "fp32", (4, 8))
    b.copy(x, x)
    call(b, x)
    with pytest.raises(actkit.ActkitError) as caught:
        b.finish()
    assert caught.value.diagnostics


@pytest.mark.parametrize("call", [
    lambda b, x: b.reduce("NOTHING", "X", x, x), lambda b, x: b.reduce("MAX", "NOTHING", x, x), lambda b, x: b.input("new", "fp99", (1, 1)), lambda b, x: b.input("new", "fp32", ()),
    lambda b, x: b.input("new", "fp32", (1, 1), "dram"), lambda b, x: b.isa("NOTHING", "DVE"), lambda b, x: b.isa("NOP", "NOTHING"), lambda b, x: b.mask_select([0]),
    lambda b, x: b.activate("exp", x, x).accumulate("x"), lambda b, x: b.branch("x", 0, 0, lambda: None),
])
def test_wrong_names_are_told_at_once(call):
    b = actkit.Builder("wrong")
    x = b.input("rows", "fp32", (4, 8))
    with pytest.raises(actkit.ActkitError):
        call(b, x)


def test_exceptions_of_bodies_pass_through():
    b = actkit.Builder("raises")

    def body():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        b.loop("i", 2, body)


@pytest.mark.parametrize("text,code", [("{", "json-syntax"), ("{}", None), ('{"actkit_module":1,"x":1}', None)])
def test_bad_modules(text, code):
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.Module.from_json(text, "mine.json")
    d = caught.value.diagnostics[0]
    assert d.file == "mine.json" and (code is None or d.code == code)

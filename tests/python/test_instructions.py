"""Instructions: bytes, objects, text, checks; parity with the program."""

import json
import pickle

import numpy as np
import pytest

import actkit
from actkit import instructions

# One ACTIVATE by hand after the field map: opcode 0x21 at byte 0, length 16 at byte 1; S3D3_AC as `actkit info S3D3_AC` draws it.
HEADER = bytes([0x21, 16])
EXAMPLES = sorted(p.name for p in (__import__("conftest").SOURCE / "examples").glob("*.act"))


def some_bundles():
    rng = np.random.default_rng(5)
    for row in instructions._actkit.opcodes():
        data = bytearray(rng.integers(0, 256, 64, dtype=np.uint8).tobytes())
        data[0] = row["code"]
        yield row["name"], bytes(data)


@pytest.mark.parametrize("name,data", some_bundles(), ids=lambda v: v if isinstance(v, str) else "")
def test_decode_encode_is_identity_for_any_bytes(name, data):
    i = actkit.decode(data)
    assert i.opcode == name
    assert actkit.encode(i) == data
    assert actkit.assemble(i.to_text()) == data
    assert actkit.Instruction.from_json(i.to_json()).encode() == data


def test_bytes_of_no_opcode_are_kept():
    data = bytes(range(0x0B, 0x0B + 64))
    assert instructions._actkit.format_index(data) is None
    i = actkit.decode(data)
    assert i.opcode is None and i.format is None
    assert i.encode() == data and i.to_text().startswith(".bytes 0b0c0d")


def test_fields_have_the_names_and_places_of_the_published_map(shared):
    published = json.loads((shared / "spec/formats.json").read_text())
    formats = published["formats"]
    for name, cls in instructions.FORMATS.items():
        rows = formats.get(name)
        if rows is None:
            continue
        for field in rows["fields"]:
            if field["name"] == "opcode":
                continue
            assert hasattr(cls, field["name"]), (name, field["name"])
            row = cls._rows[field["name"]]
            assert (row["byte"], row["bytes"]) == (field["offset"], field["size"]), (name, field["name"])


def test_editing_a_field_changes_its_bytes_only():
    i = actkit.make("ACTIVATE")
    assert i.encode() == HEADER + bytes(62)
    row = type(i)._rows["num_active_channels"]
    i.num_active_channels = 128
    expected = bytearray(HEADER + bytes(62))
    expected[row["byte"]] = 128
    assert i.encode() == bytes(expected)


def test_descriptor_fields():
    i = actkit.make("ACTIVATE", src_mem_pattern=actkit.Pattern(0x2000000, (1, 2, -3), (4, 5, 6)))
    at = type(i)._rows["src_mem_pattern"]["byte"]
    assert i.encode()[at:at + 16] == bytes.fromhex("00000002" "0100" "0200" "fdff" "0400" "0500" "0600")
    assert i.src_mem_pattern.elements == 120
    i.src_mem_pattern = i.src_mem_pattern._replace(num=(7, 1, 1))
    assert i.src_mem_pattern == ((0x2000000, (1, 2, -3), (7, 1, 1)))


def test_pairs_of_types():
    i = actkit.make("COPY_PREDICATED", in0_in1_dtype=actkit.DtypePair("UINT8", "FP32"))
    at = type(i)._rows["in0_in1_dtype"]["byte"]
    assert i.encode()[at] == 0xA3 and i.in0_in1_dtype == ("UINT8", "FP32") and i.in0_in1_dtype.hi == "FP32"


def test_gathers():
    i = actkit.make("COPY", src_mem_pattern=actkit.Gather(index_addr=0x20001000, data_addr=0x2000, count=16))
    assert i.src_mem_pattern == actkit.Gather(0x20001000, 0x2000, 16)
    at = type(i)._rows["src_mem_pattern"]["byte"]
    assert i.encode()[at:at + 10] == bytes.fromhex("00100020" "00200000" "1000")


def test_float_fields_take_floats_and_patterns():
    i = actkit.make("ACTIVATE", scale_value=0.1)
    assert i.scale_value == 0x3DCCCCCD and i.scale_value.f32 == np.float32(0.1)
    i.scale_value = 0x7FC00001
    assert int(i.scale_value) == 0x7FC00001


def test_enumerators_by_name_and_number():
    i = actkit.make("ACTIVATE", out_dtype="FP32")
    assert i.out_dtype == "FP32"
    i.out_dtype = 6
    assert i.out_dtype == "BFLOAT16"
    i.out_dtype = 0x17  # no name
    assert i.out_dtype == 0x17


@pytest.mark.parametrize("field,value,code", [
    ("out_dtype", "FP33", "unknown-name"), ("num_active_channels", 256, "bad-value"), ("num_active_channels", -1, "bad-value"),
    ("num_active_channels", "many", "json-type"), ("src_mem_pattern", {"addr": 0}, "json-missing"), ("no_such_field", 1, "unknown-field"),
])
def test_refused_values_carry_diagnostics(field, value, code):
    i = actkit.make("ACTIVATE")
    with pytest.raises(actkit.ActkitError) as caught:
        setattr(i, field, value)
    assert caught.value.diagnostics[0].code == code
    assert i.encode() == HEADER + bytes(62)


def test_every_attribute_is_documented():
    for cls in instructions.FORMATS.values():
        for name in cls.fields:
            assert len(getattr(cls, name).__doc__) > 10, (cls, name)


@pytest.mark.parametrize("size", [0, 63, 65, 128])
def test_decode_wants_64_bytes(size):
    with pytest.raises(actkit.ActkitError, match="64 bytes"):
        actkit.decode(bytes(size))


def test_decode_takes_any_buffer():
    data = actkit.assemble("nop")
    for source in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), np.frombuffer(data, np.uint8)[::-1][::-1]):
        assert actkit.decode(source).encode() == data


def test_stream_of_instructions():
    data = actkit.assemble("nop\nhalt\n")
    stream = actkit.decode_stream(data)
    assert [i.opcode for i in stream] == ["NOP", "HALT"]
    assert actkit.encode(stream) == data
    assert actkit.disassemble(stream) == "nop\nhalt\n"
    assert actkit.encode([]) == b"" and actkit.decode_stream(b"") == []
    with pytest.raises(actkit.ActkitError):
        actkit.decode_stream(data[:-1])


def test_changing_the_opcode_stays_in_the_format():
    i = actkit.make("NOP")
    with pytest.raises(actkit.ActkitError):
        i.opcode = "ACTIVATE"
    assert i.opcode == "NOP"
    for opcode in ("NO_SUCH", 256, -1):
        with pytest.raises(actkit.ActkitError):
            actkit.make(opcode)


def test_replace_and_equality():
    i = actkit.make("ACTIVATE", num_active_channels=3)
    j = i.replace(num_active_channels=4)
    assert i != j and i == i.replace() and i.num_active_channels == 3
    assert "activate" in repr(i)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_assemble_as_the_program_does(name, source, program, tmp_path):
    text = (source / "examples" / name).read_text()
    whole = actkit.Program.from_text(text)
    for stream in whole.streams:
        status, out, err = program("asm", source / "examples" / name, "--engine", stream.engine, "-o", "-")
        assert status == 0, err
        assert actkit.assemble(text, engine=stream.engine) == out == stream.data
        file = tmp_path / "x.bin"
        file.write_bytes(out)
        _, listing, _ = program("dis", file, "--gen", whole.gen)
        assert actkit.disassemble(out, gen=whole.gen) == listing.decode().split("\n", 1)[1]
        _, lines, _ = program("dis", "--json", file, "--gen", whole.gen)
        for line, instruction in zip(lines.decode().splitlines(), actkit.decode_stream(out)):
            want = json.loads(line)
            assert instruction.to_json(gen=whole.gen, index=want["index"]) == want


def test_profiler_style(program, tmp_path):
    data = actkit.assemble("activate exp src=psum[p0] fp32 [1 x 512] dst=sbuf[p0] fp32 [1 x 512] channels=128\nnop")
    file = tmp_path / "x.bin"
    file.write_bytes(data)
    assert actkit.disassemble(data, style="profiler").encode() == program("dis", "--style", "profiler", file)[1]


BAD = "activate exp src=psum[p3] fp32 [1 x 512] dst=sbuf[p0] fp32 [1 x 511] channels=129\nnop\n"


@pytest.mark.parametrize("final", [False, True])
def test_check_says_what_the_program_says(final, program, tmp_path):
    file = tmp_path / "x.bin"
    file.write_bytes(actkit.assemble(BAD))
    status, out, _ = program("check", "--json", *(["--final"] if final else []), file)
    want = [json.loads(line) for line in out.decode().splitlines()]
    for d in want:
        d.pop("file")
    got = [d.to_dict() for d in actkit.check(file.read_bytes(), final=final)]
    assert got == want and status == 1


def test_check_of_text_says_where(program, tmp_path):
    file = tmp_path / "x.act"
    file.write_text(BAD)
    out = program("check", "--json", file)[1]
    want = [json.loads(line) for line in out.decode().splitlines()]
    got = [d.to_dict() for d in actkit.check(BAD)]
    assert [(d["line"], d.get("column"), d["rule"], d.get("field")) for d in got] == [(d["line"], d.get("column"), d["rule"], d.get("field")) for d in want]


def test_check_of_clean_things():
    i = actkit.make("NOP")
    assert actkit.check(i) == [] and actkit.check([i, i]) == [] and actkit.check(b"") == []
    assert actkit.check(actkit.Program.from_text("nop")) == []
    assert [d.code for d in actkit.check("nop nop")] == ["text-syntax"]


def test_known_sets_are_looked_at():
    text = "activation_table_load set=0\nactivate gelu src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8] channels=128\n"
    assert any(d.rule == "table_loaded_before_use" for d in actkit.check(text))
    assert not any(d.rule == "table_loaded_before_use" for d in actkit.check(text, catalog=None))


def test_text_errors_carry_line_and_column():
    with pytest.raises(actkit.ActkitError) as caught:
        actkit.assemble("nop\nactivat exp\nnop then semi[3]++\n")
    assert [d.line for d in caught.value.diagnostics] == [2, 3]
    first = caught.value.diagnostics[0]
    assert first.column and first.severity == "error" and first.code in str(caught.value)


def test_warnings_are_python_warnings():
    with pytest.warns(actkit.ActkitWarning) as caught:
        actkit.assemble("activate2 exp src=psum[p0] fp32 [1 x 8] dst=sbuf[p0] fp32 [1 x 8] channels=128", gen="cayman")
    assert caught[0].message.diagnostic.severity == "warning"


def test_several_streams_need_a_choice():
    text = ".engine ACT\nnop\n.engine DVE\nhalt\n"
    with pytest.raises(actkit.ActkitError):
        actkit.assemble(text)
    assert actkit.assemble(text, engine="dve") == actkit.assemble("halt")
    assert actkit.assemble("") == b""


@pytest.mark.parametrize("gen", ["sunda", "v3", "trn2", "Mariana", "maverick"])
def test_generation_names(gen):
    assert actkit.assemble("nop", gen=gen)[:2] == b"\xa4\x10"


def test_unknown_generation():
    with pytest.raises(actkit.ActkitError, match="cayman"):
        actkit.assemble("nop", gen="v9")


def test_diagnostics_pickle_and_compare():
    found = actkit.check(BAD)
    assert pickle.loads(pickle.dumps(found[0])).to_dict()["rule"] == found[0].rule
    error = pickle.loads(pickle.dumps(actkit.ActkitError(found)))
    assert len(error.diagnostics) == len(found)
    assert found[0] == found[0] and found[0] != found[1]
    assert set(found[0].to_dict()) <= {"severity", "code", "rule", "field", "file", "instruction", "byte", "line", "column", "end_column", "pointer", "value", "allowed", "message"}


def test_program_round_trip(source, tmp_path):
    for name in EXAMPLES:
        p = actkit.Program.open(source / "examples" / name)
        again = actkit.Program.from_text(p.to_text())
        assert [(s.engine, s.data) for s in again.streams] == [(s.engine, s.data) for s in p.streams]
        assert [(t.name, t.role, t.addr, t.dtype, t.shape) for t in again.tensors] == [(t.name, t.role, t.addr, t.dtype, t.shape) for t in p.tensors]
    file = tmp_path / "x.bin"
    file.write_bytes(actkit.assemble("nop"))
    assert actkit.Program.open(file).streams[0].data == file.read_bytes()
    (tmp_path / "DVE.bin").write_bytes(actkit.assemble("halt"))
    assert [s.engine for s in actkit.Program.open(tmp_path).streams] == ["DVE"]
    lines = tmp_path / "x.jsonl"
    lines.write_text(json.dumps(actkit.make("NOP").to_json()) + "\n")
    assert actkit.Program.open(lines).streams[0].data == actkit.assemble("nop")


def test_program_by_hand():
    p = actkit.Program("sunda")
    p.add_stream("act", actkit.assemble("nop"))
    p.add_tensor("x", "input", actkit.make_address("sbuf", 32, 0x100, "sunda"), "bf16", (32, 8))
    p.set_register(5, 0x40)
    text = p.to_text()
    assert ".gen sunda" in text and ".tensor x input sbuf[p32+0x100] bfloat16 [32,8]" in text
    assert len(p.streams[0]) == 1
    for wrong in (lambda: p.add_stream("XYZ", b""), lambda: p.add_stream("ACT", bytes(63)), lambda: p.add_tensor("x", "input", 0, "fp32", (1, 1)),
                  lambda: p.add_tensor("y", "in", 0, "fp32", (1, 1)), lambda: p.add_tensor("y", "input", 0, "fp99", (1, 1)),
                  lambda: p.add_tensor("y", "input", 0, "fp32", ()), lambda: p.set_register(64, 0), lambda: actkit.make_address("dram"),
                  lambda: actkit.make_address("sbuf", 128), lambda: actkit.make_address("sbuf", 0, 1 << 20)):
        with pytest.raises(actkit.ActkitError):
            wrong()


def test_info():
    assert "ACTIVATE" in actkit.info("activate") and actkit.info("no such thing") is None

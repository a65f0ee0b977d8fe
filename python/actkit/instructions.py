"""Instructions as objects. One class per format, made from the rows of the instruction set: attributes are the field names.

    >>> i = actkit.decode(data)
    >>> i.num_active_channels = 64
    >>> actkit.encode(i)
"""

import dataclasses
import json
import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import _actkit
from ._support import refuse

BYTES = 64


class Bits(int):
    """A 32-bit pattern; `f32` is the binary32 number that it is."""

    @property
    def f32(self):
        """The number with this pattern."""
        return struct.unpack("<f", struct.pack("<I", self))[0]

    def __repr__(self):
        return f"Bits({int(self):#010x}, f32={self.f32!r})"


class Register(NamedTuple):
    """An operand that stands in an address register, 0..63."""

    number: int


class Pattern(NamedTuple):
    """A tensor descriptor: address word, steps and counts in elements, dimension 0 (the innermost) first."""

    addr: int
    step: tuple
    num: tuple

    @property
    def elements(self):
        """Elements per channel."""
        n = 1
        for count in self.num:
            n *= count
        return n


@dataclass(frozen=True)
class Gather:
    """The indirect form of a descriptor."""

    index_addr: int
    data_addr: int
    count: int


class DtypePair(NamedTuple):
    """Two data types in one byte."""

    lo: str
    hi: str


def _from_json(kind, value):
    if kind == "tensor":
        if "index_addr" in value:
            return Gather(value["index_addr"], value["data_addr"], value["count"])
        return Pattern(value["addr"], tuple(value["step"]), tuple(value["num"]))
    if kind == "nibbles":
        return DtypePair(value["lo"], value["hi"])
    if kind in ("f32", "immediate"):
        return Bits(value)
    if kind in ("bytes", "text"):
        return bytes.fromhex(value)
    return value


def _opcode_byte(opcode):
    """Number of an opcode given by name, alias or number. Errors: unknown-name, bad-value."""
    if isinstance(opcode, str):
        return _actkit.parse_opcode(opcode)
    if not 0 <= int(opcode) <= 255:
        refuse("bad-value", "an opcode is one byte", field="opcode", value=opcode, allowed="0..255, or a name")
    return int(opcode)


def _float_bits(value):
    return int(np.float32(value).view(np.uint32))


def _to_json(kind, size, value):
    if isinstance(value, Gather):
        return dataclasses.asdict(value)
    if isinstance(value, (Pattern, DtypePair)):
        return {k: list(v) if isinstance(v, tuple) else v for k, v in value._asdict().items()}
    if kind in ("f32", "immediate") and isinstance(value, (float, np.floating)):
        return _float_bits(value)
    if kind == "text" and isinstance(value, str):
        value = value.encode("ascii")
    if kind in ("bytes", "text") and isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).ljust(size, b"\0").hex()
    if isinstance(value, np.generic):
        return value.item()
    return value


class Instruction:
    """Any instruction: 64 bytes that belong to no format, or the base of a format's class.

    `Instruction.from_bytes(data)` and `decode(data)` give an object of the class of the format. Every byte is kept as it is,
    reserved ones included, so that encoding gives the same 64 bytes back.
    """

    format = None
    """Name of the format, None for bytes that no opcode owns."""
    fields = ()
    """Names of the fields in wire order."""
    _index = None
    _rows = {}
    __slots__ = ("_bytes",)

    def __init__(self, opcode=None, **values):
        self._bytes = bytearray(BYTES)
        if opcode is not None:
            self._bytes[0] = _opcode_byte(opcode)
            self._bytes[1] = _actkit.INST_WORD_LEN
            if _class_of(self._bytes) is not type(self):
                refuse("bad-value", f"the opcode has another format than {self.format}", field="opcode", value=opcode)
        for name, value in values.items():
            setattr(self, name, value)

    @staticmethod
    def from_bytes(data):
        """The instruction in 64 bytes. Error: bad-size."""
        cls = _class_of(data)
        self = cls.__new__(cls)
        self._bytes = bytearray(data)
        return self

    @staticmethod
    def from_json(line):
        """From a line of `dis --json`, as text or as a dict. Errors: json-*, unknown-name, unknown-field, bad-value."""
        text = line if isinstance(line, str) else json.dumps(line)
        return Instruction.from_bytes(_actkit.assemble_json(text.replace("\n", " "), "-"))

    @property
    def opcode(self):
        """Name of the opcode; None when the byte is none. Set by name or number of an opcode of the same format."""
        return _actkit.opcode_name(self._bytes[0]) or None

    @opcode.setter
    def opcode(self, value):
        before = self._bytes[0]
        self._bytes[0] = _opcode_byte(value)
        if _class_of(self._bytes) is not type(self):
            self._bytes[0] = before
            refuse("bad-value", f"the opcode has another format than {self.format}", field="opcode", value=value)

    @property
    def code(self):
        """The opcode byte."""
        return self._bytes[0]

    def encode(self):
        """The 64 bytes."""
        return bytes(self._bytes)

    def to_json(self, gen=_actkit.DEFAULT_GENERATION, index=0):
        """The object that `dis --json` prints for it, as a dict."""
        return json.loads(_actkit.json_line(self._bytes, index, gen))

    def to_text(self, gen=_actkit.DEFAULT_GENERATION, style="text"):
        """Its line of assembly; `style="profiler"` gives the vendor profiler's operand text."""
        return _actkit.disassemble(self._bytes, gen, style == "profiler").rstrip("\n")

    def replace(self, **values):
        """A copy with some fields changed."""
        other = Instruction.from_bytes(self._bytes)
        for name, value in values.items():
            setattr(other, name, value)
        return other

    def __bytes__(self):
        return bytes(self._bytes)

    def __eq__(self, other):
        return self._bytes == other._bytes if isinstance(other, Instruction) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return f"<{type(self).__name__} {self.to_text()}>"

    def __setattr__(self, name, value):
        if name != "_bytes" and not isinstance(getattr(type(self), name, None), property):
            refuse("unknown-field", f"{self.format or 'no format'} has no such field", field=name, allowed=", ".join(self.fields))
        object.__setattr__(self, name, value)


def _field_property(format_index, field_index, row):
    kind, size = row["kind"], row["bytes"]

    def get(self):
        return _from_json(kind, _actkit.get_field(self._bytes, format_index, field_index))

    def put(self, value):
        _actkit.set_field(self._bytes, format_index, field_index, _to_json(kind, size, value))

    values = f" One of {row['choices']}, by name; integers where a value has no name." if row["choices"] else ""
    return property(get, put, doc=f"{row['doc']} ({row['type']}, byte {row['byte']}).{values}")


def _reserved_property(byte, size):
    def get(self):
        return bytes(self._bytes[byte:byte + size])

    def put(self, value):
        if len(value) != size:
            refuse("bad-size", "reserved bytes have a fixed length", field=f"reserved_{byte}", value=len(value), allowed=size)
        self._bytes[byte:byte + size] = value

    return property(get, put, doc=f"{size} reserved bytes at byte {byte}; zero in valid instructions.")


def _make_class(index, row):
    names = [f["name"] for f in row["fields"] if f["name"] != "opcode"]
    body = {"format": row["name"], "fields": tuple(names), "_index": index, "__slots__": (), "__doc__": row["doc"] + ".",
            "__module__": __name__, "_rows": {f["name"]: f for f in row["fields"]}}
    for i, f in enumerate(row["fields"]):
        if f["name"] == "opcode":
            continue
        assert not hasattr(Instruction, f["name"]), f["name"]
        body[f["name"]] = _field_property(index, i, f)
    for byte, size in row["reserved"]:
        body[f"reserved_{byte}"] = _reserved_property(byte, size)
    return type(row["name"], (Instruction,), body)


FORMATS = {row["name"]: _make_class(i, row) for i, row in enumerate(_actkit.formats())}
"""Class of every format by its name; the classes are attributes of this module too."""
globals().update(FORMATS)
_CLASSES = list(FORMATS.values())


def _class_of(data):
    index = _actkit.format_index(data)
    return Instruction if index is None else _CLASSES[index]


def make(opcode, **fields):
    """A new instruction of an opcode (name, alias or number): all fields zero but those given. Errors: unknown-name, unknown-field, bad-value."""
    probe = bytearray(BYTES)
    probe[0] = _opcode_byte(opcode)
    return _class_of(probe)(probe[0], **fields)


def decode(data):
    """The instruction in 64 bytes (bytes, buffer or uint8 array), as an object of its format's class. Error: bad-size."""
    return Instruction.from_bytes(data)


def decode_stream(data):
    """The instructions of a whole stream, a list. Error: bad-size when the length is no multiple of 64."""
    data = memoryview(data).cast("B")
    if len(data) % BYTES:
        refuse("bad-size", "a stream of instructions is a multiple of 64 bytes long", value=f"{len(data)} bytes", allowed="a multiple of 64 bytes")
    return [decode(bytes(data[i:i + BYTES])) for i in range(0, len(data), BYTES)]


def encode(instructions):
    """Bytes of an instruction, or of several behind each other."""
    if isinstance(instructions, Instruction):
        return instructions.encode()
    return b"".join(i.encode() for i in instructions)

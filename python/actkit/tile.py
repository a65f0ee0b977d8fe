"""PTO tile blocks: assemble, check, run. Follows the public model; not verified on hardware."""

import numpy as np

from . import _actkit, _arrays
from ._support import refuse, warn

_tile = _actkit.tile


def assemble(text):
    """Text of block commands to bytes. Errors: tile-syntax with line and column."""
    data, warnings = _tile.assemble(text)
    warn(warnings)
    return data


def assemble_json(lines):
    """The lines of `commands()` or `actkit tile dis --json` (text, or a list of dicts) to bytes."""
    if not isinstance(lines, str):
        import json

        lines = "\n".join(json.dumps(line) for line in lines)
    return _tile.assemble_json(lines)


def disassemble(data):
    """Bytes to text, one line a command; what is no command becomes a .bytes line."""
    return _tile.disassemble(data)


def commands(data):
    """The commands as dicts with the keys of `actkit tile dis --json`."""
    return _tile.lines(data)


def check(program):
    """What of a program (text or bytes) is no command, a list of Diagnostic. What a block may do is known when it runs."""
    if isinstance(program, str):
        try:
            program = assemble(program)
        except ValueError as error:
            return list(getattr(error, "diagnostics", ()))
    return _tile.check(program)


def types():
    """Names of the tile data types."""
    return _tile.types()


class Machine:
    """Tile registers and status, and what runs on them. `tile_capacity`: bytes; `pc`: address of the first command."""

    def __init__(self, tile_capacity=None, pc=0):
        self._state = _tile.State(pc=pc) if tile_capacity is None else _tile.State(tile_capacity, pc)

    def load(self, register, array, *, type="", capacity=None, columns=None, layout="RowMajor", mask=0b0001, defined=None):
        """Puts a two-dimensional array into a tile register ("T#1"): its shape is the valid rectangle.

        `type`: tile type, else that of the array. `capacity`: bytes. `columns`: physical ones, a power of two. `mask`: participating PEs, PE0 the most
        significant of four bits. `defined`: booleans, elements that are written. Error: tile-setup.
        """
        array = _arrays.to_numpy(array)
        if not type and _arrays.device_dtype(array) == "BFLOAT16":
            type = "BF16"
        if defined is not None:
            defined = np.asarray(defined, dtype=bool)
        self._state.load(register, np.asarray(_arrays.codes_of(array)), type, capacity, columns, layout, mask, defined)

    def array(self, register):
        """The valid rectangle of a register; types that NumPy lacks as unsigned codes. Error: tile-setup."""
        return self._state.array(register)

    def set_gpr(self, name, value):
        """Sets a general register ("a0"). Error: unknown-name."""
        self._state.set_gpr(name, value)

    def run(self, program):
        """Runs text or bytes to the end. Result: one dict per command. Errors: the fault by name, with the address, command and reason."""
        if isinstance(program, str):
            program = assemble(program)
        steps = self._state.run(program)
        if self._state.open_block:
            refuse("tile-open-block", "the program ends inside a block; nothing of it was done")
        return steps

    pc = property(lambda self: self._state.pc, doc="Address of the next command.")

    def describe(self):
        """The whole state as a dict, as `actkit tile run --json` prints it."""
        return self._state.describe()

    def __str__(self):
        return self._state.text()

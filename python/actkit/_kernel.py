"""From a kernel-interface call to a program of real instructions, its checks and its run."""

import contextlib
import contextvars
import itertools
import threading
import warnings

import numpy as np

from . import _actkit, _arrays
from ._errors import ActkitError, ActkitWarning
from ._support import refuse
from .assembly import Program
from .simulator import Simulator

# Elements per partition that the public kernel interface allows.
FREE_LIMITS = {"sbuf": 1 << 16, "psum": 1 << 12}
_ALIGN = 64
_MAX_COUNT = (1 << 16) - 1  # counts of a descriptor are 16 bits
_HARMLESS = {"output-not-written", "input-not-read"}


class Target:
    """What calls run on: generation, tables, policies, and what happens outside a function's documented range."""

    def __init__(self, gen=_actkit.DEFAULT_GENERATION, catalog=_actkit.DEFAULT_CATALOG, policies=None, domain="warn"):
        if domain not in ("warn", "error", "ignore"):
            refuse("unknown-name", "no such choice", field="domain", value=domain, allowed="warn, error, ignore")
        self.simulator = Simulator(gen, catalog, policies)
        self.domain = domain
        self._local = threading.local()

    gen = property(lambda self: self.simulator.gen, doc="Generation.")
    catalog = property(lambda self: self.simulator.catalog, doc="The tables.")

    @property
    def version(self):
        """Number of the generation: 2 for sunda … 5 for maverick."""
        return _actkit.generation(self.gen)["version"]

    @property
    def registers(self):
        """The activation engine's accumulator registers of this thread: (128,) float32. They survive from call to call."""
        if not hasattr(self._local, "registers"):
            self._local.registers = np.zeros(_actkit.generation(self.gen)["partitions"], np.float32)
        return self._local.registers


_default = Target()
_current = contextvars.ContextVar("actkit_target", default=None)


def current():
    """The target that calls run on."""
    return _current.get() or _default


@contextlib.contextmanager
def target(gen=_actkit.DEFAULT_GENERATION, catalog=_actkit.DEFAULT_CATALOG, policies=None, domain="warn"):
    """Calls inside the `with` block run on another generation, catalog or choice of policies.

    `gen`: a name ("trn2", "cayman", "v3"). `domain`: "warn" (an ActkitWarning), "error" or "ignore" for inputs outside a function's
    documented range. Errors: unknown-name, bad-value.
    """
    made = Target(gen, catalog, policies, domain)
    token = _current.set(made)
    try:
        yield made
    finally:
        _current.reset(token)


class Tile:
    """An array at a place of the chip: `partition` it starts at, and "sbuf" or "psum". Plain arrays start at partition 0 of SBUF."""

    def __init__(self, data, partition=0, buffer="sbuf"):
        if buffer not in FREE_LIMITS:
            refuse("unknown-name", "no such memory", field="buffer", value=buffer, allowed=", ".join(FREE_LIMITS))
        self.data = _arrays.to_numpy(data)
        self.partition = partition
        self.buffer = buffer

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data, dtype=dtype, copy=bool(copy))


def tile(x):
    """Anything as a Tile."""
    return x if isinstance(x, Tile) else Tile(x)


def is_vector(x):
    """Whether an operand is an array and not one number."""
    return np.ndim(_arrays.to_numpy(x.data if isinstance(x, Tile) else x)) > 0


def number(x, field):
    """A scalar operand as a Python float. Error: bad-value."""
    try:
        return float(x.data if isinstance(x, Tile) else x)
    except (TypeError, ValueError):
        refuse("bad-value", "neither a number nor a vector", field=field, value=repr(x)[:60])


def pattern(value):
    """binary32 pattern of a number, as the assembler reads it."""
    with np.errstate(over="ignore"):
        return f"0x{int(np.float32(value).view(np.uint32)):08x}"


class Call:
    """One call: its tensors, its instructions, and the run."""

    def __init__(self, engine):
        self.target = current()
        self.engine = engine
        self.lines = []
        self.inputs = {}
        self.free = {buffer: 0 for buffer in FREE_LIMITS}
        self.tensors = []

    def _capacity(self, buffer):
        return _actkit.generation(self.target.gen)[f"{buffer}_bytes"]

    def _declare(self, name, role, dtype, partitions, free, partition, buffer):
        if free > FREE_LIMITS[buffer]:
            refuse("bad-value", f"too many elements per partition for {buffer}", field=name, value=free, allowed=f"1..{FREE_LIMITS[buffer]}")
        row = _actkit.dtype_row(dtype)
        size = free * row["bits"] // 8
        offset = self.free[buffer]
        if offset + size > self._capacity(buffer):
            refuse("out-of-bounds", f"the operands do not fit a partition of {buffer}", field=name, value=f"{offset + size} bytes",
                   allowed=f"{self._capacity(buffer)} bytes")
        self.free[buffer] = -(-(offset + size) // _ALIGN) * _ALIGN
        shape = [partitions, free] if free <= _MAX_COUNT else [partitions, 2, free // 2]
        self.tensors.append(f".tensor {name} {role} {buffer}[p{partition}+{offset:#x}] {dtype.lower()} [{','.join(map(str, shape))}]")

    def bind(self, name, x, role="input", dtype=None, rows=None):
        """Places an array; `dtype` converts it, `rows` pads it with the pattern of unwritten memory. Returns its (partitions, elements)."""
        t = tile(x)
        own = _arrays.device_dtype(t.data)
        data = t.data
        if dtype is not None and dtype != own:
            data = np.asarray(_arrays.float32(data))
        elif data.dtype == np.float64:
            data = _arrays.float32(data)
        codes = np.ascontiguousarray(_arrays.codes_of(data)).view(np.ndarray)
        partitions, free = shape_of(t.data, name)
        if codes.dtype == bool:
            codes = codes.view(np.uint8)
        codes = codes.reshape(partitions, free)
        if rows is not None and rows > partitions:
            padding = np.full((rows - partitions, free * codes.itemsize), 0xFF, np.uint8).view(codes.dtype)
            codes = np.concatenate([codes, padding])
        self._declare(name, role, dtype or own, codes.shape[0], free, t.partition, t.buffer)
        self.inputs[name] = codes
        return partitions, free

    def output(self, name, dtype, partitions, free, partition=0, buffer="sbuf"):
        """Places the destination."""
        self._declare(name, "output", dtype, partitions, free, partition, buffer)

    def emit(self, line):
        """Adds an instruction."""
        self.lines.append(line)

    def text(self):
        """The program as it will be assembled."""
        return "\n".join([f".gen {self.target.gen}", *self.tensors, f".engine {self.engine}", *self.lines, ""])

    def run(self, accumulators=None):
        """Assembles, checks by every rule of the hardware, and runs. Errors carry what was refused."""
        program = Program.from_text(self.text(), self.target.gen)
        sets = self.target.catalog._catalog.known_sets()
        found = _actkit.check_program(program, self.text(), False, False, sets)
        errors = [d for d in found if d.severity == "error"]
        if errors:
            raise ActkitError(errors)
        result = self.target.simulator.run(program, self.inputs, accumulators=accumulators)
        self._tell(result.warnings)
        return result

    def _tell(self, found):
        outside = [d for d in found if d.code == "out-of-range"]
        if outside and self.target.domain == "error":
            raise ActkitError([_actkit.Diagnostic(**{**d.to_dict(), "severity": "error"}) for d in outside])
        for d in found:
            if d.code in _HARMLESS or (d.code == "out-of-range" and self.target.domain == "ignore"):
                continue
            warnings.warn(ActkitWarning(d), stacklevel=4)


def shape_of(x, name="data"):
    """(partitions, elements per partition) of an array, the first dimension running over partitions. Error: bad-value."""
    shape = np.shape(x)
    if not shape or shape[0] == 0 or 0 in shape:
        refuse("bad-value", "an operand has partitions and elements", field=name, value=shape, allowed="(1..128, 1.., …)")
    limit = _actkit.generation(_actkit.DEFAULT_GENERATION)["partitions"]
    if shape[0] > limit:
        refuse("bad-value", "too many partitions", field=name, value=shape[0], allowed=f"1..{limit}")
    free = 1
    for n in itertools.islice(shape, 1, None):
        free *= n
    return shape[0], free


def result_array(result, name, dtype, shape, requested=None):
    """An output in the shape of the call, as the type that was asked for."""
    codes = result.outputs[name]
    mode = _arrays.fp8_mode_of(requested) if requested is not None else None
    if mode is not None and mode != result._fp8_mode:
        refuse("bad-value", f"this type is what FP8_EXP4 means under the policy fp8_mode={mode}", field="dtype", value=requested, allowed=f"fp8_mode={mode}")
    return codes.reshape(shape)

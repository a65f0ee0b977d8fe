"""Simulation of instruction streams to the bit. Follows public documentation of the hardware; not verified on silicon."""

import numpy as np

from . import _actkit, _arrays
from ._support import refuse, warn
from .assembly import Program
from .catalog import Catalog
from .instructions import Instruction, encode
from .lowering import Compiled, Module, lower

_MAX_THREADS = 256


class Trace:
    """What a run tells about itself."""

    def __init__(self, records, text, chrome):
        self.records = records
        """One dict per retired instruction: stream, engine, index, line, opcode, bytes, resident (table set), function, channels, elements,
        accumulators (first lanes), note, start_ns and duration_ns (estimates)."""
        self.text = text
        """The lines of `actkit run --trace`."""
        self.chrome = chrome
        """Trace-event JSON for trace viewers."""

    def __len__(self):
        return len(self.records)

    def __iter__(self):
        return iter(self.records)


class Result:
    """What a run leaves behind; unpacks as (outputs, warnings, trace)."""

    def __init__(self, raw, program, fp8_mode, traced):
        self._dtypes = {t.name: t.dtype for t in program.tensors}
        self._fp8_mode = fp8_mode
        self._codes = raw["outputs"]
        self.outputs = {name: _arrays.present(a, self._dtypes[name], fp8_mode) for name, a in raw["outputs"].items()}
        """{tensor name: array}, channels first. FP32, FP16 and integers are arrays of that type; BFLOAT16 and the 8-bit floats are arrays of
        ml_dtypes where it is installed, else their raw codes as unsigned integers."""
        self.warnings = raw["warnings"]
        """Everything that was noticed, a list of Diagnostic."""
        self.trace = Trace(raw["records"], raw["text"], raw["chrome"]) if traced else None
        """A Trace when it was asked for."""
        self.comparisons = raw["comparisons"]
        """With compare=True one dict per output: tensor, elements, max_ulp, mean_ulp, channel, element, value, exact, nan_mismatches, exact_values."""
        self.accumulators = raw["accumulators"]
        """{"ACT": (128,) float32, "DVE": (128,) float32} at the end."""
        self.instructions = raw["instructions"]
        """Number of retired instructions."""
        self.estimated_ns = raw["estimated_ns"]
        """Estimated duration, after measurements published by others."""

    def values(self, name):
        """An output as float32 values, whatever its data type."""
        codes = self._codes[name]
        if codes.dtype == np.float32:
            return codes
        return _actkit.widen(codes, self._dtypes[name], self._fp8_mode)

    def __iter__(self):
        return iter((self.outputs, self.warnings, self.trace))


def policies():
    """The points that the hardware's documentation leaves open: a list of dicts with name, doc, choices {name: doc} and default."""
    return _actkit.policies()


class Simulator:
    """Runs programs on one core with the tables of a catalog.

    `gen`: generation; None takes the program's (cayman for bytes). `catalog`: a Catalog, an embedded name, a directory or a container.
    `policies`: {name: choice}, see `policies()`. Errors: unknown-name, bad-value.
    """

    def __init__(self, gen=None, catalog=_actkit.DEFAULT_CATALOG, policies=None, allow_tonga_ids=False):
        self.gen = None if gen is None else _actkit.generation(gen)["name"]
        self.catalog = Catalog.open(catalog)
        self.policies = dict(policies or {})
        _actkit.check_policies(self.policies)
        if self.catalog.id_space == "tonga" and not allow_tonga_ids:
            refuse("bad-value", "the function codes of this catalog are those of the first generation; allow_tonga_ids accepts them",
                   field="catalog", value=self.catalog.label)

    @property
    def fp8_mode(self):
        """What FP8_EXP4 means: 'neuron' or 'ocp'."""
        return self.policies.get("fp8_mode", "neuron")

    def program(self, source):
        """A Program from assembly text, bytes, instructions, or a Program."""
        if isinstance(source, str):
            source = Program.from_text(source, self.gen or _actkit.DEFAULT_GENERATION)
        elif isinstance(source, Instruction) or (isinstance(source, (list, tuple)) and all(isinstance(i, Instruction) for i in source)):
            source = Program.from_bytes(encode(source), self.gen or _actkit.DEFAULT_GENERATION)
        elif not isinstance(source, Program):
            source = Program.from_bytes(source, self.gen or _actkit.DEFAULT_GENERATION)
        if self.gen is not None and source.gen != self.gen:
            refuse("bad-value", "the program is of another generation than the simulator", field="gen", value=source.gen, allowed=self.gen)
        return source

    def _input(self, name, x, program):
        x = _arrays.to_numpy(x)
        mode = _arrays.fp8_mode_of(x.dtype)
        if mode is not None and mode != self.fp8_mode:
            refuse("bad-binding", f"{x.dtype} is what FP8_EXP4 means under the policy fp8_mode={mode}", field=name, value=self.fp8_mode, allowed=mode)
        tensor = next((t for t in program.tensors if t.name == name), None)
        own = _arrays.device_dtype(x) if x.dtype.name in _arrays._ML_DTYPES else None
        if own is not None and tensor is not None and own != tensor.dtype:
            return _arrays.float32(x)  # narrowed to the tensor's type like any float array
        return np.asarray(_arrays.codes_of(x))

    def run(self, program, inputs=None, *, trace=False, compare=False, threads=1, accumulators=None, resident="", load_by_name=False,
            tables="catalog"):
        """Runs a program to the end of its streams.

        `program`: see `program()`, a Compiled, or a Module, which runs in program order and is lowered first when it has no loads. `inputs`: {tensor name: array}, channels first; floats are rounded to a floating data type, integers must have the
        tensor's size and kind, uint8 and uint16 are raw codes of 8- and 16-bit floats. `trace`: record every instruction. `compare`: run again with
        exact functions and report errors. `threads`: results do not depend on it. `accumulators`: {"ACT": (128,) values} at the start. `resident`: table set that is there from the start. `tables`:
        "catalog", or "device" to go through the device's own tables. Result: a Result, unpacks as (outputs, warnings, trace).
        Errors: bad-binding for inputs that do not fit, and everything that stops the hardware's model, with the instruction it happened at.
        """
        if tables not in ("catalog", "device"):
            refuse("unknown-name", "no such choice", field="tables", value=tables, allowed="catalog, device")
        if not 1 <= threads <= _MAX_THREADS:
            refuse("bad-value", "no such number of threads", field="threads", value=threads, allowed=f"1..{_MAX_THREADS}")
        module = None
        if isinstance(program, Compiled):
            resident = resident or program.module.act_set
            program = program.program
        if isinstance(program, Module):
            if not program.lowered:
                program, _, notes = lower(program, self.catalog)
                warn(notes)
            module = program._module
            program = _actkit.module_frame(module, streams=True)
        program = self.program(program)
        arrays = {name: self._input(name, x, program) for name, x in (inputs or {}).items()}
        raw = _actkit.run(program, module, self.catalog._catalog, self.policies, arrays, accumulators, resident, threads, load_by_name, tables == "device", trace, compare)
        return Result(raw, program, self.fp8_mode, trace)

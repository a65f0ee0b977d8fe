"""Modules and lowering: which table sets to load, where the loads stand, which are needed."""

import html
import json
import os
from typing import NamedTuple

import numpy as np

from . import _actkit
from .catalog import Catalog

_COLUMNS = ("activation", "where", "set", "load", "why")


class Builder(_actkit.Builder):
    """Builds modules with the words of the C++ builder.

    >>> b = actkit.Builder("square")
    >>> x, y = b.input("rows", "fp32", (128, 64)), b.output("out", "bf16", (128, 64))
    >>> b.activate("square", x, y).scale(0.5)
    >>> module = b.finish()

    Scalar operands are numbers, views of one element per channel, `Bits` patterns or `Register`s. An instruction is refined before the next is
    added. `finish` raises everything that is wrong at once.
    """

    def input(self, name, dtype, shape, space="sbuf"):
        """A tensor that data is put into. `shape`: channels first. `space`: "sbuf" or "psum". Result: a View."""
        return self.tensor(name, "input", dtype, shape, space)

    def output(self, name, dtype, shape, space="sbuf"):
        """A tensor that data is taken from."""
        return self.tensor(name, "output", dtype, shape, space)

    def scratch(self, name, dtype, shape, space="sbuf"):
        """A tensor of the module's own."""
        return self.tensor(name, "scratch", dtype, shape, space)

    def loop(self, index, trip, body=None):
        """Repeats what `body()` adds. Without a body a decorator: @b.loop("i", 4) over a function without arguments."""
        if body is None:
            return lambda f: self._loop(index, trip, f)
        return self._loop(index, trip, body)

    def branch(self, compare, reg, value, then, otherwise=None, against_register=False):
        """Does what `then()` adds when register `reg` compares ("LT", "EQ" …) with the value (or the register of that number), else `otherwise()`."""
        self._branch(compare, reg, value, against_register, then, otherwise)

    def function(self, name, body=None):
        """What `body()` adds is a function; `call(name)` calls it. Without a body a decorator."""
        if body is None:
            return lambda f: self._function(name, f)
        return self._function(name, body)

    def finish(self):
        """The Module; the builder is used up. Errors: every fault noted on the way, and those of `Module.verify`."""
        return Module(self._finish())


class Module:
    """Functions of structured control flow over instructions (docs/module.md)."""

    def __init__(self, module):
        self._module = module

    @staticmethod
    def from_json(source, file="-"):
        """From JSON text or a dict; `file` names it in messages. Errors: json-*, unknown-name, bad-value, with JSON pointers."""
        return Module(_actkit.read_module(source if isinstance(source, str) else json.dumps(source), file))

    @staticmethod
    def open(path):
        """From a file. Errors: OSError, and those of from_json."""
        with open(path, encoding="utf-8") as f:
            return Module.from_json(f.read(), os.fspath(path))

    name = property(lambda self: self._module.name, doc="Name.")
    gen = property(lambda self: self._module.gen, doc="Generation.")
    lowered = property(lambda self: self._module.lowered, doc="Whether table loads are in place.")
    dynamic_pwp = property(lambda self: self._module.dynamic_pwp, doc="Whether tables are loaded as the program runs.")
    act_set = property(lambda self: self._module.act_set, doc="Static mode: the one set.")

    def to_json(self):
        """The canonical text."""
        return self._module.to_json()

    def to_dict(self):
        """The same as a dict."""
        return json.loads(self.to_json())

    def verify(self, file="-"):
        """Violations of what must hold of a module, a list of Diagnostic."""
        return self._module.verify(file)

    def __repr__(self):
        return f"<Module {self.name!r}, {self.gen}{', lowered' if self.lowered else ''}>"


class Report:
    """What lowering did: which set is resident at each activation and why, which loads are left, and what another order would save."""

    def __init__(self, data, text):
        self.data = data
        """The object that `actkit compile` writes as residency.json."""
        self._text = text

    loads = property(lambda self: self.data["loads"], doc="The loads that are left: dicts with name, where, set, set_name, hoisted, executions.")

    @property
    def table(self):
        """One row per activation, a structured array: activation, where, set, load (empty when resident on entry), why."""
        rows = [(a, g["where"], g["set"], g["load"] or "", g["why"]) for g in self.data["resident"] for a in g["activations"]]
        width = [max([1, *(len(r[k]) for r in rows)]) for k in range(len(_COLUMNS))]
        return np.array(rows, dtype=[(name, f"U{w}") for name, w in zip(_COLUMNS, width)])

    def __str__(self):
        return self._text

    def _repr_html_(self):
        head = "".join(f"<th>{c}</th>" for c in _COLUMNS)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(v))}</td>" for v in row) + "</tr>" for row in self.table)
        return f"<table><tr>{head}</tr>{body}</table>"


class Lowered(NamedTuple):
    """What `lower` gives."""

    module: Module
    report: Report
    notes: list
    """Remarks of the passes, a list of Diagnostic."""


class Compiled(NamedTuple):
    """What `compile` gives."""

    program: _actkit.Program
    """The engine streams; a Simulator runs it."""
    module: Module
    """Behind the lowering passes."""
    report: Report
    notes: list
    sets: list
    """Names of the table sets in use."""
    files: dict
    """{name: bytes} of the engines' streams and descriptions."""
    neff: bytes
    """A whole container, when a name for it was given."""

    def to_directory(self, path, replace=False):
        """Writes the files, lowered.json and residency.json, all or nothing. Error: io-error."""
        report = json.dumps(self.report.data, separators=(",", ":"), ensure_ascii=False) + "\n"
        files = {**self.files, "lowered.json": self.module.to_json().encode(), "residency.json": report.encode()}
        _actkit.write_files(files, os.fspath(path), replace)


def passes():
    """The passes in their order: a list of (name, what it does)."""
    return _actkit.passes()


def _options(cover, table_mode, load_form, allow_named_loads, constant_registers):
    return {"cover": cover, "table_mode": table_mode, "load_form": load_form, "allow_named_loads": allow_named_loads, "constant_registers": constant_registers}


def lower(module, catalog=_actkit.DEFAULT_CATALOG, *, cover="greedy", table_mode="dynamic", load_form="index", allow_named_loads=False,
          constant_registers=False, only=""):
    """Chooses table sets and places their loads. Result: Lowered(module, report, notes).

    `cover`: "greedy", "first-fit" or "optimal". `table_mode`: "dynamic", or "static" with one set for the whole module. `load_form`: "index" or
    "name". `constant_registers`: the module's register values decide branches. `only`: run these passes, a list with commas.
    Errors: lowering, with what cannot be covered.
    """
    options = _options(cover, table_mode, load_form, allow_named_loads, constant_registers)
    made, report, notes = _actkit.lower(module._module, Catalog.open(catalog)._catalog, options, only)
    return Lowered(Module(made), Report(*report), notes)


def compile(module, catalog=_actkit.DEFAULT_CATALOG, *, cover="greedy", table_mode="dynamic", load_form="index", allow_named_loads=False,
            constant_registers=False, idle_clears=False, stream_prologue=False, neff=""):
    """Lowers a module and generates the streams of its engines, with the waits between them. Result: Compiled.

    Options as `lower`. `idle_clears`: the accumulate type Idle is written as ZERO_ACCUMULATE. `stream_prologue`: begin every stream as those of
    real containers do. `neff`: network name of a container to make as well. Errors: lowering, code-generation, and the rules of the hardware.
    """
    options = {**_options(cover, table_mode, load_form, allow_named_loads, constant_registers), "idle_clears": idle_clears,
               "stream_prologue": stream_prologue, "neff": neff}
    raw = _actkit.compile(module._module, Catalog.open(catalog)._catalog, options)
    return Compiled(raw["program"], Module(raw["module"]), Report(*raw["report"]), raw["notes"], raw["sets"], raw["files"], raw["container"])

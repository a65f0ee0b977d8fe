"""Modules and lowering: which table sets to load, where the loads stand, which are needed."""

import json
import os

from . import _actkit
from .catalog import Catalog


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


def passes():
    """The passes in their order: a list of (name, what it does)."""
    return _actkit.passes()


def lower(module, catalog=_actkit.DEFAULT_CATALOG, *, cover="greedy", table_mode="dynamic", load_form="index", allow_named_loads=False, only=""):
    """Runs the lowering passes. Result: (module, notes).

    `cover`: "greedy", "first-fit" or "optimal". `table_mode`: "dynamic", or "static" with one set for the whole module. `load_form`: "index" or
    "name". `only`: run this one pass. Errors: lowering, with what cannot be covered.
    """
    made, notes = _actkit.lower(module._module, Catalog.open(catalog)._catalog, cover, table_mode, load_form, allow_named_loads, only)
    return Module(made), notes

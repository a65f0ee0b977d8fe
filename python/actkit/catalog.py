"""Function tables: catalogs, evaluation bit for bit, fitting."""

import functools
import json
import os

import numpy as np

from . import _actkit, _arrays
from ._support import refuse

_TRACE = np.dtype([("value", "f4"), ("path", "U10"), ("section", "i4"), ("record", "i4"), ("selected", "f4"), ("negative_side", "?"), ("reconstructed", "?")])
_SLOTS = np.array(["section", "pos_low", "neg_low", "pos_high", "neg_high"])
_RECORD = np.dtype([("slot", "U8"), ("negative", "?"), ("exponent", "i2"), ("index", "u2"), ("low", "f4"), ("high", "f4"),
                    ("d0", "f4"), ("d1", "f4"), ("d2", "f4"), ("d3", "f4"), ("x", "f4")])


class Function:
    """One function table, called like a NumPy function.

    >>> exp = actkit.Catalog.embedded("trainium")["exp"]
    >>> exp(np.float32([0.5, 1, -1]))
    """

    def __init__(self, table, set_name=None, fitted_error=None):
        self._table = table
        self.set_name = set_name
        """Table set that it is taken from, or None."""
        self.fitted_error = fitted_error
        """Worst error met while fitting, in the goal's metric; None for tables that were read."""

    name = property(lambda self: self._table.name, doc="Name, as 'gelu'.")
    budget = property(lambda self: self._table.budget, doc="The N of '_Np' in the table's file name.")
    func_id = property(lambda self: self._table.func_id, doc="Function code of instructions.")
    sections = property(lambda self: self._table.sections, doc="Number of stored cubics.")
    octaves = property(lambda self: self._table.octaves, doc="Number of declared octaves of both signs.")
    bounds = property(lambda self: self._table.bounds, doc="Documented input range of the folded input; (0, 0) = none stated.")

    def __call__(self, x, out=None, *, alpha=_actkit.DEFAULT_ALPHA, nan="result", recon="folded", dtype=None):
        """Values of the table, the bits that the device gives (model of public documentation, not verified on silicon).

        `x`: array or scalar of any shape, float32 without a copy; other floats and integers are rounded to float32 first. `out`: float32 array
        of the same shape to write to; may be `x`. `alpha`: slope of parametric_relu. `nan`: "result" stored for NaN, or "propagate".
        `dtype`: data type to narrow to (see `narrow`); then the result has that type. Result: float32 of x's shape and memory order.
        Errors: bad-value for elements that are no real numbers or an `out` that does not fit.
        """
        x = _arrays.float32(x)
        result = self._evaluate(x, out, alpha, nan, recon)
        if dtype is not None:
            name = _arrays.dtype_name(dtype)
            mode = _arrays.fp8_mode_of(dtype) or "neuron"
            return _from_codes(_actkit.narrow(result, name, mode, False), name, mode)
        return result[()] if result.ndim == 0 and out is None else result

    def _evaluate(self, x, out, alpha, nan, recon):
        if out is None:
            out = np.empty_like(x, subok=False)
        elif not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != x.shape or not out.flags.writeable:
            refuse("bad-value", "out must be a writable float32 array of the input's shape", field="out",
                   value=f"{getattr(out, 'dtype', type(out))} {getattr(out, 'shape', '')}", allowed=f"float32 {x.shape}")
        dense = (x.flags.c_contiguous and out.flags.c_contiguous) or (x.flags.f_contiguous and out.flags.f_contiguous)
        if dense:
            self._table.evaluate(x, out, alpha, nan, recon)
        else:
            values = np.array(x, order="C", copy=True)
            self._table.evaluate(values, values, alpha, nan, recon)
            out[...] = values
        return out

    def trace(self, x, *, alpha=_actkit.DEFAULT_ALPHA, nan="result", recon="folded"):
        """How each value comes about: a structured array of x's shape.

        Fields: value; path ("special", "clamp_low", "clamp_high", "section", "direct", "unhandled"); section (index of the cubic, -1 elsewhere);
        record (the same, clamp slots included); selected (input behind the fold); negative_side; reconstructed.
        """
        x = _arrays.float32(x)
        value, path, record, selected, negative, reconstructed = self._table.trace(np.ascontiguousarray(x).reshape(x.shape), alpha, nan, recon)
        out = np.empty(x.shape, _TRACE)
        out["value"], out["record"], out["selected"] = value, record, selected
        out["path"] = np.array(_actkit.PATHS)[path]
        out["section"] = np.where(out["path"] == "section", record, -1)
        out["negative_side"], out["reconstructed"] = negative, reconstructed
        return out

    def error(self, x, *, alpha=_actkit.DEFAULT_ALPHA):
        """Error in ULP of the correctly rounded value, against the function in arbitrary precision: float64 of x's shape, not negative.

        About a microsecond to a millisecond an element. Error: unknown-name for a table whose function has no reference.
        """
        x = _arrays.float32(x)
        return self._table.error(np.ascontiguousarray(x).reshape(x.shape), alpha)

    def outside(self, x):
        """Flat index of the first input outside the documented range, or None."""
        return self._table.first_outside(np.ascontiguousarray(_arrays.float32(x)))

    @property
    def records(self):
        """The table's cubics as a structured array, in the order of the file: sections, then the four clamp slots.

        A value is d0 + d1 t + d2 t^2 + d3 t^3 with t = input - x. `low` and `high` are the first and last input of a section (NaN for slots).
        """
        slot, negative, exponent, index, low, high, d0, d1, d2, d3, x = self._table.records()
        out = np.empty(len(slot), _RECORD)
        out["slot"], out["negative"], out["exponent"], out["index"] = _SLOTS[slot], negative, exponent, index
        out["d0"], out["d1"], out["d2"], out["d3"], out["x"] = d0, d1, d2, d3, x
        sign = np.where(negative, np.uint32(1 << 31), np.uint32(0))
        for name, pattern in (("low", np.where(negative, high, low)), ("high", np.where(negative, low, high))):
            out[name] = np.where(slot == 0, (pattern | sign).astype(np.uint32).view(np.float32), np.float32("nan"))
        return out

    def to_directory(self, path, replace=False):
        """Writes a catalog with this one function in a set of its name. Errors: io-error, capacity."""
        Catalog.of(self.name, {self.name: [self]}).to_directory(path, replace)

    def __repr__(self):
        return f"<Function {self._table.stem}, {self.sections} sections>"


def _from_codes(codes, name, fp8_mode):
    """Codes as an array of the type that the name says, where NumPy or ml_dtypes has it."""
    row = _actkit.dtype_row(name)
    if name == "FP32":
        return codes.view(np.float32)
    if name == "FP16":
        return codes.view(np.float16)
    if row["signed_integer"]:
        return codes.view(f"i{codes.dtype.itemsize}")
    return _arrays.present(codes, name, fp8_mode)


@functools.lru_cache(maxsize=None)
def _embedded(name):
    return Catalog(*_actkit.open_catalog(name))


class Catalog:
    """Table sets: `catalog["gelu"]` is a function of the first set that has it, `catalog["gelu_and_others", "gelu"]` of a named set."""

    def __init__(self, catalog, warnings=()):
        self._catalog = catalog
        self.warnings = list(warnings)
        """What was noticed while reading, a list of Diagnostic."""
        self._sets = catalog.sets()

    @staticmethod
    def embedded(name=_actkit.DEFAULT_CATALOG):
        """A catalog that travels with the package; `embedded_catalogs()` lists them. Error: unknown-name."""
        if name not in embedded_catalogs():
            refuse("unknown-name", "no embedded catalog of this name", field="name", value=name, allowed=", ".join(embedded_catalogs()))
        return _embedded(name)

    @staticmethod
    def open(path):
        """A catalog from a directory in the shipped layout, a container, an embedded name, or a Catalog (returned as it is).
        Errors: io-error, unknown-name, json-*, table-rule."""
        if isinstance(path, Catalog):
            return path
        path = os.fspath(path)
        if path in embedded_catalogs():
            return _embedded(path)
        if os.path.isfile(path):
            container, _ = _actkit.open_container(path)
            return Catalog(*container.catalog())
        return Catalog(*_actkit.open_catalog(path))

    @staticmethod
    def of(label, sets):
        """A catalog of fitted or read functions. `sets`: {set name: [Function, …]} in index order."""
        return Catalog(_actkit.make_catalog(label, [(name, [f._table for f in functions]) for name, functions in sets.items()]))

    @staticmethod
    def build(specification):
        """Fits functions and packs sets after a specification (docs/table-specification.md), a dict or JSON text: `actkit pwp build`."""
        text = specification if isinstance(specification, str) else json.dumps(specification)
        return Catalog(*_actkit.build_catalog(text))

    label = property(lambda self: self._catalog.label, doc="What messages call it.")
    id_space = property(lambda self: self._catalog.id_space, doc="'sunda', or 'tonga' for the codes of the first generation.")

    @property
    def sets(self):
        """{set name: names of its functions}; the position of a set is its index in loads."""
        return {name: tuple(f for f, _ in functions) for name, _, functions in self._sets}

    @property
    def functions(self):
        """Names of all functions, each once."""
        return tuple(dict.fromkeys(f for _, _, functions in self._sets for f, _ in functions))

    def _find(self, key):
        set_name, name = key if isinstance(key, tuple) else (None, key)
        for i, (candidate, _, functions) in enumerate(self._sets):
            if set_name is not None and candidate != set_name:
                continue
            for k, (function, _) in enumerate(functions):
                if function == name:
                    return Function(self._catalog.table(i, k), candidate)
        return None

    def __getitem__(self, key):
        found = self._find(key)
        if found is None and not isinstance(key, tuple):  # the compiler's spelling, "Gelu"
            row = next((r for r in function_rows() if r["bir_name"] == key), None)
            found = self._find(row["name"]) if row else None
        if found is None:
            refuse("unknown-name", "the catalog has no such function", field="function", value=key, allowed=", ".join(self.functions))
        return found

    def __contains__(self, name):
        return self._find(name) is not None

    def __iter__(self):
        return iter(self.functions)

    def __len__(self):
        return len(self.functions)

    def set_index(self, name):
        """Index of a set, as table loads give it. Error: unknown-name."""
        for i, (candidate, _, _) in enumerate(self._sets):
            if candidate == name:
                return i
        refuse("unknown-name", "the catalog has no such set", field="set", value=name, allowed=", ".join(s[0] for s in self._sets))

    def check(self):
        """Breaches of the table rules V-09, V-15 and V-17 to V-19, a list of Diagnostic. `check_catalog(path)` checks the files too."""
        return self._catalog.check()

    def to_directory(self, path, replace=False):
        """Writes the catalog in the shipped layout, complete or not at all. Errors: io-error, capacity."""
        self._catalog.write(os.fspath(path), replace)

    def __repr__(self):
        return f"<Catalog {self.label!r}, {len(self._sets)} sets, {len(self)} functions>"


def embedded_catalogs():
    """Names of the catalogs that travel with the package."""
    return tuple(_actkit.embedded_catalogs())


@functools.lru_cache(maxsize=None)
def _function_rows():
    return tuple(_actkit.functions())


def function_rows():
    """What is known of every function: a tuple of dicts with name, bir_name, code, formula, lower_bound, upper_bound …"""
    return _function_rows()


def check_catalog(path):
    """Checks the files of a catalog directory by the rules V-01 to V-19, a list of Diagnostic."""
    return _actkit.check_directory(os.fspath(path))


def correctly_rounded(function, x):
    """f(x) rounded to nearest-even binary32, in arbitrary precision: float32 of x's shape. `function`: a name. Error: unknown-name."""
    x = _arrays.float32(x)
    return _actkit.correctly_rounded(function, np.ascontiguousarray(x).reshape(x.shape))


def fit(function, *, tolerance=None, sections=None, domain=None, metric="ulp", method="minimax", budget=1):
    """A table of one's own for a known function (`function_rows()`).

    `tolerance`: largest error in `metric` ("ulp", "relative", "absolute", "mixed"). `sections`: most cubics. `domain`: (lowest, highest) inputs
    whose error counts, else the documented range. `method`: "minimax" or "taylor". `budget`: the N in the table's name; without tolerance and
    sections the error may be N ULP. Result: a Function whose `fitted_error` is the worst error met while fitting.
    Errors: unknown-name, out-of-reach with the error that can be reached.
    """
    table, error = _actkit.fit(function, budget, domain, metric, tolerance, sections, method)
    return Function(table, fitted_error=error)

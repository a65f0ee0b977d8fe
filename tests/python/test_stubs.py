"""The type stubs say what is there: every public name, with its parameters; and everything public is documented."""

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

import actkit
from actkit import _actkit

MODULES = ["assembly", "catalog", "instructions", "isa", "lowering", "neff", "simulator", "testing", "tile", "_errors", "_kernel"]


def stub_of(source, module):
    return ast.parse((source / "python/actkit" / f"{module}.pyi").read_text())


def names(tree):
    """{name: node} of functions and classes at one level; of overloads and setters the first."""
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, node)
    return found


def parameters(node):
    a = node.args
    many = ["*" + a.vararg.arg] if a.vararg else []
    named = ["**" + a.kwarg.arg] if a.kwarg else []
    return [x.arg for x in [*a.posonlyargs, *a.args]] + many + [x.arg for x in a.kwonlyargs] + named


def runtime_parameters(f):
    kinds = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [kinds.get(p.kind, "") + p.name for p in inspect.signature(f).parameters.values()]


def unwrapped(member):
    return member.__func__ if isinstance(member, (staticmethod, classmethod)) else member


@pytest.mark.parametrize("module", MODULES)
def test_stubs_match_the_modules(module, source):
    runtime, stub = importlib.import_module(f"actkit.{module}"), names(stub_of(source, module))
    public = {n: v for n, v in vars(runtime).items() if not n.startswith("_") and getattr(v, "__module__", "") == runtime.__name__ and callable(v)}
    if module == "_kernel":
        public = {n: public[n] for n in ("Target", "Tile", "current", "target")}
    assert set(public) == set(stub)
    for name, value in public.items():
        if inspect.isclass(value):
            match_class(value, stub[name])
        else:
            assert parameters(stub[name]) == runtime_parameters(value), name
            assert len(value.__doc__) > 20, name


def match_class(value, node):
    if issubclass(value, tuple):
        return
    members = {n: m for n, m in vars(value).items() if not n.startswith("_") and (callable(unwrapped(m)) or isinstance(m, property))}
    stubbed = {n: m for n, m in names(node).items() if not n.startswith("_")}
    assert set(members) == set(stubbed), value
    assert value.__doc__
    for n, m in members.items():
        assert unwrapped(m).__doc__, (value, n)
        if not isinstance(m, property):
            assert parameters(stubbed[n]) == runtime_parameters(unwrapped(m)), (value, n)
    if "__init__" in vars(value) and "__init__" in names(node):
        assert parameters(names(node)["__init__"]) == runtime_parameters(value.__init__)


def test_stubs_match_the_extension(source):
    for name, node in names(stub_of(source, "_actkit")).items():
        value = getattr(_actkit, name)
        if isinstance(node, ast.ClassDef):
            members = {n for n in vars(value) if not n.startswith("_")}
            assert members == {n for n in names(node) if not n.startswith("_")} | {t.target.id for t in node.body if isinstance(t, ast.AnnAssign)}, name


def test_the_package_s_names(source):
    exported = {a.asname for node in stub_of(source, "__init__").body if isinstance(node, ast.ImportFrom) for a in node.names}
    defined = set(names(stub_of(source, "__init__")))
    public = {n for n in vars(actkit) if not n.startswith("_")} - {"assembly", "catalog", "lowering", "neff", "simulator"}
    assert exported | defined == public


def test_the_generated_part_is_current(source):
    made = subprocess.run([sys.executable, source / "scripts/python_stubs", "-"], capture_output=True, text=True, check=True).stdout
    assert (source / "python/actkit/instructions.pyi").read_text() == made


def test_the_package_says_that_it_is_typed(source):
    assert (source / "python/actkit/py.typed").exists()

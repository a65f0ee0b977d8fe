from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _actkit
from ._actkit import Diagnostic, View
from .catalog import Catalog

Body = Callable[[], Any]

class Builder(_actkit.Builder):
    """Builds modules with the words of the C++ builder."""
    def input(self, name: str, dtype: str, shape: tuple[int, ...], space: str = "sbuf") -> View: ...
    def output(self, name: str, dtype: str, shape: tuple[int, ...], space: str = "sbuf") -> View: ...
    def scratch(self, name: str, dtype: str, shape: tuple[int, ...], space: str = "sbuf") -> View: ...
    def loop(self, index: str, trip: int, body: Body | None = None) -> Any: ...
    def branch(self, compare: str, reg: int, value: int, then: Body, otherwise: Body | None = None, against_register: bool = False) -> None: ...
    def function(self, name: str, body: Body | None = None) -> Any: ...
    def finish(self) -> Module: ...

class Module:
    """Functions of structured control flow over instructions."""
    def __init__(self, module: Any) -> None: ...
    @staticmethod
    def from_json(source: str | dict[str, Any], file: str = "-") -> Module: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> Module: ...
    @property
    def name(self) -> str: ...
    @property
    def gen(self) -> str: ...
    @property
    def lowered(self) -> bool: ...
    @property
    def dynamic_pwp(self) -> bool: ...
    @property
    def act_set(self) -> str: ...
    def to_json(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def verify(self, file: str = "-") -> list[Diagnostic]: ...

class Report:
    """What lowering did."""
    data: dict[str, Any]
    def __init__(self, data: dict[str, Any], text: str) -> None: ...
    @property
    def loads(self) -> list[dict[str, Any]]: ...
    @property
    def table(self) -> NDArray[np.void]: ...

class Lowered(NamedTuple):
    """What `lower` gives."""
    module: Module
    report: Report
    notes: list[Diagnostic]

class Compiled(NamedTuple):
    """What `compile` gives."""
    program: _actkit.Program
    module: Module
    report: Report
    notes: list[Diagnostic]
    sets: list[str]
    files: dict[str, bytes]
    neff: bytes
    def to_directory(self, path: str | PathLike[str], replace: bool = False) -> None: ...

def passes() -> list[tuple[str, str]]: ...
def lower(
    module: Module,
    catalog: Catalog | str = ...,
    *,
    cover: Literal["greedy", "first-fit", "optimal"] = "greedy",
    table_mode: Literal["dynamic", "static"] = "dynamic",
    load_form: Literal["index", "name"] = "index",
    allow_named_loads: bool = False,
    constant_registers: bool = False,
    only: str = "",
) -> Lowered: ...
def compile(
    module: Module,
    catalog: Catalog | str = ...,
    *,
    cover: Literal["greedy", "first-fit", "optimal"] = "greedy",
    table_mode: Literal["dynamic", "static"] = "dynamic",
    load_form: Literal["index", "name"] = "index",
    allow_named_loads: bool = False,
    constant_registers: bool = False,
    idle_clears: bool = False,
    stream_prologue: bool = False,
    neff: str = "",
) -> Compiled: ...

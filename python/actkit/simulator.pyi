from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from ._arrays import Buffer

from ._actkit import Diagnostic, Program
from .catalog import Catalog
from .instructions import Instruction
from .lowering import Compiled, Module

Source = str | Buffer | Instruction | Sequence[Instruction] | Program

class Trace:
    """What a run tells about itself."""
    records: list[dict[str, Any]]
    text: str
    chrome: str
    def __init__(self, records: list[dict[str, Any]], text: str, chrome: str) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...

class Result:
    """What a run leaves behind; unpacks as (outputs, warnings, trace)."""
    outputs: dict[str, NDArray[Any]]
    warnings: list[Diagnostic]
    trace: Trace | None
    comparisons: list[dict[str, Any]]
    accumulators: dict[str, NDArray[np.float32]]
    instructions: int
    estimated_ns: float
    def __init__(self, raw: dict[str, Any], program: Program, fp8_mode: str, traced: bool) -> None: ...
    def values(self, name: str) -> NDArray[np.float32]: ...
    def __iter__(self) -> Iterator[Any]: ...

def policies() -> list[dict[str, Any]]: ...

class Simulator:
    """Runs programs on one core with the tables of a catalog."""
    gen: str | None
    catalog: Catalog
    policies: dict[str, str]
    def __init__(
        self,
        gen: str | None = None,
        catalog: Catalog | str | PathLike[str] = ...,
        policies: Mapping[str, str] | None = None,
        allow_tonga_ids: bool = False,
    ) -> None: ...
    @property
    def fp8_mode(self) -> str: ...
    def program(self, source: Source) -> Program: ...
    def run(
        self,
        program: Source | Module | Compiled,
        inputs: Mapping[str, ArrayLike] | None = None,
        *,
        trace: bool = False,
        compare: bool = False,
        threads: int = 1,
        accumulators: Mapping[str, ArrayLike] | None = None,
        resident: str = "",
        load_by_name: bool = False,
        tables: Literal["catalog", "device"] = "catalog",
    ) -> Result: ...

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .catalog import Catalog
from .simulator import Simulator

class Target:
    """What calls run on: generation, tables, policies, and what happens outside a function's documented range."""
    simulator: Simulator
    domain: Literal["warn", "error", "ignore"]
    def __init__(
        self, gen: str = ..., catalog: Catalog | str = ..., policies: Mapping[str, str] | None = None, domain: Literal["warn", "error", "ignore"] = "warn"
    ) -> None: ...
    @property
    def gen(self) -> str: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def version(self) -> int: ...
    @property
    def registers(self) -> NDArray[np.float32]: ...

class Tile:
    """An array at a place of the chip."""
    data: NDArray[Any]
    partition: int
    buffer: Literal["sbuf", "psum"]
    def __init__(self, data: ArrayLike, partition: int = 0, buffer: Literal["sbuf", "psum"] = "sbuf") -> None: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...

def current() -> Target: ...
def target(
    gen: str = ..., catalog: Catalog | str = ..., policies: Mapping[str, str] | None = None, domain: Literal["warn", "error", "ignore"] = "warn"
) -> AbstractContextManager[Target]: ...

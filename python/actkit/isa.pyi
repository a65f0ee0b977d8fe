import enum
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._kernel import Target as Target
from ._kernel import Tile as Tile
from ._kernel import current as current
from ._kernel import target as target

Data = ArrayLike | Tile
Op = str | Callable[..., Any]

class reduce_cmd(enum.Enum):
    idle = "IDLE"
    reset = "ZERO"
    reduce = "ACCUMULATE"
    reset_reduce = "ZERO_ACCUMULATE"
    load_reduce = "LOAD_ACCUMULATE"

def activation(
    op: Op,
    data: Data,
    *,
    bias: Data | None = None,
    scale: Data = 1.0,
    reduce_op: Op | None = None,
    reduce_res: NDArray[np.float32] | None = None,
    reduce_cmd: reduce_cmd | str = ...,
    mask: None = None,
    dtype: Any = None,
    alpha: Data | None = None,
) -> NDArray[Any]: ...
def activation_reduce(
    op: Op,
    data: Data,
    *,
    reduce_op: Op,
    reduce_res: NDArray[np.float32],
    bias: Data | None = None,
    scale: Data = 1.0,
    mask: None = None,
    dtype: Any = None,
) -> NDArray[Any]: ...
def reciprocal(data: Data, *, dtype: Any = None, mask: None = None) -> NDArray[Any]: ...
def tensor_scalar(
    data: Data,
    op0: Op,
    operand0: Data,
    reverse0: bool = False,
    op1: Op | None = None,
    operand1: Data | None = None,
    reverse1: bool = False,
    *,
    dtype: Any = None,
    mask: None = None,
    engine: Literal["vector", "scalar"] = "vector",
) -> NDArray[Any]: ...
def tensor_copy_predicated(
    *, src: Data, dst: NDArray[Any] | Tile, predicate: Data, mask: None = None, dtype: Any = None, reverse_pred: bool = False
) -> NDArray[Any]: ...
def nc_stream_shuffle(src: Data, dst: NDArray[Any] | Tile, shuffle_mask: Sequence[int], *, dtype: Any = None, mask: None = None) -> NDArray[Any]: ...
def memset(shape: Sequence[int], value: float, dtype: Any, *, mask: None = None, engine: Literal["vector", "gpsimd"] = "vector") -> NDArray[Any]: ...

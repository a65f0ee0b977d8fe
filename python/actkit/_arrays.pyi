from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Buffer = bytes | bytearray | memoryview | NDArray[np.uint8]
DtypeLike = Any
"""A device type's name, or a NumPy or ml_dtypes type."""

def widen(codes: ArrayLike, dtype: DtypeLike, fp8_mode: Literal["neuron", "ocp"] = "neuron") -> NDArray[np.float32]: ...
def narrow(values: ArrayLike, dtype: DtypeLike, fp8_mode: Literal["neuron", "ocp"] = "neuron", saturate: bool = False) -> NDArray[Any]: ...

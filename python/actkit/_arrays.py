"""Arrays of other packages in and out: NumPy, ml_dtypes, and whatever speaks DLPack or the buffer protocol."""

import sys

import numpy as np

from . import _actkit
from ._support import refuse

# How ml_dtypes calls the data types that NumPy lacks. float8_e4m3fn is FP8_EXP4 under the policy fp8_mode=ocp.
_ML_DTYPES = {
    "bfloat16": "BFLOAT16", "float8_e3m4": "FP8_EXP3", "float8_e4m3": "FP8_EXP4", "float8_e4m3fn": "FP8_EXP4",
    "float8_e5m2": "FP8_EXP5", "float8_e8m0fnu": "SFP8_E8",
}
_NUMPY = {
    "bool": "UINT8", "int8": "INT8", "uint8": "UINT8", "int16": "INT16", "uint16": "UINT16", "int32": "INT32", "uint32": "UINT32",
    "int64": "INT64", "uint64": "UINT64", "float16": "FP16", "float32": "FP32", "float64": "FP32",
}


def dtype_name(dtype):
    """Name of the device's data type for a name, a NumPy or an ml_dtypes type. Error: unknown-name."""
    if isinstance(dtype, str) and dtype not in _ML_DTYPES:
        return _actkit.dtype_row(dtype)["name"]
    name = dtype if isinstance(dtype, str) else _name_of(dtype)
    known = _ML_DTYPES.get(name) or _NUMPY.get(name)
    if known is None:
        refuse("unknown-name", "no data type of the device corresponds", field="dtype", value=name,
               allowed=", ".join([*_NUMPY, *_ML_DTYPES]))
    return known


def _name_of(dtype):
    try:
        return np.dtype(dtype).name
    except TypeError:
        return str(dtype).rpartition(".")[2]  # torch.bfloat16


def fp8_mode_of(dtype):
    """'ocp' or 'neuron' where an array's type says which FP8_EXP4 it means, else None."""
    name = dtype if isinstance(dtype, str) else _name_of(dtype)
    return {"float8_e4m3fn": "ocp", "float8_e4m3": "neuron"}.get(name)


def to_numpy(x):
    """An ndarray over the memory of `x` where that is possible."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "detach"):
        x = x.detach()  # a tensor that records gradients shares no memory
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor) and x.dtype == torch.bfloat16:
        return _as_bfloat16(x.cpu().view(torch.int16).numpy().view(np.uint16))
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (RuntimeError, BufferError, TypeError):
            pass  # a device or type that NumPy does not take; perhaps __array__ does
    try:
        return np.asarray(x)
    except (TypeError, ValueError, RuntimeError) as error:
        refuse("bad-value", f"no array can be made of it: {error}", value=type(x).__name__, allowed="arrays, tensors in host memory, numbers, nested lists")


class _Bfloat16Codes(np.ndarray):
    """uint16 codes that stand for BFLOAT16, where ml_dtypes is not there to say so."""


def _as_bfloat16(codes):
    known = ml_dtype("BFLOAT16")
    return codes.view(known) if known is not None else codes.view(_Bfloat16Codes)


def device_dtype(x):
    """Device data type of an array's elements."""
    return "BFLOAT16" if isinstance(x, _Bfloat16Codes) else dtype_name(x.dtype)


def ml_dtype(name, fp8_mode="neuron"):
    """The NumPy type that ml_dtypes has for a device type, or None."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    for ours, theirs in _ML_DTYPES.items():
        if theirs == name and (name != "FP8_EXP4" or (fp8_mode == "ocp") == ours.endswith("fn")):
            return np.dtype(getattr(ml_dtypes, ours)) if hasattr(ml_dtypes, ours) else None
    return None


def codes_of(x):
    """The raw elements of an array: itself, or unsigned integers where NumPy does not know its type."""
    if x.dtype.kind == "V" and x.dtype.fields is None or x.dtype.name in _ML_DTYPES:
        return x.view(f"u{x.dtype.itemsize}")
    return x


def present(codes, name, fp8_mode="neuron"):
    """Raw codes as the type of ml_dtypes when that is installed, else as they are."""
    if codes.dtype.kind != "u" or not _actkit.dtype_row(name)["floating"]:
        return codes
    known = ml_dtype(name, fp8_mode)
    return codes.view(known) if known is not None else codes


def float32(x):
    """Values as float32: the array itself when it is one. Floats and integers are rounded to nearest even. Error: bad-value."""
    x = to_numpy(x)
    if x.dtype == np.float32 and x.dtype.isnative:
        return x
    if isinstance(x, _Bfloat16Codes):
        return _actkit.widen(np.asarray(x), "BFLOAT16")
    if x.dtype.name in _ML_DTYPES:
        return _actkit.widen(codes_of(x), dtype_name(x.dtype), fp8_mode_of(x.dtype) or "neuron")
    if x.dtype.kind not in "biuf":
        refuse("bad-value", "the elements are no real numbers", field="dtype", value=x.dtype, allowed="bool, integers, floats")
    with np.errstate(over="ignore"):
        return x.astype(np.float32)


def widen(codes, dtype, fp8_mode="neuron"):
    """float32 values of the raw codes of a data type.

    `codes`: unsigned integers of the type's size, any shape. `dtype`: a name ("bfloat16", "FP8_EXP4") or a NumPy or ml_dtypes type.
    Errors: unknown-name, bad-value.
    """
    return _actkit.widen(np.ascontiguousarray(codes_of(to_numpy(codes))).reshape(np.shape(codes)), dtype_name(dtype), fp8_mode)


def narrow(values, dtype, fp8_mode="neuron", saturate=False):
    """Raw codes of float32 values in a data type: nearest even for floats, nearest even and saturating for integers.

    Result: unsigned integers of the type's size, same shape. `saturate`: float overflow gives the largest finite value.
    Errors: unknown-name, bad-value.
    """
    return _actkit.narrow(float32(values), dtype_name(dtype), fp8_mode, saturate)

"""Functions with the argument names and documented semantics of the public kernel interface, that give the bits of the device's model.

Replace the NumPy call of a test by one of these: every call is a program of real instructions that is checked by the rules of the
hardware and simulated. Arrays have partitions first, (1..128, elements…); `Tile(array, partition, buffer)` places one elsewhere than at
partition 0 of SBUF. What the hardware would refuse raises ActkitError; inputs outside a function's documented range warn, see `target`.
The model follows public documentation and is not verified on silicon.
"""

import enum

import numpy as np

from . import _actkit, _arrays
from ._kernel import Call, Target, Tile, current, is_vector, number, pattern, result_array, shape_of, target, tile
from ._support import refuse

__all__ = ["Target", "Tile", "activation", "activation_reduce", "current", "memset", "nc_stream_shuffle", "reciprocal", "reduce_cmd", "target",
           "tensor_copy_predicated", "tensor_scalar"]


class reduce_cmd(enum.Enum):
    """What an activation does with the accumulator registers."""

    idle = "IDLE"
    """leaves them alone"""
    reset = "ZERO"
    """only zeroes them"""
    reduce = "ACCUMULATE"
    """adds this call's results, once, to what is there"""
    reset_reduce = "ZERO_ACCUMULATE"
    """zeroes first, then adds"""
    load_reduce = "LOAD_ACCUMULATE"
    """belongs to the Vector engine; refused here"""


# Names of the kernel interface and of NumPy for functions that the tables call otherwise.
_FUNCTIONS = {"log": "ln", "rsqrt": "reciprocal_sqrt", "absolute": "abs", "prelu": "parametric_relu", "lrelu": "leaky_relu",
              "gelu_dx": "derivative_gelu", "gelu_apprx_sigmoid_dx": "derivative_gelu_apprx_sigmoid", "erf_dx": "derivative_erf",
              "silu_dx": "derivative_silu", "tanh_dx": "derivative_tanh", "relu_dx": "derivative_relu"}
# Likewise for ALU operations; the enumerators of alu_op are understood as they are.
_OPERATIONS = {"multiply": "MULT", "mul": "MULT", "sub": "SUBTRACT", "true_divide": "DIVIDE", "maximum": "MAX", "minimum": "MIN", "power": "POW",
               "equal": "IS_EQ", "not_equal": "IS_NE", "greater": "IS_GT", "greater_equal": "IS_GE", "less": "IS_LT", "less_equal": "IS_LE",
               "absolute": "ABSOLUTE_VALUE", "abs": "ABSOLUTE_VALUE", "fmod": "MOD", "invert": "BITWISE_NOT", "left_shift": "LOGICAL_SHIFT_LEFT",
               "right_shift": "LOGICAL_SHIFT_RIGHT", "relu": "RE_LU"}
_LANES = _actkit.QUADRANT_PARTITIONS
_KEEP = 255  # entry of a shuffle mask: the destination stays as it is


def _name(op):
    return op if isinstance(op, str) else getattr(op, "__name__", None) or getattr(op, "name", str(op))


def _function(op):
    name = _name(op)
    return current().catalog[_FUNCTIONS.get(name, name)]


def _alu_op(op, field):
    name = _name(op)
    name = _OPERATIONS.get(name, name).upper()
    known = next(t for t in _actkit.enums() if t["name"] == "alu_op")["values"]
    if name not in known:
        refuse("unknown-name", "no such operation", field=field, value=_name(op), allowed=", ".join([*_OPERATIONS, *known]))
    return name


def _no_mask(mask):
    if mask is not None:
        refuse("bad-value", "masks are resolved before instructions are made; pass the part that is computed", field="mask", value="given", allowed="None")


def _vector(call, name, x, partitions, dtype=None):
    """Binds a vector operand of one value per partition, placed with the data. Error: bad-value."""
    rows, free = shape_of(tile(x).data, name)
    if rows != partitions or free != 1:
        refuse("bad-value", "a vector operand has one value per partition", field=name, value=np.shape(tile(x).data), allowed=(partitions, 1))
    call.bind(name, x, dtype=dtype)
    return name


def _bias(call, function, bias, partitions):
    """The bias operand of an activation: nothing, a number, or one value per partition."""
    version = call.target.version
    if bias is None:
        return ""
    if version == 2 and function.name == "reciprocal":
        refuse("bad-value", "reciprocal takes no bias on v2", field="bias", value="given", allowed="None")
    if not is_vector(bias):
        if version == 2:
            refuse("bad-value", "v2 takes only a vector as bias", field="bias", value=bias, allowed=f"array of shape ({partitions}, 1)")
        return " bias=" + pattern(number(bias, "bias"))
    given = _arrays.device_dtype(tile(bias).data)
    if given in ("FP32", "FP16", "BFLOAT16"):
        return " bias=" + _vector(call, "bias_v", bias, partitions)
    if version == 2:
        refuse("bad-value", "v2 takes a bias of FP32, FP16 or BFLOAT16", field="bias", value=given, allowed="FP32, FP16, BFLOAT16")
    return " bias=" + _vector(call, "bias_v", bias, partitions, dtype="FP32")


def _command(command, reduce_op):
    command = reduce_cmd[command] if isinstance(command, str) else reduce_cmd(command)
    if command is reduce_cmd.load_reduce:
        refuse("bad-value", "load_reduce belongs to instructions of the Vector engine", field="reduce_cmd", value="load_reduce",
               allowed="idle, reset, reduce, reset_reduce")
    if reduce_op is not None and _alu_op(reduce_op, "reduce_op") != "ADD":
        refuse("bad-value", "an activation reduces by addition only", field="reduce_op", value=_name(reduce_op), allowed="add")
    if reduce_op is None and command in (reduce_cmd.reduce, reduce_cmd.reset_reduce):
        refuse("bad-value", "a reduction names its operation", field="reduce_op", value="None", allowed="add")
    return command


def _store_registers(reduce_res, values, partitions):
    if not isinstance(reduce_res, np.ndarray) or reduce_res.dtype != np.float32 or shape_of(reduce_res, "reduce_res") != (partitions, 1):
        refuse("bad-value", "the registers are read into one float32 per partition", field="reduce_res",
               value=f"{getattr(reduce_res, 'dtype', type(reduce_res).__name__)} {np.shape(reduce_res)}", allowed=f"float32 ({partitions}, 1)")
    reduce_res[...] = values.reshape(reduce_res.shape)


def activation(op, data, *, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=reduce_cmd.idle, mask=None, dtype=None, alpha=None):
    """`op(data * scale + bias)` on the Scalar engine, elementwise, through the tables of the target's catalog.

    `op`: a function's name ("gelu", "exp", "rsqrt"), or anything with such a __name__ (np.exp). `data`: (partitions, elements…) of any dtype,
    widened to float32. `bias`: number or (partitions, 1); v2 only the latter, of FP32, FP16 or BFLOAT16. `scale`: number or (partitions, 1).
    `reduce_op`, `reduce_cmd`: "add" over the free axes into the accumulator registers, which survive from call to call (`current().registers`): a
    plain reduce adds each result once. `reduce_res`: (partitions, 1) float32 array that the registers are read into, a second instruction. `dtype`:
    of the result, else that of the data. `alpha`: slope of prelu. Result: an array of the shape of `data`.
    Errors: unknown-name, bad-value, out-of-bounds, and the rules of the hardware.
    """
    _no_mask(mask)
    data, function = tile(data), _function(op)
    command = _command(reduce_cmd, reduce_op)
    out = _arrays.dtype_name(dtype) if dtype is not None else _arrays.device_dtype(data.data)
    call = Call("ACT")
    partitions, free = call.bind("data_t", data)
    line = f"activate {function.name} src=data_t dst=out_t channels={partitions} accumulator_cmd={command.value}"
    line += " scale=" + (_vector(call, "scale_v", scale, partitions, dtype="FP32") if is_vector(scale) else pattern(number(scale, "scale")))
    line += _bias(call, function, bias, partitions)
    if alpha is not None:
        line += " imm=" + (_vector(call, "alpha_v", alpha, partitions, dtype="FP32") if is_vector(alpha) else pattern(number(alpha, "alpha")))
    call.output("out_t", out, partitions, free, data.partition, data.buffer if _actkit.dtype_row(out)["bits"] == 32 else "sbuf")
    call.emit(f"activation_table_load set={call.target.catalog.set_index(function.set_name)}")
    call.emit(line)
    if reduce_res is not None:
        call.output("sum_t", "FP32", partitions, 1, data.partition)
        call.emit(f"activation_read_accumulator dst=sum_t channels={partitions}")
    registers = call.target.registers
    result = call.run(accumulators={"ACT": registers})
    registers[...] = result.accumulators["ACT"]
    if reduce_res is not None:
        _store_registers(reduce_res, result.values("sum_t"), partitions)
    return result_array(result, "out_t", out, data.data.shape, dtype)


def activation_reduce(op, data, *, reduce_op, reduce_res, bias=None, scale=1.0, mask=None, dtype=None):
    """`activation` with the registers reset, the results added over all free axes, and the sums read into `reduce_res`, (partitions, 1) float32.

    It overwrites the registers that calls of `activation` may be carrying. Result: the elementwise values. Errors: as `activation`.
    """
    if reduce_res is None:
        refuse("bad-value", "the sums need a place", field="reduce_res", value="None", allowed="float32 (partitions, 1)")
    return activation(op, data, bias=bias, scale=scale, reduce_op=reduce_op, reduce_res=reduce_res, reduce_cmd=reduce_cmd.reset_reduce, mask=mask, dtype=dtype)


def reciprocal(data, *, dtype=None, mask=None):
    """1 / data on the Vector engine: any dtype to float32 to `dtype` (else the data's). Errors: the rules of the hardware."""
    _no_mask(mask)
    data = tile(data)
    out = _arrays.dtype_name(dtype) if dtype is not None else _arrays.device_dtype(data.data)
    call = Call("DVE")
    partitions, free = call.bind("data_t", data)
    call.output("out_t", out, partitions, free, data.partition)
    call.emit(f"reciprocal src=data_t dst=out_t channels={partitions}")
    return result_array(call.run(), "out_t", out, data.data.shape, dtype)


def _is_bitwise(op):
    return op.startswith("BITWISE_") or "_SHIFT_" in op


def _integer(x, field):
    if isinstance(x, (float, np.floating)) and not float(x).is_integer():
        refuse("bad-value", "a bitwise operand is an integer", field=field, value=x)
    return f"{int(x) & 0xFFFFFFFF:#x}"


def _stage(call, index, operand, partitions, bitwise, dtype):
    field = f"operand{index}"
    if operand is None:
        refuse("bad-value", "the operation needs an operand", field=field, value="None")
    if is_vector(operand):
        return f" imm{index}=" + _vector(call, f"operand{index}_v", operand, partitions, dtype=dtype if bitwise else "FP32")
    return f" imm{index}=" + (_integer(operand, field) if bitwise else pattern(number(operand, field)))


def _stages_on_scalar_engine(data, ops, operands, dtype):
    """mul+add, mul, or add through the identity's scale and bias."""
    if current().version < 3 or tuple(op for op in ops if op) not in (("MULT", "ADD"), ("MULT",), ("ADD",)):
        refuse("bad-value", "the Scalar engine computes multiply and add, multiply, or add, from v3 on", field="engine", value=", ".join(op for op in ops if op))
    scale = operands[0] if ops[0] == "MULT" else 1.0
    bias = operands[1] if ops[0] == "MULT" else operands[0]
    return activation("identity", data, scale=scale, bias=bias, dtype=dtype)


def tensor_scalar(data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, *, dtype=None, mask=None, engine="vector"):
    """`(data op0 operand0) op1 operand1`; `reverse0` and `reverse1` swap the operands of a stage.

    Operations: names of NumPy functions, of the kernel interface ("multiply", "add", "maximum", "bitwise_and") or of alu_op, or functions with such
    a __name__. Both arithmetic (float32 inside) or both bitwise (integer data). Operands: a number, or (partitions, 1). `engine`: "vector", or
    "scalar" for multiply and add, multiply, or add. `dtype`: of the result, else the data's. Errors: unknown-name, bad-value, the rules of the hardware.
    """
    _no_mask(mask)
    data = tile(data)
    ops = [_alu_op(op0, "op0"), _alu_op(op1, "op1") if op1 is not None else None]
    if engine not in ("vector", "scalar"):
        refuse("unknown-name", "no such engine here", field="engine", value=engine, allowed="vector, scalar")
    if engine == "scalar":
        return _stages_on_scalar_engine(data, ops, (operand0, operand1), dtype)
    own = _arrays.device_dtype(data.data)
    out = _arrays.dtype_name(dtype) if dtype is not None else own
    bitwise = _is_bitwise(ops[0])
    if ops[1] is not None and _is_bitwise(ops[1]) != bitwise:
        refuse("bad-value", "both operations are arithmetic, or both are bitwise", field="op1", value=ops[1])
    call = Call("DVE")
    partitions, free = call.bind("data_t", data)
    line = f"{'tensor_scalar_bitvec_op' if bitwise else 'tensor_scalar'} op0={ops[0]} src=data_t dst=out_t channels={partitions}"
    line += _stage(call, 0, operand0, partitions, bitwise, own)
    if ops[1] is not None:
        line += f" op1={ops[1]}" + _stage(call, 1, operand1, partitions, bitwise, own)
    reverse = [n for n, on in (("FIRST", reverse0), ("SECOND", reverse1)) if on]
    if reverse:
        line += f" reverse_operands={'BOTH' if len(reverse) == 2 else reverse[0]}"
    call.output("out_t", out, partitions, free, data.partition)
    call.emit(line)
    return result_array(call.run(), "out_t", out, data.data.shape, dtype)


def _destination(dst, name="dst"):
    t = tile(dst)
    if not isinstance(dst, (np.ndarray, Tile)) or not t.data.flags.writeable:
        refuse("bad-value", "the destination must be a writable array", field=name, value=type(dst).__name__)
    return t


def _write_back(result, name, t):
    codes = result._codes[name][:t.data.shape[0]]
    target_codes = _arrays.codes_of(t.data)
    target_codes[...] = codes.reshape(t.data.shape).view(target_codes.dtype)
    return t.data


def tensor_copy_predicated(*, src, dst, predicate, mask=None, dtype=None, reverse_pred=False):
    """Copies `src` into `dst` where the predicate is not zero (zero with `reverse_pred`); elsewhere `dst` keeps what it holds. Returns `dst`.

    `src`: an array of dst's shape and dtype, or a number. `predicate`: uint8, uint16, uint32 (or the signed ones, or bool) of the same number of
    elements. Source or predicate may be in PSUM, not both. Errors: bad-value, the rules of the hardware.
    """
    _no_mask(mask)
    dst, predicate = _destination(dst), tile(predicate)
    own = _arrays.device_dtype(dst.data)
    if dtype is not None and _arrays.dtype_name(dtype) != own:
        refuse("bad-value", "a copy keeps the type", field="dtype", value=dtype, allowed=own)
    if not is_vector(src):
        src = np.full(dst.data.shape, src, dst.data.dtype)
    src = tile(src)
    if src.buffer == predicate.buffer == "psum":
        refuse("bad-value", "source or predicate may be in PSUM, not both", field="predicate", value="psum", allowed="sbuf")
    call = Call("DVE")
    partitions, free = call.bind("dst_t", dst, role="both")
    for name, t in (("src_t", src), ("pred_t", predicate)):
        if call.bind(name, t) != (partitions, free):
            refuse("bad-value", "all operands have the same partitions and elements", field=name[:-2], value=np.shape(t.data), allowed=dst.data.shape)
    condition = "pred_t"
    if reverse_pred:
        call.output("inverse_t", _arrays.device_dtype(predicate.data), partitions, free, predicate.partition)
        call.emit(f"tensor_scalar op0=IS_EQ src=pred_t dst=inverse_t channels={partitions} imm0=0")
        condition = "inverse_t"
    call.emit(f"copy_predicated src0={condition} src1=src_t dst=dst_t channels={partitions}")
    return _write_back(call.run(), "dst_t", dst)


def nc_stream_shuffle(src, dst, shuffle_mask, *, dtype=None, mask=None):
    """In every group of 32 partitions `dst[i] = src[shuffle_mask[i]]`; 255 leaves dst[i] as it was. Writes and returns `dst`; it may be `src`.

    `shuffle_mask`: 32 entries, 0..31 or 255. Equal types and elements per partition. The hardware works on whole groups of 32 partitions; rows
    beyond the arrays hold the pattern of unwritten memory. Errors: bad-value, the rules of the hardware.
    """
    _no_mask(mask)
    entries = list(shuffle_mask)
    if len(entries) != _LANES or any(not (0 <= int(e) < _LANES or int(e) == _KEEP) for e in entries):
        refuse("bad-value", "a shuffle mask has one entry per partition of a group", field="shuffle_mask", value=entries, allowed="32 entries, 0..31 or 255")
    src, dst = tile(src), _destination(dst)
    own = _arrays.device_dtype(dst.data)
    if _arrays.device_dtype(src.data) != own or (dtype is not None and _arrays.dtype_name(dtype) != own):
        refuse("bad-value", "source and destination have one type", field="dtype", value=_arrays.device_dtype(src.data), allowed=own)
    if shape_of(src.data, "src") != shape_of(dst.data, "dst"):
        refuse("bad-value", "source and destination have the same partitions and elements", field="src", value=src.data.shape, allowed=dst.data.shape)
    rows = -(-dst.data.shape[0] // _LANES) * _LANES
    call = Call("DVE")
    call.bind("src_t", src, rows=rows)
    call.bind("dst_t", dst, role="both", rows=rows)
    call.emit("load_mask_select immediate=" + bytes(int(e) for e in entries).hex())
    call.emit(f"stream_shuffle src=src_t dst=dst_t channels={rows}")
    return _write_back(call.run(), "dst_t", dst)


def memset(shape, value, dtype, *, mask=None, engine="vector"):
    """An array of a shape (partitions, elements…) filled with a constant, which the type must hold exactly. Errors: bad-value, unknown-name."""
    _no_mask(mask)
    if engine not in ("vector", "gpsimd"):
        refuse("unknown-name", "no such engine here", field="engine", value=engine, allowed="vector, gpsimd")
    name = _arrays.dtype_name(dtype)
    mode = current().simulator.fp8_mode
    row = _actkit.dtype_row(name)
    if row["signed_integer"] or row["unsigned_integer"]:
        low, high = (-(1 << row["bits"] - 1), (1 << row["bits"] - 1) - 1) if row["signed_integer"] else (0, (1 << row["bits"]) - 1)
        fits = float(value).is_integer() and low <= value <= high
        code = int(value) & (1 << row["bits"]) - 1 if fits else 0
    else:
        code = int(_actkit.narrow(np.float32([value]), name, mode, False)[0])
        back = float(_actkit.widen(_actkit.narrow(np.float32([value]), name, mode, False), name, mode)[0])
        fits = back == float(value) or (np.isnan(back) and np.isnan(value))
    if not fits:
        refuse("bad-value", f"{name} does not hold the value", field="value", value=value, allowed=f"a value of {name}")
    partitions, free = shape_of(np.broadcast_to(np.uint8(0), shape), "shape")
    call = Call("DVE" if engine == "vector" else "POOL")
    call.output("out_t", name, partitions, free)
    call.emit(f"memset dst=out_t channels={partitions} set_value={code:#x}")
    return result_array(call.run(), "out_t", name, tuple(shape), dtype)

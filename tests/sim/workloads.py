#!/usr/bin/env python3
"""Expected bits of the workload programs and modules in examples/, computed with plain Python.

Nothing of actkit is used: tables are read from the catalog's files, every binary32 operation is done in binary64 and
rounded (exact for + - * /), conversions are written out. Usage:

    workloads.py --check examples/data     recompute and compare with the committed arrays (exit status 1 on a difference)
    workloads.py --write examples/data     write inputs and expected outputs
"""
import json
import math
import os
import struct
import sys
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
CATALOG = os.path.join(HERE, "..", "..", "data", "catalogs", "trainium")
INF, NAN = math.inf, math.nan


# --- numbers -----------------------------------------------------------------------------------------------------

def f32(x):
    """Nearest binary32 of a binary64."""
    if math.isnan(x) or math.isinf(x):
        return x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def bits(x):
    return 0x7FC00000 if math.isnan(x) else struct.unpack("<I", struct.pack("<f", x))[0]


def from_bits(b):
    return struct.unpack("<f", struct.pack("<I", b))[0]


def add(a, b):
    return f32(a + b)


def mul(a, b):
    return f32(a * b)


def fmax(a, b):
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return b if b > a or (a == b == 0 and math.copysign(1, b) > 0) else a


def fmin(a, b):
    return -fmax(-a, -b)


def divide(a, b):
    if b == 0:
        return NAN if a == 0 or math.isnan(a) else math.copysign(INF, a) * math.copysign(1, b)
    return f32(a / b)


def to_float_code(x, exponent_bits, mantissa_bits):
    """IEEE-style format with bias 2^(e-1)-1: nearest, ties to even; overflow to infinity."""
    bias = (1 << (exponent_bits - 1)) - 1
    top = ((1 << exponent_bits) - 1) << mantissa_bits
    if math.isnan(x):
        return top | 1 << (mantissa_bits - 1)
    sign = (1 << (exponent_bits + mantissa_bits)) if math.copysign(1, x) < 0 else 0
    if x == 0:
        return sign
    if math.isinf(x):
        return sign | top
    exponent = max(math.frexp(abs(x))[1] - 1, 1 - bias)
    n = round(Fraction(abs(x)) / Fraction(2) ** (exponent - mantissa_bits))  # round() of a Fraction is to even
    code = n if exponent == 1 - bias else n + ((exponent + bias - 1) << mantissa_bits)
    return sign | min(code, top)


def bf16(x):
    return to_float_code(x, 8, 7)


def fp8_e4m3(x):
    return to_float_code(x, 4, 3)


def from_bf16(code):
    return from_bits(code << 16)


def to_int(x, low, high):
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return high if x > 0 else low
    return max(low, min(high, round(Fraction(x))))


# --- function tables ---------------------------------------------------------------------------------------------

class Table:
    """One function of one set, straight from manifest and blobs."""

    def __init__(self, set_name, function):
        manifest = json.load(open(os.path.join(CATALOG, set_name + ".json")))
        self.m = next(p for p in manifest["profile_meta_data"] if p["func_name"].rsplit("_", 1)[0] == function)
        bkt = open(os.path.join(CATALOG, manifest["bkt_bin"]), "rb").read()
        ctrl = open(os.path.join(CATALOG, manifest["ctl_bin"]), "rb").read()
        stride = len(ctrl) // manifest["ctl_entry_cnt"]
        self.records = [struct.unpack_from("<5f", bkt, 32 * i) for i in range(manifest["bkt_entry_cnt"])]
        self.control = [struct.unpack_from("<I", ctrl, stride * i)[0] for i in range(manifest["ctl_entry_cnt"])]

    def cubic(self, record, sel):
        d0, d1, d2, d3, x = record
        t = f32(sel - x)
        p = f32(f32(t * d1) + d0)
        r = p + (t * t) * d2
        try:
            cube = t * t * t if t == 0 or math.isinf(t) or math.isnan(t) else float(Fraction(t) ** 3)
        except OverflowError:
            cube = math.copysign(INF, t)
        return f32(cube * d3 + r)

    def __call__(self, v):
        m = self.m
        if v == 0:
            return from_bits(m["fzero_result"])
        if math.isinf(v):
            return from_bits(m["fpinf_result"] if v > 0 else m["fninf_result"])
        if math.isnan(v):
            return from_bits(m["fnan_result"])
        fold = m["symmetry_opt_en"]
        sel = (-abs(v) if m["symmetry_opt_use_neg_region"] else abs(v)) if fold else v
        side = "neg" if sel < 0 else "pos"
        e, mantissa = bits(abs(sel)) >> 23, bits(sel) & 0x7FFFFF
        high, low = m["large_%s_signal_exp_threshold" % side], m["small_%s_signal_exp_threshold" % side]
        if e > high or (e == high and mantissa >= m["large_%s_signal_mantissa_threshold" % side]):
            record = self.records[m["%s_large_signal_pwl_control" % side] & 0x7FF]
        elif e < low or (e == low and mantissa == 0):
            record = self.records[m["%s_small_signal_pwl_control" % side] & 0x7FF]
        else:
            word = self.control[m["pwl_control_base_" + side] + e - 127 - m["exp_offset"]]
            record = self.records[(word & 0x7FF) + (mantissa >> (word >> 11 & 31))]
        result = self.cubic(record, sel)
        if fold and (v < 0) != (sel < 0):
            if m["sym_invert_sign_point"]:
                result = -result
            result = f32(result + from_bits(m["symmetry_point"]))
        return result


def activate(f, x, scale=1.0, bias=0.0):
    return f(add(mul(x, scale), bias))


# --- arrays ------------------------------------------------------------------------------------------------------

class Random:
    """A linear congruential generator: the same numbers everywhere."""

    def __init__(self, seed):
        self.state = seed

    def u32(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 32

    def value(self, scale):
        return f32((self.u32() % 65536 - 32768) / 32768 * scale)

    def rows(self, channels, count, scale):
        return [[self.value(scale) for _ in range(count)] for _ in range(channels)]


FORMATS = {"f4": ("<f", 4), "u2": ("<H", 2), "u1": ("<B", 1), "i1": ("<b", 1), "i4": ("<i", 4)}


def npy(kind, rows):
    shape = (len(rows), len(rows[0]))
    form, _ = FORMATS[kind]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (("|" if kind in ("u1", "i1") else "<") + kind, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    body = b"".join(struct.pack("<I", bits(v)) if kind == "f4" else struct.pack(form, v) for row in rows for v in row)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


# --- workloads: each returns {file name: (kind, rows)} -------------------------------------------------------------

def softmax():
    exp, copy = Table("exp_and_others", "exp"), Table("exp_and_others", "copy")
    x = Random(1).rows(128, 64, 8.0)
    y = []
    for row in x:
        top = row[0]
        for v in row[1:]:
            top = fmax(top, v)
        e = [activate(exp, v, 1.0, -top) for v in row]
        total = 0.0
        for v in e:
            total = add(total, v)
        r = divide(1.0, total)
        y.append([activate(copy, v, r) for v in e])
    return {"rows": ("f4", x), "expected_y": ("f4", y)}


def w1_flash_attention():
    exp, copy = Table("exp_and_others", "exp"), Table("exp_and_others", "copy")
    lowest = from_bits(0xFF7FFFFF)
    rng = Random(101)
    s0, s1 = rng.rows(4, 8, 2.0), rng.rows(4, 8, 2.0)
    s0[0], s1[0] = [lowest] * 8, [lowest] * 8           # all masked
    s1[1][3] = 6.5                                        # the maximum comes with the second tile
    s0[2] = [f32(v) for v in (88.5, -90.0, 0.0, -30.25, 12.0, -103.5, 40.0, -1e-3)]  # large spread
    o = rng.rows(4, 16, 4.0)
    p0, p1, total, out = [], [], [], []
    for a, b, acc in zip(s0, s1, o):
        max0 = max1 = None
        for v in a:
            max0 = v if max0 is None else fmax(max0, v)
        for v in b:
            max1 = v if max1 is None else fmax(max1, v)
        neg0 = -max0
        neg = fmin(neg0, -max1)
        e0 = [activate(exp, v, 1.0, neg0) for v in a]
        e1 = [activate(exp, v, 1.0, neg) for v in b]
        sum0 = sum1 = 0.0
        for v in e0:
            sum0 = add(sum0, v)
        for v in e1:
            sum1 = add(sum1, v)
        previous = activate(copy, neg0, -1.0)
        correction = activate(exp, previous, 1.0, neg)
        running = add(mul(sum0, correction), sum1)
        r = divide(1.0, running)
        p0.append([bf16(v) for v in e0])
        p1.append([bf16(v) for v in e1])
        total.append([running])
        out.append([bf16(activate(copy, v, r)) for v in acc])
    return {"s0": ("f4", s0), "s1": ("f4", s1), "o": ("f4", o), "expected_p0": ("u2", p0), "expected_p1": ("u2", p1),
            "expected_total": ("f4", total), "expected_out": ("u2", out)}


def w2_rmsnorm():
    square, copy = Table("reciprocal_sqrt_and_small", "square"), Table("reciprocal_sqrt_and_small", "copy")
    rsqrt = Table("reciprocal_sqrt_and_small", "reciprocal_sqrt")
    h = 4096
    x = [[2.0] * h] + Random(102).rows(1, h, 3.0)
    eps = [[f32(1e-6)], [f32(1e-6)]]
    acc, rstd, out = [], [], []
    for row, (e,) in zip(x, eps):
        total = 0.0
        for v in row:
            total = add(total, square(v))
        r = activate(rsqrt, total, 1 / h, e)
        acc.append([total])
        rstd.append([r])
        out.append([bf16(activate(copy, v, r)) for v in row])
    return {"rows": ("f4", x), "eps": ("f4", eps), "expected_acc": ("f4", acc), "expected_rstd": ("f4", rstd), "expected_out": ("u2", out)}


def w3_layernorm():
    square, copy = Table("reciprocal_sqrt_and_small", "square"), Table("reciprocal_sqrt_and_small", "copy")
    rsqrt = Table("reciprocal_sqrt_and_small", "reciprocal_sqrt")
    h = 8
    x = [[4096.0, 4097.0] * 4, [3.0] * 8] + Random(103).rows(2, h, 5.0)
    x[1] = [from_bits(0x3F800001 + i % 2) for i in range(h)]
    eps = [[f32(1e-5)] for _ in x]
    var, out = [], []
    for row, (e,) in zip(x, eps):
        total = squares = 0.0
        for v in row:
            total = add(total, copy(v))
        for v in row:
            squares = add(squares, square(v))
        mean = mul(total, 0.125)
        mean_square = mul(squares, 0.125)
        variance = add(mean_square, -square(mean))
        r = activate(rsqrt, variance, 1.0, e)
        var.append([variance])
        out.append([bf16(mul(add(v, -mean), r)) for v in row])
    return {"rows": ("f4", x), "eps": ("f4", eps), "expected_var": ("f4", var), "expected_out": ("u2", out)}


def w4_mlp_gate():
    silu, dsilu = Table("silu_and_others", "silu"), Table("derivative_silu_and_others", "derivative_silu")
    copy = Table("silu_and_others", "copy")
    rng = Random(104)
    gate = rng.rows(4, 16, 10.0)
    gate[0][:8] = [from_bits(0xC2AEAE14), -90.0, -91.0, -20.0, from_bits(0xBFA39581), 1.0, -0.0, 20.0]  # tails and the root of silu'
    gate[1] = [f32(v * 90) for v in gate[1]]
    up = rng.rows(4, 16, 2.0)
    scale = rng.rows(4, 1, 1.0)
    s1 = [[activate(silu, v) for v in row] for row in gate]
    ds = [[bf16(activate(dsilu, v)) for v in row] for row in gate]
    out = [[bf16(mul(a, b)) for a, b in zip(x, y)] for x, y in zip(s1, up)]
    q = [[to_int(fmin(fmax(activate(copy, mul(a, b), c), -127.0), 127.0), -128, 127) for a, b in zip(x, y)] for x, y, (c,) in zip(s1, up, scale)]
    back = [[bf16(activate(silu, v)) for v in row] for row in gate]
    return {"gate": ("f4", gate), "up": ("f4", up), "factor": ("f4", scale), "expected_out": ("u2", out), "expected_ds": ("u2", ds),
            "expected_q": ("i1", q), "expected_back": ("u2", back)}


def w5_rope():
    sin = Table("trig_and_small", "sin")
    pi, two_pi, inv = f32(math.pi), f32(2 * math.pi), f32(1 / (2 * math.pi))
    half_pi = f32(math.pi / 2)
    positions = [0.0, 2.0, 7.0, 8191.0]
    frequency = [[f32(10000.0 ** (-i / 8))] for i in range(8)]
    position = [positions for _ in frequency]

    def wrapped_sin(angle):
        a = add(angle, pi)
        turns = add(mul(a, inv), -0.5)
        whole = f32(float(to_int(turns, -2**31, 2**31 - 1)))
        a = add(a, -mul(whole, two_pi))
        return sin(add(a, -pi))

    sine = [[wrapped_sin(mul(p, w)) for p in row] for row, (w,) in zip(position, frequency)]
    cosine = [[wrapped_sin(add(mul(p, w), half_pi)) for p in row] for row, (w,) in zip(position, frequency)]
    return {"position": ("f4", position), "frequency": ("f4", frequency), "expected_sine": ("f4", sine), "expected_cosine": ("f4", cosine)}


def w7_router():
    sigmoid, exp = Table("sigmoid_and_others", "sigmoid"), Table("exp_and_others", "exp")
    rng = Random(107)
    logits = rng.rows(4, 8, 6.0)
    logits[0] = [1.25] * 8                                  # equal logits
    logits[1] = [88.5, 0.0, -3.0, 2.0, 88.72 / 2, -88.0, 5.0, 1.0]
    logits[1] = [f32(v) for v in logits[1]]
    # The maximum of the first four experts only: exp sees positive inputs, up to 88.72.
    logits[2][6] = f32(logits[2][0] + 60)
    gate = [[activate(sigmoid, v) for v in row] for row in logits]
    soft, two_phase = [], []
    for row in logits:
        for first, out in ((8, soft), (4, two_phase)):
            top = row[0]
            for v in row[1:first]:
                top = fmax(top, v)
            e = [activate(exp, v, 1.0, -top) for v in row]
            total = 0.0
            for v in e:
                total = add(total, v)
            r = divide(1.0, total)
            out.append([mul(v, r) for v in e])
    return {"logits": ("f4", logits), "expected_gate": ("f4", gate), "expected_soft": ("f4", soft), "expected_two_phase": ("f4", two_phase)}


def w9_quantise():
    copy, relu = Table("small", "copy"), Table("small", "relu")
    rng = Random(109)
    x = rng.rows(4, 16, 100.0)
    x[0] = [f32(240.0 * 3 * v) for v in (1, -1, 0.5, 0.25, -0.125, 0.999, 0, 0.001)] * 2   # the maximum is 240 * 3
    x[1] = [0.0] * 16                                       # only the floor keeps this finite
    x[3][5] = NAN
    floor = f32(1e-12)
    scale, q = [], []
    for row in x:
        top = 0.0
        for v in row:
            top = fmax(abs(top), abs(copy(v)))
        s = fmax(activate(copy, top, from_bits(0x3B888889)), floor)
        r = divide(1.0, s)
        scale.append([s])
        q.append([fp8_e4m3(activate(copy, v, r)) for v in row])
    ints = [[rng.u32() % 4001 - 2000 for _ in range(16)] for _ in range(4)]
    ints[0][0] = 1000
    bias = [[bf16(-2.0)] for _ in range(4)]
    u8 = [[to_int(add(mul(activate(relu, f32(float(v)), f32(0.01), -2.0), 10.0), 3.0), 0, 255) for v in row] for row in ints]
    return {"rows": ("f4", x), "ints": ("i4", ints), "shift": ("u2", bias), "expected_row_scale": ("f4", scale), "expected_q": ("u1", q), "expected_u8out": ("u1", u8)}


def w10_predicated():
    rng = Random(110)
    data = [[rng.u32() % 256 for _ in range(32)] for _ in range(128)]
    mask = [[1 if k <= p % 32 else 0 for k in range(32)] for p in range(128)]
    mask[5][3], mask[6][9] = 255, 2                        # anything but zero is true
    causal = [[d if m else 7 for d, m in zip(dr, mr)] for dr, mr in zip(data, mask)]
    broadcast = [data[32 * (p // 32)] for p in range(128)]
    rotated = [data[32 * (p // 32) + (p + 1) % 32] for p in range(128)]
    kept = [[7] * 32 if p % 32 == 0 else data[p - 1] for p in range(128)]
    return {"data": ("u1", data), "mask": ("u1", mask), "expected_causal": ("u1", causal), "expected_broadcast": ("u1", broadcast),
            "expected_rotated": ("u1", rotated), "expected_kept": ("u1", kept)}


def gated_recurrence():
    exp = Table("exp_and_others", "exp")
    sigmoid, tanh = Table("sigmoid_and_others", "sigmoid"), Table("sigmoid_and_others", "tanh")
    rng = Random(111)
    x, dt = rng.rows(32, 16, 3.0), [[abs(v) for v in row] for row in rng.rows(32, 16, 1.0)]
    c, h = [], []
    for xr, tr in zip(x, dt):
        cr, hr = [], []
        for v, t in zip(xr, tr):
            decay, state, hidden = activate(exp, t, -1.0), 0.0, 0.0
            for _ in range(8):
                pre = add(v, hidden)
                candidate = mul(activate(tanh, pre), activate(sigmoid, pre))
                state = add(mul(state, decay), candidate)
                hidden = activate(tanh, state)
            cr.append(state)
            hr.append(hidden)
        c.append(cr)
        h.append(hr)
    return {"x": ("f4", x), "dt": ("f4", dt), "expected_c": ("f4", c), "expected_h": ("f4", h)}


def refinement():
    sigmoid, tanh = Table("sigmoid_and_others", "sigmoid"), Table("sigmoid_and_others", "tanh")
    x, y = Random(112).rows(16, 16, 2.0), []
    for row in x:
        values = [activate(sigmoid, v) for v in row]
        for _ in range(6):
            values = [activate(tanh, add(v, old), 0.5) for v, old in zip(row, values)]
        y.append(values)
    return {"x": ("f4", x), "expected_y": ("f4", y)}


WORKLOADS = [softmax, w1_flash_attention, w2_rmsnorm, w3_layernorm, w4_mlp_gate, w5_rope, w7_router, w9_quantise, w10_predicated,
             gated_recurrence, refinement]


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("--check", "--write"):
        sys.exit(__doc__)
    write, folder = sys.argv[1] == "--write", sys.argv[2]
    different = 0
    for workload in WORKLOADS:
        for name, (kind, rows) in workload().items():
            path = os.path.join(folder, workload.__name__, name + ".npy")
            content = npy(kind, rows)
            if write:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                open(path, "wb").write(content)
            elif not os.path.exists(path) or open(path, "rb").read() != content:
                print("different:", path)
                different += 1
    print("%d workloads, %s" % (len(WORKLOADS), "written" if write else "%d differences" % different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

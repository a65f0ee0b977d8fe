"""Kernel-interface functions: documented semantics, what is refused, and bits."""

import threading
import warnings

import numpy as np
import pytest

import actkit
from actkit import isa

CATALOG = actkit.Catalog.embedded("trainium")
X = np.linspace(-3, 3, 96, dtype=np.float32).reshape(4, 24)


def bits(x):
    return np.asarray(x, np.float32).view(np.uint32)


def refused(call, *words):
    with pytest.raises(actkit.ActkitError) as caught:
        call()
    d = caught.value.diagnostics[0]
    assert d.severity == "error" and d.code and d.message
    for word in words:
        assert any(word in (d.code, d.field, d.rule) for d in caught.value.diagnostics), [x.to_dict() for x in caught.value.diagnostics]


@pytest.mark.parametrize("name", [f for f in CATALOG if CATALOG[f].bounds == (0, 0) or f in ("exp", "gelu", "tanh", "sigmoid", "silu")])
@pytest.mark.parametrize("gen", ["v2", "v3", "v4"])
def test_activation_gives_the_table_s_bits(name, gen):
    with isa.target(gen, domain="ignore"):
        np.testing.assert_array_equal(bits(isa.activation(name, X, alpha=0.25 if name == "parametric_relu" else None)), bits(CATALOG[name](X, alpha=0.25)))


def test_names_of_the_kernel_interface():
    positive = np.abs(X) + 1
    for name, table in {"log": "ln", "rsqrt": "reciprocal_sqrt", "silu_dx": "derivative_silu", "erf_dx": "derivative_erf", "gelu_dx": "derivative_gelu",
                        "gelu_apprx_sigmoid_dx": "derivative_gelu_apprx_sigmoid"}.items():
        np.testing.assert_array_equal(bits(isa.activation(name, positive)), bits(CATALOG[table](positive)))
    np.testing.assert_array_equal(isa.activation(np.exp, X), isa.activation("exp", X))
    refused(lambda: isa.activation("nothing", X), "unknown-name", "function")


def test_affine_is_rounded_twice_before_the_function():
    rng = np.random.default_rng(1)
    x, scale, bias = (rng.standard_normal(s).astype(np.float32) for s in ((5, 30), (5, 1), (5, 1)))
    want = CATALOG["gelu"]((x * scale) + bias)  # NumPy rounds each operation to float32
    np.testing.assert_array_equal(bits(isa.activation("gelu", x, scale=scale, bias=bias)), bits(want))
    s, b = np.float32(0.3), np.float32(-1.7)
    np.testing.assert_array_equal(bits(isa.activation("gelu", x, scale=0.3, bias=-1.7)), bits(CATALOG["gelu"](x * s + b)))


def test_the_choice_between_separate_and_fused():
    x, scale, bias = np.uint32([[0x3F800800]]).view(np.float32), 0x3F800800, np.uint32([[0xBF801000]]).view(np.float32)
    scale = np.uint32([[scale]]).view(np.float32)
    assert bits(isa.activation("copy", x, scale=scale, bias=bias)).item() == 0
    with isa.target(policies={"affine": "fused"}):
        assert bits(isa.activation("copy", x, scale=scale, bias=bias)).item() == 0x33800000


def test_the_published_value_outside_the_range_of_sin():
    with pytest.warns(actkit.ActkitWarning) as caught:
        y = isa.activation("sin", np.float32([[9.0]]))
    assert abs(y.item() - 27.65) < 0.01 and caught[0].message.diagnostic.code == "out-of-range"
    with isa.target(domain="error"):
        refused(lambda: isa.activation("sin", np.float32([[9.0]])), "out-of-range")
    with isa.target(domain="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        isa.activation("sin", np.float32([[9.0]]))
    refused(lambda: isa.target(domain="x").__enter__())


# To unsigned and signed bytes: nearest even, saturating.
CASTS = [(-5, 0, -5), (-0.5, 0, 0), (0.5, 0, 0), (1.5, 2, 2), (2.5, 2, 2), (3.5, 4, 4), (126.5, 126, 126), (127.5, 128, 127), (254.5, 254, 127), (255.5, 255, 127),
         (300, 255, 127), (-128.5, 0, -128), (-129, 0, -128)]


def test_narrowing():
    x = np.float32([[c[0] for c in CASTS]])
    np.testing.assert_array_equal(isa.activation("copy", x, dtype=np.uint8)[0], [c[1] for c in CASTS])
    np.testing.assert_array_equal(isa.activation("copy", x, dtype="int8")[0], [c[2] for c in CASTS])
    big = np.int32([[2147483647, 16777217]])
    np.testing.assert_array_equal(bits(isa.activation("copy", big, dtype=np.float32)), [[0x4F000000, 0x4B800000]])
    np.testing.assert_array_equal(isa.activation("copy", np.float32([[2147483648.0]]), dtype=np.int32), [[2147483647]])


@pytest.mark.parametrize("dtype", ["f4", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "f8", "?"])
def test_every_dtype_of_data(dtype):
    x = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
    y = isa.activation("square", x, dtype=np.float32)
    np.testing.assert_array_equal(y, x.astype(np.float32) ** 2)
    if dtype not in ("f8", "?"):
        assert isa.activation("copy", x).dtype == x.dtype


@pytest.mark.parametrize("x", [X.T, X[::-1], X[:, ::3], np.asfortranarray(X), X.reshape(4, 2, 3, 4), np.broadcast_to(X[:1], (4, 24)), X[:, 0], X[:1, :1]])
def test_orders_and_shapes(x):
    y = isa.activation("tanh", x)
    assert y.shape == x.shape
    np.testing.assert_array_equal(bits(y), bits(CATALOG["tanh"](x)))


@pytest.mark.parametrize("x,words", [
    (np.zeros((129, 4), np.float32), ("bad-value", "data_t")), (np.zeros((0, 4), np.float32), ("data_t",)), (np.zeros((4, 0), np.float32), ("data_t",)),
    (np.float32(1), ("data_t",)), (np.zeros((2, 65537), np.uint8), ("data_t",)), (np.zeros((2, 60000), np.float32), ("out-of-bounds",)),
    (isa.Tile(np.zeros((2, 4097), np.float32), buffer="psum"), ("data_t",)), (np.zeros((2, 2), complex), ("dtype",)), (np.array([["a"]]), ("dtype",)),
])
def test_shapes_that_do_not_fit(x, words):
    refused(lambda: isa.activation("exp", x), *words)


@pytest.mark.parametrize("active,start,fits", [(32, 0, True), (32, 32, True), (32, 96, True), (32, 16, False), (64, 64, True), (64, 32, False), (96, 0, True), (96, 32, False),
                                               (128, 0, True), (33, 96, False), (1, 96, True)])
def test_start_partitions(active, start, fits):
    x = np.zeros((active, 4), np.float32)

    def call():
        return isa.activation("copy", isa.Tile(x, partition=start))

    if fits:
        np.testing.assert_array_equal(call(), x)
    else:
        with pytest.raises(actkit.ActkitError):
            call()


def test_places():
    np.testing.assert_array_equal(isa.activation("copy", isa.Tile(X, buffer="psum")), X)
    np.testing.assert_array_equal(np.asarray(isa.Tile(X)), X)
    refused(lambda: isa.Tile(X, buffer="dram"), "buffer")


def test_registers_survive_and_a_reduce_adds_once():
    x, y = np.float32([[1, 2], [3, 4]]), np.float32([[10, 20], [30, 40]])
    total = np.zeros((2, 1), np.float32)
    isa.activation("copy", x, reduce_op="add", reduce_cmd="reset_reduce")
    isa.activation("copy", X[:2])  # idle leaves them alone
    isa.activation("copy", y, reduce_op=np.add, reduce_cmd=isa.reduce_cmd.reduce, reduce_res=total)
    np.testing.assert_array_equal(total, [[33], [77]])
    isa.activation("copy", x, reduce_cmd="reset")
    np.testing.assert_array_equal(isa.current().registers[:2], [0, 0])


def test_order_of_accumulation_is_a_policy():
    x = np.float32([[16777216, 1, 1]])
    total = np.zeros((1, 1), np.float32)
    isa.activation_reduce("copy", x, reduce_op="add", reduce_res=total)
    assert total.item() == 16777216
    with isa.target(policies={"accumulation": "pairwise"}):
        isa.activation_reduce("copy", x, reduce_op="add", reduce_res=total)
        assert total.item() == 16777218


def test_activation_reduce_over_all_free_axes():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    total = np.zeros(2, np.float32)
    y = isa.activation_reduce("square", x, reduce_op="add", reduce_res=total)
    np.testing.assert_array_equal(y, x * x)
    np.testing.assert_array_equal(total, (x * x).sum((1, 2)))


@pytest.mark.parametrize("keywords", [
    {"reduce_op": "max", "reduce_cmd": "reduce"}, {"reduce_cmd": "load_reduce"}, {"reduce_cmd": "reduce"}, {"reduce_res": np.zeros((4, 1))},
    {"reduce_res": np.zeros((3, 1), np.float32)}, {"bias": np.zeros((3, 1), np.float32)}, {"bias": np.zeros((4, 2), np.float32)}, {"scale": "x"},
    {"scale": np.zeros((4, 4), np.float32)}, {"mask": X > 0}, {"dtype": "no"}, {"dtype": complex}, {"bias": [None]},
])
def test_refused_arguments_of_activation(keywords):
    with pytest.raises((actkit.ActkitError, TypeError)) as caught:
        isa.activation("exp", X, **keywords)
    assert isinstance(caught.value, actkit.ActkitError)


def test_no_place_for_sums():
    refused(lambda: isa.activation_reduce("exp", X, reduce_op="add", reduce_res=None), "reduce_res")


def test_bias_by_generation():
    vector = np.full((4, 1), 0.5, np.float32)
    with isa.target("trn1"):
        np.testing.assert_array_equal(isa.activation("copy", X, bias=vector), X + np.float32(0.5))
        np.testing.assert_array_equal(isa.activation("copy", X, bias=vector.astype(np.float16)), X + np.float32(0.5))
        refused(lambda: isa.activation("copy", X, bias=0.5), "bias")
        refused(lambda: isa.activation("copy", X, bias=np.ones((4, 1), np.int32)), "bias")
        refused(lambda: isa.activation("reciprocal", X, bias=vector), "bias")
    np.testing.assert_array_equal(isa.activation("copy", X, bias=0.5), X + np.float32(0.5))
    np.testing.assert_array_equal(isa.activation("copy", X, bias=np.ones((4, 1), np.int32)), X + np.float32(1))


def test_reciprocal_is_correctly_rounded():
    x = np.random.default_rng(4).standard_normal((64, 33)).astype(np.float32)
    np.testing.assert_array_equal(isa.reciprocal(x), np.float32(1) / x)
    np.testing.assert_array_equal(isa.reciprocal(np.int8([[2, 4]]), dtype=np.float16), np.float16([[0.5, 0.25]]))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(isa.reciprocal(np.float32([[0, -0.0, np.inf]])), [[np.inf, -np.inf, 0]])
    refused(lambda: isa.reciprocal(np.zeros((200, 1), np.float32)), "data_t")


@pytest.mark.parametrize("op,f", [("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("maximum", np.maximum), ("minimum", np.minimum), ("mult", np.multiply),
                                  ("greater", np.greater), ("less_equal", np.less_equal), ("equal", np.equal), ("not_equal", np.not_equal), ("ADD", np.add), (np.add, np.add)])
def test_tensor_scalar_arithmetic(op, f):
    for c in (1.5, np.float32([[1], [2], [-3], [0.5]])):
        np.testing.assert_array_equal(isa.tensor_scalar(X, op, c), f(X, np.float32(c)).astype(np.float32))
        np.testing.assert_array_equal(isa.tensor_scalar(X, op, c, reverse0=True), f(np.float32(c), X).astype(np.float32))


def test_tensor_scalar_two_stages():
    v = np.float32([[1], [2], [-3], [0.5]])
    np.testing.assert_array_equal(isa.tensor_scalar(X, "multiply", 2.0, op1="subtract", operand1=v, reverse1=True), v - X * np.float32(2))
    np.testing.assert_array_equal(isa.tensor_scalar(X, "subtract", v, True, "multiply", 3.0, True), np.float32(3) * (v - X))
    np.testing.assert_array_equal(isa.tensor_scalar(X, "add", 0.5, dtype=np.int8), np.clip(np.rint(X + np.float32(0.5)), -128, 127).astype(np.int8))
    np.testing.assert_array_equal(isa.tensor_scalar(X, "multiply", v, op1="add", operand1=1.0, engine="scalar"), X * v + np.float32(1))
    np.testing.assert_array_equal(isa.tensor_scalar(X, "add", 1.0, engine="scalar"), X + np.float32(1))


def test_tensor_scalar_bitwise():
    x = np.random.default_rng(7).integers(-2**31, 2**31, (4, 8)).astype(np.int32)
    np.testing.assert_array_equal(isa.tensor_scalar(x, "bitwise_and", 0xFF0, op1="bitwise_xor", operand1=-1), (x & 0xFF0) ^ -1)
    u = x.view(np.uint32)
    np.testing.assert_array_equal(isa.tensor_scalar(u, "right_shift", 3), u >> 3)
    np.testing.assert_array_equal(isa.tensor_scalar(u, "bitwise_or", np.uint32([[1], [2], [4], [8]])), u | np.uint32([[1], [2], [4], [8]]))


@pytest.mark.parametrize("call", [
    lambda: isa.tensor_scalar(X, "nothing", 1), lambda: isa.tensor_scalar(X, "bitwise_and", 1), lambda: isa.tensor_scalar(X, "add", 1, op1="bitwise_and", operand1=1),
    lambda: isa.tensor_scalar(X, "add", None), lambda: isa.tensor_scalar(X, "add", 1, op1="add"), lambda: isa.tensor_scalar(X, "add", np.zeros((3, 1))),
    lambda: isa.tensor_scalar(X, "maximum", 1, engine="scalar"), lambda: isa.tensor_scalar(X, "add", 1, engine="x"),
    lambda: isa.tensor_scalar(X.astype(np.int32), "bitwise_and", 1.5), lambda: isa.tensor_scalar(X, "divide", 2.0),
])
def test_refused_arguments_of_tensor_scalar(call):
    refused(call)


def test_scalar_engine_of_v2_has_no_stages():
    with isa.target("v2"):
        refused(lambda: isa.tensor_scalar(X, "add", 1.0, engine="scalar"), "engine")


@pytest.mark.parametrize("mask_type", [np.uint8, np.uint16, np.uint32, np.int32, bool])
def test_predicated_copy_is_a_merge(mask_type):
    rng = np.random.default_rng(9)
    predicate = rng.integers(0, 2, X.shape).astype(mask_type)
    for reverse in (False, True):
        dst = np.full_like(X, 7)
        got = isa.tensor_copy_predicated(src=X, dst=dst, predicate=predicate, reverse_pred=reverse)
        assert got is dst
        np.testing.assert_array_equal(dst, np.where((predicate != 0) ^ reverse, X, np.float32(7)))
        isa.tensor_copy_predicated(src=-1.0, dst=dst, predicate=predicate, reverse_pred=not reverse)
        np.testing.assert_array_equal(dst, np.where((predicate != 0) ^ reverse, X, np.float32(-1)))


def test_large_predicates_count():
    predicate = np.uint32([[0, 1 << 31, 256, 1 << 16]])
    for reverse in (False, True):
        dst = np.zeros((1, 4), np.int16)
        isa.tensor_copy_predicated(src=np.int16([[1, 2, 3, 4]]), dst=dst, predicate=predicate, reverse_pred=reverse)
        np.testing.assert_array_equal(dst, [[1, 0, 0, 0]] if reverse else [[0, 2, 3, 4]])


@pytest.mark.parametrize("make", [
    lambda d: dict(src=X, dst=d, predicate=X), lambda d: dict(src=X.astype(np.int32), dst=d, predicate=X > 0), lambda d: dict(src=X[:, :3], dst=d, predicate=X > 0),
    lambda d: dict(src=X, dst=d, predicate=(X > 0)[:, :3]), lambda d: dict(src=X, dst=[1], predicate=X > 0), lambda d: dict(src=X, dst=d, predicate=X > 0, dtype="int8"),
    lambda d: dict(src=isa.Tile(X, buffer="psum"), dst=d, predicate=isa.Tile((X > 0).astype(np.uint32), buffer="psum")),
])
def test_refused_predicated_copies(make):
    dst = np.full_like(X, 7)
    refused(lambda: isa.tensor_copy_predicated(**make(dst)))
    assert (dst == 7).all()


@pytest.mark.parametrize("rows", [1, 32, 40, 64, 96, 128])
def test_shuffle(rows):
    src = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
    padded = np.full((128, 3), np.nan, np.float32)
    padded[:rows] = src
    for entries in ([0] * 32, list(range(1, 32)) + [0], [255] + list(range(31))):
        dst = np.full_like(src, 7)
        assert isa.nc_stream_shuffle(src, dst, entries) is dst
        want = np.array([dst_row if entries[p % 32] == 255 else padded[p // 32 * 32 + entries[p % 32]] for p, dst_row in enumerate(np.full_like(src, 7))])
        np.testing.assert_array_equal(dst, want)


def test_shuffle_in_place_and_refused():
    x = np.arange(32, dtype=np.uint8).reshape(32, 1)
    isa.nc_stream_shuffle(x, x, list(range(1, 32)) + [0])
    np.testing.assert_array_equal(x[:, 0], np.roll(np.arange(32), -1))
    for make in (lambda: isa.nc_stream_shuffle(x, x, [0] * 31), lambda: isa.nc_stream_shuffle(x, x, [32] * 32), lambda: isa.nc_stream_shuffle(x, x.astype(np.int32), [0] * 32),
                 lambda: isa.nc_stream_shuffle(x, x[:16], [0] * 32), lambda: isa.nc_stream_shuffle(x, x, [-1] * 32)):
        refused(make)


def test_memset():
    np.testing.assert_array_equal(isa.memset((3, 4), 2, "int32"), np.full((3, 4), 2, np.int32))
    np.testing.assert_array_equal(isa.memset((3, 2, 2), -1.5, np.float16, engine="gpsimd"), np.full((3, 2, 2), -1.5, np.float16))
    assert bits(isa.memset((1, 1), np.nan, np.float32)).item() & 0x7F800000 == 0x7F800000
    np.testing.assert_array_equal(isa.memset((1, 2), -128, np.int8), np.full((1, 2), -128, np.int8))
    for make in (lambda: isa.memset((1, 1), 2.5, "int32"), lambda: isa.memset((1, 1), 256, "uint8"), lambda: isa.memset((1, 1), 0.1, "bfloat16"), lambda: isa.memset((129, 1), 0, "fp32"),
                 lambda: isa.memset((1, 1), 1e9, "FP8_EXP4"), lambda: isa.memset((1, 1), 0, "no"), lambda: isa.memset((1, 1), 0, "fp32", engine="x")):
        refused(make)


def test_two_threads_have_their_own_registers():
    wrong = []

    def work(value):
        total = np.zeros((2, 1), np.float32)
        for _ in range(20):
            isa.activation("copy", np.full((2, 4), value, np.float32), reduce_op="add", reduce_cmd="reset_reduce")
            isa.activation("copy", np.full((2, 4), value, np.float32), reduce_op="add", reduce_cmd="reduce", reduce_res=total)
            if not (total == 8 * value).all():
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(v,)) for v in (1, 2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_ml_dtypes_where_installed():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    b = X.astype(ml_dtypes.bfloat16)
    y = isa.activation("gelu", b)
    assert y.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(y.view(np.uint16), CATALOG["gelu"](b.astype(np.float32)).astype(ml_dtypes.bfloat16).view(np.uint16))
    e = X.astype(ml_dtypes.float8_e4m3fn)
    refused(lambda: isa.activation("copy", e))
    with isa.target(policies={"fp8_mode": "ocp"}):
        assert isa.activation("copy", e, dtype=ml_dtypes.float8_e4m3fn).dtype == ml_dtypes.float8_e4m3fn

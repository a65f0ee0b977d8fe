"""Containers: real ones, one made by hand, damaged ones."""

import gzip
import hashlib
import io
import json
import struct
import tarfile

import numpy as np
import pytest

import actkit

REAL = ["matmul_small.neff", "matmul_large.neff", "attention_baseline_bf16_s512.neff", "attention_fused_fp32_s512.neff"]


def container(members, features=0):
    """1024 bytes of header before one gzip member with a tar inside, by the published layout."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    payload = gzip.compress(raw.getvalue(), mtime=0)
    payload += bytes(-len(payload) % 10240)
    header = bytearray(1024)
    struct.pack_into("<QQQQQ", header, 0, 2, 1024, len(payload), 2, 0)
    struct.pack_into("<I", header, 168, 1)
    header[172:188] = hashlib.md5(payload).digest()
    struct.pack_into("<Q", header, 544, features)
    return bytes(header) + payload


def test_a_container_by_hand():
    n = actkit.Neff.from_bytes(container({"a/b.txt": b"hello", "empty": b""}, features=0x40), label="mine")
    assert n.members == ["a/b.txt", "empty"] and n.features == ["dynamic_pwp"]
    assert n.member("a/b.txt").tobytes() == b"hello" and n.member("empty").shape == (0,)
    assert not n.member("a/b.txt").flags.writeable
    assert "mine" in repr(n) and n.problems
    with pytest.raises(actkit.ActkitError) as caught:
        n.member("nothing")
    assert caught.value.diagnostics[0].code == "missing-member"


@pytest.mark.parametrize("cut", [0, 10, 1023, 1024, 2000])
def test_cut_containers(cut):
    with pytest.raises(actkit.ActkitError):
        actkit.Neff.from_bytes(container({"a": bytes(50000)})[:cut])


def test_extract(tmp_path):
    n = actkit.Neff.from_bytes(container({"a/b.txt": b"hello"}))
    n.extract(tmp_path / "out")
    assert (tmp_path / "out/a/b.txt").read_bytes() == b"hello"
    bad = actkit.Neff.from_bytes(container({"../evil": b"x"}))
    assert bad.members == [] and any(p.code == "bad-path" for p in bad.problems)
    with pytest.raises(actkit.ActkitError):
        bad.extract(tmp_path / "evil")
    with pytest.raises(actkit.ActkitError):
        actkit.Neff.open(tmp_path / "nothing")


@pytest.mark.parametrize("name", REAL)
def test_real_containers(name, shared, program):
    path = shared / "real" / name
    n = actkit.Neff.open(path)
    status, out, _ = program("neff", "--json", path)
    assert n.listing() == json.loads(out)
    engines = set()
    for stream in n.streams():
        engines.add(stream.engine)
        assert len(stream.data) % 64 == 0 and stream.graph in n.graphs
        assert actkit.encode(stream.instructions()) == stream.data.tobytes() == n.member(stream.member).tobytes()
    assert engines == {"ACT", "POOL", "PE", "DVE", "SP"}
    assert [s.engine for s in n.streams(engine="act")] == ["ACT"] * len(n.graphs)
    with pytest.raises(actkit.ActkitError):
        n.streams(engine="nothing")
    assert n.target in ("sunda", "cayman") and n.tool_version
    p = actkit.Program.open(path)
    assert p.gen == n.target and sum(len(s) for s in p.streams) == sum(len(s.data) // 64 for s in n.streams())


def test_tables_of_a_real_container(shared):
    path = shared / "real/attention_fused_fp32_s512.neff"
    catalog = actkit.Neff.open(path).catalog()
    assert "exp" in catalog
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    np.testing.assert_allclose(catalog["exp"](x), np.exp(x.astype(np.float64)), rtol=1e-4)
    assert actkit.Catalog.open(path).functions == catalog.functions


def test_views_keep_the_container_alive():
    data = actkit.Neff.from_bytes(container({"a": bytes(range(64))})).member("a")
    assert data.tobytes() == bytes(range(64))

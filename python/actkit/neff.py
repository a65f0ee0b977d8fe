"""Compiled containers: their streams, tables, features and members."""

import os
from typing import NamedTuple

import numpy as np

from . import _actkit
from .catalog import Catalog
from .instructions import decode_stream


class NeffStream(NamedTuple):
    """The instructions of one engine of one graph."""

    graph: str
    engine: str
    member: str
    data: np.ndarray
    """uint8, read-only, the container's own memory; 64 bytes an instruction."""

    def instructions(self):
        """The instructions as objects. Error: bad-size for a stream that ends inside one."""
        return decode_stream(self.data)


class Neff:
    """A container. `problems` lists what is wrong in it; the rest can be used."""

    def __init__(self, container, problems):
        self._container = container
        self.problems = problems
        """What was found wrong or odd, a list of Diagnostic."""

    @staticmethod
    def open(path):
        """Reads a file. Errors: io-error, bad-size, bad-value, bad-archive, too-large."""
        return Neff(*_actkit.open_container(os.fspath(path)))

    @staticmethod
    def from_bytes(data, label="-"):
        """Reads a container in memory; `label` is what messages call it. Errors as `open`."""
        return Neff(*_actkit.read_container(data, label))

    target = property(lambda self: self._container.target, doc="Generation it was compiled for.")
    tool_version = property(lambda self: self._container.tool_version, doc="Version of the compiler.")
    features = property(lambda self: self._container.features, doc="Names of its feature bits.")
    graphs = property(lambda self: self._container.graphs, doc="Names of its graphs.")
    members = property(lambda self: self._container.members, doc="Names of its files.")

    def member(self, name):
        """Content of a file: uint8, read-only, without a copy. Error: missing-member."""
        return self._container.member(name)

    def streams(self, graph="", engine=""):
        """Streams of the graphs and engines asked for (all without), a list of NeffStream. Error: unknown-name."""
        return [NeffStream(*s) for s in self._container.streams(graph, engine.lower())]

    def catalog(self):
        """The function tables that travel in it. Errors: missing-member, json-*, table-rule."""
        return Catalog(*self._container.catalog())

    def listing(self):
        """Everything that `actkit neff --json` prints, as a dict."""
        return self._container.listing()

    def extract(self, directory):
        """Unpacks every member below a new directory, all or nothing. Errors: io-error, bad-member, duplicate-name."""
        self._container.extract(os.fspath(directory))

    def __repr__(self):
        return f"<Neff {self._container.label!r}, {self.target}, {len(self.graphs)} graphs>"

"""Text to instructions and back, checks, and programs."""

import os

from . import _actkit
from ._support import refuse, warn
from .catalog import Catalog
from .instructions import Instruction, encode

Program = _actkit.Program
Stream = _actkit.Stream
TensorBinding = _actkit.TensorBinding
Diagnostic = _actkit.Diagnostic


def _program_from_text(text, gen=_actkit.DEFAULT_GENERATION, file="-"):
    """A Program from assembly text. `gen` holds where the text has no .gen. Warnings become Python warnings. Errors: text-syntax,
    unknown-name, unknown-field, bad-value, each with line and column."""
    program, warnings = _actkit.assemble(text, file, gen)
    warn(warnings)
    return program


def _program_from_bytes(data, gen=_actkit.DEFAULT_GENERATION, engine="ACT", name=""):
    """A Program with one stream of 64-byte instructions. Errors: bad-size, unknown-name."""
    program = Program(gen)
    program.add_stream(engine, data, name)
    return program


def _from_directory(path, gen, engine):
    program = Program(gen or _actkit.DEFAULT_GENERATION)
    lowered = os.path.join(path, "lowered.json")  # beside compiled streams: their tensors and registers
    if os.path.exists(lowered):
        with open(lowered, encoding="utf-8") as f:
            program = _actkit.module_frame(_actkit.read_module(f.read(), lowered), streams=False)
        if gen is not None:
            program.gen = gen
    for key, file in _actkit.engine_files():
        at = os.path.join(path, file)
        if os.path.exists(at) and (engine is None or engine.upper() == key):
            with open(at, "rb") as f:
                program.add_stream(key, f.read(), at)
    if not program.streams:
        refuse("io-error", "the directory holds none of " + ", ".join(file for _, file in _actkit.engine_files()), file=os.fspath(path))
    return program


def _from_container(data, path, gen, engine, graph):
    container, problems = _actkit.read_container(data, path)
    warn(problems)
    program = Program(gen or container.target or _actkit.DEFAULT_GENERATION)
    for _, key, member, stream in container.streams(graph or "", (engine or "").lower()):
        program.add_stream(key, stream, f"{path}({member})")
    return program


def _program_open(path, gen=None, engine=None, graph=None):
    """A Program from a file: bundles (.bin), text, JSON lines, a container, or a directory of engine streams.

    `gen`: generation where the file does not say one. `engine`: which stream (or, for bundles, whose). `graph`: of a container.
    Errors: OSError, and those of the formats.
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        return _from_directory(path, gen, engine)
    with open(path, "rb") as f:
        data = f.read()
    if _actkit.looks_like_container(data):
        return _from_container(data, path, gen, engine, graph)
    if path.endswith(".bin") or b"\0" in data:
        return _program_from_bytes(data, gen or _actkit.DEFAULT_GENERATION, engine or "ACT", path)
    text = data.decode("utf-8-sig", errors="replace")
    if text.lstrip().startswith("{"):
        return _program_from_bytes(_actkit.assemble_json(text, path), gen or _actkit.DEFAULT_GENERATION, engine or "ACT", path)
    return _program_from_text(text, gen or _actkit.DEFAULT_GENERATION, path)


Program.from_text = staticmethod(_program_from_text)
Program.from_bytes = staticmethod(_program_from_bytes)
Program.open = staticmethod(_program_open)


def assemble(text, gen=_actkit.DEFAULT_GENERATION, engine=None):
    """Assembly text to the bytes of one stream, 64 an instruction.

    `engine` chooses one of several .engine sections. Errors: text-syntax, unknown-name, unknown-field, bad-value, each with line and column.
    """
    program = _program_from_text(text, gen)
    streams = [s for s in program.streams if engine is None or s.engine == engine.upper()]
    if len(streams) > 1:
        refuse("bad-value", "the text holds several engine streams; engine= chooses one of them", field="engine")
    return streams[0].data if streams else b""


def disassemble(data, gen=_actkit.DEFAULT_GENERATION, style="text"):
    """Instructions as text, one line each. Never fails on content: what is no instruction becomes a .bytes line.

    `data`: bytes, an Instruction or a list of them. `style`: "text", or "profiler" for the vendor profiler's operand text.
    """
    return _actkit.disassemble(_stream_bytes(data), gen, style == "profiler")


def _stream_bytes(data):
    if isinstance(data, Instruction) or (isinstance(data, (list, tuple)) and all(isinstance(i, Instruction) for i in data)):
        return encode(data)
    return data


def check(what, gen=_actkit.DEFAULT_GENERATION, lenient=False, final=False, catalog=_actkit.DEFAULT_CATALOG):
    """Every violation of the rules, a list of Diagnostic; empty when clean.

    `what`: bytes of a stream, an Instruction or a list of them, assembly text (str), a Program, a Module, or a Catalog. `final`: it is a
    whole engine stream, so that what depends on the rest of the stream is an error. `catalog`: for the rules about table loads; None leaves
    them out. A text that does not assemble gives its errors.
    """
    if isinstance(what, Catalog):
        return what.check()
    if hasattr(what, "verify"):
        return what.verify()
    sets = [] if catalog is None else Catalog.open(catalog)._catalog.known_sets()
    if isinstance(what, str):
        try:
            program, found = _actkit.assemble(what, "-", gen)
        except Exception as error:
            if hasattr(error, "diagnostics"):
                return error.diagnostics
            raise
        return found + _actkit.check_program(program, what, lenient, final, sets)
    if isinstance(what, Program):
        return _actkit.check_program(what, "", lenient, final, sets)
    return _actkit.check_bytes(_stream_bytes(what), gen, lenient, final, sets)

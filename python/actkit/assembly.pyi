from collections.abc import Sequence
from typing import Literal

from ._arrays import Buffer

from ._actkit import Diagnostic as Diagnostic
from ._actkit import Program as Program
from ._actkit import Stream as Stream
from ._actkit import TensorBinding as TensorBinding
from .catalog import Catalog
from .instructions import Instruction
from .lowering import Module

def assemble(text: str, gen: str = ..., engine: str | None = None) -> bytes: ...
def disassemble(data: Buffer | Instruction | Sequence[Instruction], gen: str = ..., style: Literal["text", "profiler"] = "text") -> str: ...
def check(
    what: str | Buffer | Instruction | Sequence[Instruction] | Program | Module | Catalog,
    gen: str = ...,
    lenient: bool = False,
    final: bool = False,
    catalog: Catalog | str | None = ...,
) -> list[Diagnostic]: ...

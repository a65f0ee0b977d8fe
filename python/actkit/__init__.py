"""actkit: the toolchain for the activation engine of Trainium-class accelerators, in Python.

    >>> import actkit, numpy as np
    >>> actkit.Catalog.embedded("trainium")["exp"](np.float32([0.5, 1, -1]))

Everything that is refused raises ActkitError, whose `diagnostics` say what, where, and what would be allowed. The model follows public
documentation of the hardware and is not verified on silicon.
"""

from . import _actkit, instructions, isa, testing, tile
from ._actkit import Diagnostic, __version__, make_address
from ._arrays import narrow, widen
from ._errors import ActkitError, ActkitWarning
from .assembly import Program, Stream, TensorBinding, assemble, check, disassemble
from .catalog import Catalog, Function, check_catalog, correctly_rounded, embedded_catalogs, fit, function_rows
from .instructions import Bits, DtypePair, Gather, Instruction, Pattern, Register, decode, decode_stream, encode, make
from .lowering import Builder, Compiled, Lowered, Module, Report, compile, lower, passes
from .neff import Neff, NeffStream
from .simulator import Result, Simulator, Trace, policies
from .testing import assert_bits, assert_ulp


def info(name):
    """All that is known of an opcode, format, enumeration, data type, generation, rule or field, as text; None for other names."""
    return _actkit.describe(name)

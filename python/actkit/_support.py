"""Helpers that every module uses: raising, warning."""

import warnings

from . import _actkit
from ._errors import ActkitError, ActkitWarning


def refuse(code, message, **members):
    """Raises ActkitError with one diagnostic."""
    members = {k: str(v) if k in ("value", "allowed", "field") else v for k, v in members.items()}
    raise ActkitError([_actkit.Diagnostic(severity="error", code=code, message=message, **members)])


def warn(diagnostics, level=3):
    """Issues a Python warning for each diagnostic."""
    for d in diagnostics:
        warnings.warn(ActkitWarning(d), stacklevel=level)

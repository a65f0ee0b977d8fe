from collections.abc import Iterable

from ._actkit import Diagnostic

class ActkitError(ValueError):
    """Something was refused. `diagnostics` lists every reason as a Diagnostic."""
    diagnostics: list[Diagnostic]
    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None: ...

class ActkitWarning(UserWarning):
    """Something is worth knowing. `diagnostic` says what."""
    diagnostic: Diagnostic
    def __init__(self, diagnostic: Diagnostic) -> None: ...

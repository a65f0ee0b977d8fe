"""The exception and the warning of the package; both carry diagnostics."""


class ActkitError(ValueError):
    """Something was refused. `diagnostics` lists every reason as a Diagnostic."""

    def __init__(self, diagnostics):
        self.diagnostics = list(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self):
        return (ActkitError, (self.diagnostics,))


def _diagnostic(members):
    from . import _actkit

    return _actkit.Diagnostic(**members)


class ActkitWarning(UserWarning):
    """Something is worth knowing. `diagnostic` says what."""

    def __init__(self, diagnostic):
        self.diagnostic = diagnostic
        super().__init__(str(diagnostic))

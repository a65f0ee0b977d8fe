"""The package installs into a fresh environment; the extension is the one of the build tree (test_install_slow builds it)."""

import installing
from actkit import _actkit


def test_install_in_a_fresh_environment(source, tmp_path):
    built = {"ACTKIT_EXTENSION": _actkit.__file__}
    python = installing.install(source, tmp_path, **built)
    installing.check_import(python, tmp_path)
    installing.check_wheel(python, source, tmp_path, **built)
    installing.check_source_distribution(python, tmp_path)

"""The documented command builds everything from the source tree."""

import installing


def test_install_from_source(source, tmp_path):
    installing.check_import(installing.install(source, tmp_path), tmp_path)

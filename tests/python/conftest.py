"""What the tests share: the program to compare with, the source tree, the files of real compilers."""

import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("ACTKIT_SOURCE_DIR", Path(__file__).resolve().parents[2]))


@pytest.fixture(scope="session")
def source():
    """Root of the source tree."""
    return SOURCE


@pytest.fixture(scope="session")
def program():
    """Runs the command-line program: program(*arguments, stdin=…) gives (exit status, stdout, stderr)."""
    path = os.environ.get("ACTKIT_PROGRAM", SOURCE / "build/release/actkit")
    if not os.path.exists(path):
        pytest.skip("the program is not built")

    def run(*arguments, stdin=b"", cwd=None):
        done = subprocess.run([str(path), *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="session")
def shared():
    """Folder of shared files."""
    path = Path(os.environ.get("ACTKIT_SHARED_DIR", SOURCE.parent / "shared"))
    if not path.is_dir():
        pytest.skip("the folder of shared files is not there")
    return path

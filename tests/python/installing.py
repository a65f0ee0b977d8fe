"""A wheel from a copy of the source tree in a fresh environment, by the documented command and nothing from the network."""

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile


def copy_of(source, target):
    """The parts of the source tree that a build needs."""
    target.mkdir()
    for name in ("CMakeLists.txt", "README.md", "LICENSE", "MANIFEST.in", "pyproject.toml", "setup.py"):
        shutil.copy(source / name, target / name)
    for name in ("cmake", "src", "include", "python", "data"):
        shutil.copytree(source / name, target / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    return target


def run(*command, **keywords):
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    done = subprocess.run([str(c) for c in command], env={**clean, **keywords.pop("env", {})}, capture_output=True, text=True, **keywords)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(source, folder, **environment):
    """Returns the environment's Python, with the package installed."""
    tree = copy_of(source, folder / "tree")
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
    python = folder / "venv/bin/python"
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", ".", cwd=tree, env=environment)
    return python


def check_import(python, folder):
    """The line of the README, outside the source tree."""
    line = "import actkit, numpy as np; print(actkit.Catalog.embedded('trainium')['exp'](np.float32([0.5, 1, -1])))"
    assert run(python, "-c", line, cwd=folder) == "[1.6487027  2.7182512  0.36787605]\n"
    assert str(folder) in run(python, "-c", "import actkit; print(actkit.__file__)", cwd=folder)


def check_wheel(python, source, folder, **environment):
    """Metadata and content of the wheel."""
    run(python, "-m", "pip", "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", folder / "wheel", ".", cwd=folder / "tree", env=environment)
    (file,) = (folder / "wheel").iterdir()
    version = re.search(r"project\(actkit VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()).group(1)
    assert re.fullmatch(rf"actkit-{re.escape(version)}-cp3\d+-cp3\d+-linux_\w+\.whl", file.name)
    with zipfile.ZipFile(file) as wheel:
        names = wheel.namelist()
        metadata = email.message_from_bytes(wheel.read(next(n for n in names if n.endswith("METADATA"))))
    assert (metadata["Name"], metadata["Version"]) == ("actkit", version)
    assert "numpy" in metadata["Requires-Dist"] and metadata["License"] and metadata["Requires-Python"] and "In Python" in metadata.get_payload()
    top = {n.split("/")[0] for n in names}
    assert top == {"actkit", f"actkit-{version}.dist-info"}
    wanted = {"actkit/" + p.name for p in (source / "python/actkit").iterdir() if p.suffix in (".py", ".pyi", ".typed")}
    assert wanted <= set(names) and [n for n in names if n.startswith("actkit/_actkit") and n.endswith(".so")]


def check_source_distribution(python, folder):
    """The archive of sources holds all that a build reads."""
    run(python, "setup.py", "-q", "sdist", "-d", folder / "sdist", cwd=folder / "tree")
    (file,) = (folder / "sdist").iterdir()
    with tarfile.open(file) as archive:
        names = {n.split("/", 1)[1] for n in archive.getnames() if "/" in n}
    tree = folder / "tree"
    for part in ("src", "include", "python", "data", "cmake"):
        wanted = {str(p.relative_to(tree)) for p in (tree / part).rglob("*") if p.is_file() and ".egg-info" not in str(p)}
        assert wanted <= names, sorted(wanted - names)[:5]
    assert {"CMakeLists.txt", "pyproject.toml", "setup.py", "README.md", "LICENSE"} <= names

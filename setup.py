"""Builds the extension with CMake; everything else about the package stands in pyproject.toml."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version():
    """The project's version, which stands in CMakeLists.txt."""
    return re.search(r"project\(actkit VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    """Configures and builds the one target that the package needs: no program, no tests. ACTKIT_EXTENSION names a built one to take instead."""

    def build_extension(self, ext):
        build = Path(self.build_temp).resolve() / "cmake"
        target = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        if built := os.environ.get("ACTKIT_EXTENSION"):
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(built, self.get_ext_fullpath(ext.name))
            return
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DACTKIT_PYTHON=ON",
             "-DACTKIT_TOOLS=OFF", "-DACTKIT_TESTS=OFF", "-DACTKIT_FUZZ=OFF", "-DACTKIT_BENCH=OFF",
             f"-DPython3_EXECUTABLE={sys.executable}", f"-DACTKIT_PYTHON_OUTPUT={target}"], check=True)
        subprocess.run(["cmake", "--build", str(build), "--parallel", jobs, "--target", "actkit_python"], check=True)


setup(version=version(), ext_modules=[Extension("actkit._actkit", sources=[])], cmdclass={"build_ext": CMakeBuild})

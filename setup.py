"""Tells setuptools what pyproject.toml cannot say: the two cffi modules, with a folder of objects for each, since both
compile the same sources with different flags, and the C sources that `gradmote new` writes into projects and
`gradmote flash` builds.

`./run` installs a checkout with GRADMOTE_MODULES=scons: SCons compiles the modules then, and only what changed of them.
"""

from __future__ import annotations

import copy
import os
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "host_tools"))

from gradmote.project.sources import FOR_FIRMWARE, FOR_WASM, PARTS, copy_sources


class BuildProfile(build_ext):
    """Compiles each extension module's sources into a folder of its own."""

    def build_extension(self, ext: Extension) -> None:
        command = copy.copy(self)
        command.build_temp = os.path.join(self.build_temp, ext.name)
        build_ext.build_extension(command, ext)


class BuildWithSources(build_py):
    """Puts what projects are made of into the package; a checkout has it anyway."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "gradmote" / "project" / "sources"
            shutil.rmtree(target, ignore_errors=True)
            copy_sources(target, (*PARTS, *FOR_FIRMWARE, *FOR_WASM))


#: The modules that setuptools compiles.
MODULES = ["bindings/python/build_runtime.py:fused", "bindings/python/build_runtime.py:strict"]

setup(
    cmdclass={"build_ext": BuildProfile, "build_py": BuildWithSources},
    cffi_modules=[] if os.environ.get("GRADMOTE_MODULES") == "scons" else MODULES,
)

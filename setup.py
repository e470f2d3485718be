"""What pyproject.toml cannot say: the two cffi modules, and a folder of objects for each, since both compile the
same sources with different flags."""

from __future__ import annotations

import copy
import os

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildProfile(build_ext):
    """Compiles each extension module's sources into a folder of its own."""

    def build_extension(self, ext: Extension) -> None:
        command = copy.copy(self)
        command.build_temp = os.path.join(self.build_temp, ext.name)
        build_ext.build_extension(command, ext)


setup(
    cmdclass={"build_ext": BuildProfile},
    cffi_modules=["bindings/python/build_runtime.py:fused", "bindings/python/build_runtime.py:strict"],
)

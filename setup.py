"""Tells setuptools what pyproject.toml cannot say: the two cffi modules, with a folder of objects for each, since both
compile the same sources with different flags, and the C sources that `gradmote new` writes into projects and
`gradmote flash` builds.

GRADMOTE_MODULES says who compiles the modules:

- setuptools, where it is not set: the wheel is one of this platform, for Python 3.10 and later.
- scons: `./run` installs a checkout so. SCons compiles the modules in place, and only what changed of them.
- none: the wheel is for any platform, and has all but the runtime (docs/RELEASING.md).
"""

from __future__ import annotations

import copy
import os
import sys
import sysconfig
from collections.abc import Iterable
from itertools import filterfalse
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent / "host_tools"))
sys.path.insert(0, str(Path(__file__).parent / "site_scons"))

from gradmote.sources.archive import pack
from gradmote.sources.parts import FOR_C, FOR_FIRMWARE, FOR_WASM, PARTS, copy_sources
from joined_sources import is_alike, join
from runtime_sources import RUNTIME, extension_flags, extension_sources, msvc_flags


class BuildProfile(build_ext):
    """Compiles each extension module's sources into a folder of its own, and once what both have in common."""

    def build_extension(self, ext: Extension) -> None:
        profile = ext.name.rpartition("_")[2]
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args, ext.extra_link_args = msvc_flags(profile), []
        else:
            self.join_sources(ext, profile)
        command = copy.copy(self)
        command.build_temp = os.path.join(self.build_temp, ext.name)
        build_ext.build_extension(command, ext)

    def join_sources(self, ext: Extension, profile: str) -> None:
        """Put two objects in the place of the runtime's sources, one of them for both modules.

        Microsoft's compiler, of which this was never tried, has each source for itself.
        """
        if not hasattr(self, "alike"):
            self.alike = self.joined("alike", filter(is_alike, extension_sources()), "strict", ext)
        own = self.joined(profile, filterfalse(is_alike, extension_sources()), profile, ext)
        ext.extra_objects = [*self.alike, *own]
        ext.sources = [name for name in ext.sources if RUNTIME not in Path(name).resolve().parents]
        ext.extra_compile_args = [*ext.extra_compile_args, "-O1"]  # what cffi wrote only calls the runtime

    def joined(self, name: str, sources: Iterable[Path], profile: str, ext: Extension) -> list[str]:
        """Return the object of a source that includes all these, compiled for a profile."""
        source = join(sources, Path(self.build_temp) / f"runtime_{name}.c")
        return self.compiler.compile(
            [str(source)],
            output_dir=self.build_temp,
            include_dirs=ext.include_dirs,
            extra_postargs=[*extension_flags(profile), "-g0"],  # Python's own flags ask for debugging facts
        )


class BuildWithSources(build_py):
    """Puts what projects are made of into the package; a checkout has it anyway."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            with TemporaryDirectory() as folder:
                copy_sources(Path(folder), (*PARTS, *FOR_C, *FOR_FIRMWARE, *FOR_WASM))
                pack(Path(folder), Path(self.build_lib) / "gradmote" / "sources" / "sources.zip.bz2")


#: The modules that setuptools compiles.
MODULES = ["bindings/python/build_runtime.py:fused", "bindings/python/build_runtime.py:strict"]

compiled_by = os.environ.get("GRADMOTE_MODULES", "setuptools")
if compiled_by not in ("setuptools", "scons", "none"):
    raise SystemExit(f"GRADMOTE_MODULES is {compiled_by!r} - use setuptools, scons or none")

#: Python without its lock has no stable interface, so that its wheel is for its own version alone.
stable = compiled_by == "setuptools" and not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    cmdclass={"build_ext": BuildProfile, "build_py": BuildWithSources},
    cffi_modules=MODULES if compiled_by == "setuptools" else [],
    options={"bdist_wheel": {"py_limited_api": "cp310"}} if stable else {},
)

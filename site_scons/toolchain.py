"""SCons environments for compiling the runtime, and the runtime's objects in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from runtime_sources import INCLUDES, NUMERICS_FLAGS, ROOT, WARNING_FLAGS, runtime_sources


def compiler_environment(environment: Callable[..., Any], cc: str) -> Any:
    """Return an environment for the compiler `cc` and its tools, without flags. environment: SCons's Environment."""
    prefix = cc[: -len("gcc")] if cc.endswith("-gcc") else ""
    env = environment(
        tools=["gcc", "gnulink", "ar"],
        CC=cc,
        AR=f"{prefix}ar",
        RANLIB=f"{prefix}ranlib",
        SIZE=f"{prefix}size",
        CCCOMSTR="compile $TARGET",
        LINKCOMSTR="link $TARGET",
        ARCOMSTR="archive $TARGET",
        RANLIBCOMSTR="index $TARGET",
    )
    env.PrependENVPath("PATH", os.environ.get("PATH", ""))
    return env


def runtime_environment(environment: Callable[..., Any], cc: str) -> Any:
    """Return compiler_environment() with the runtime's own flags, but without optimization and target."""
    env = compiler_environment(environment, cc)
    env.Append(CPPPATH=[str(path) for path in INCLUDES], CCFLAGS=[*NUMERICS_FLAGS, *WARNING_FLAGS])
    return cache_objects(env)


def cache_objects(env: Any) -> Any:
    """Let ccache cache the environment's compilations, if it is installed, and return the environment.

    Do not use it with -fcallgraph-info: ccache keeps the object, but not the graph.
    """
    if env.WhereIs("ccache"):
        env["CCCOM"] = f"$( ccache $) {env['CCCOM']}"  # SCons ignores text in $( $) when it compares commands
        env["ENV"].update({name: value for name, value in os.environ.items() if name.startswith(("CCACHE_", "HOME"))})
    return env


def runtime_objects(env: Any, folder: str) -> list[Any]:
    """Return one object for each of the runtime's sources, under `folder`."""
    objects = []
    for source in runtime_sources():
        name = source.relative_to(ROOT / "runtime_c").with_suffix("")
        objects += env.Object(f"{folder}/{name.as_posix()}.o", str(source))
    return objects

"""The framework: its headers and sources. The environment's option custom_core names the stand-in."""

from pathlib import Path

from SCons.Script import DefaultEnvironment

env = DefaultEnvironment()
stand_in = Path(env.PioPlatform().get_dir()).resolve().parent
core = stand_in / env.GetProjectOption("custom_core")
env.Append(CPPPATH=[str(core)], CPPDEFINES=[("BOARD_NAME", r"\"of the core\"")])
sources = [stand_in / "host.cpp", core / "core.cpp"]
env.Append(PIOBUILDFILES=[env.Object(f"$BUILD_DIR/core/{path.stem}.o", str(path)) for path in sources])

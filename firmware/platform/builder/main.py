"""Builds the firmware of one board for PlatformIO, as firmware/SConscript does for SCons, from the same lists.

A project with its own src folder brings an application (firmware/src/application.h). With `custom_gradmote = board`
it brings main(), uses the runtime as a library, and gets only the board's functions.
"""

import sys
from pathlib import Path

from SCons.Script import COMMAND_LINE_TARGETS, AlwaysBuild, Default, DefaultEnvironment

PLATFORM = Path(DefaultEnvironment().PioPlatform().get_dir()).resolve()
sys.path.insert(0, str(PLATFORM.parents[1] / "site_scons"))

from boards import FIRMWARE, as_the_project_wants, boards, more_flags  # noqa: E402

from runtime_sources import ROOT  # noqa: E402

#: A project's own sources get fewer warnings than the firmware.
OWN_FLAGS = ["-Wall", "-Wextra"]

env = DefaultEnvironment()
board = next(board for board in boards() if board.name == env["BOARD"])
board = as_the_project_wants(board, Path(env.subst("$PROJECT_DIR")), env.GetProjectOption)
is_test = "__test" in COMMAND_LINE_TARGETS
is_bare = env.GetProjectOption("custom_gradmote", "firmware") == "board"
#: A project's own program may include headers of the firmware by file name only: "text.h" for "console/text.h".
HEADERS = [FIRMWARE / "src" / folder for folder in ("console", "device", "storage", "training")] if is_bare else []


def use_compiler():
    tools = {"CC": "gcc", "CXX": "g++", "AS": "as", "AR": "ar", "RANLIB": "ranlib", "SIZETOOL": "size"}
    env.Replace(**{variable: f"{board.compiler}{tool}" for variable, tool in tools.items()})
    env.Replace(ARFLAGS=["rc"], PROGNAME="firmware", PROGSUFFIX=".elf")
    env.Append(
        CPPPATH=[str(path) for path in [*board.includes(), *HEADERS]],
        CPPDEFINES=[(name, value.replace('"', r"\"")) for name, value in board.defines().items()],
        CCFLAGS=[*OWN_FLAGS, *board.code_flags()],
        LINKFLAGS=[*board.link_flags(), "-Wl,-Map=$BUILD_DIR/firmware.map"],
    )


def firmware_objects():
    """Return the objects in the same order as SCons, so that the linker's output is the same."""
    compiler = env.Clone()
    compiler.Replace(CCFLAGS=board.flags())
    compiler.ProcessFlags(env.get("BUILD_FLAGS"))
    compiler.Append(CCFLAGS=board.left_out([str(env.get("BUILD_FLAGS", ""))]))
    sources = board.sources() if is_bare else board.sources_for(Path(env.subst("$PROJECT_SRC_DIR")))
    if is_bare or is_test:
        sources.remove(FIRMWARE / "src" / "main.c")
    return [compiled(compiler, path) for path in sources]


def compiled(compiler, path):
    target = f"$BUILD_DIR/gradmote/{path.relative_to(ROOT).with_suffix('.o')}"
    return compiler.Object(target, str(path), CCFLAGS=[*compiler["CCFLAGS"], *more_flags(path)])


def tell_sizes():
    """Set up how PlatformIO measures the program and its data, which it compares with the memory in `board.toml`."""
    env.Replace(
        SIZECHECKCMD="$SIZETOOL -A -d $SOURCES",
        SIZEPRINTCMD="$SIZETOOL -B -d $SOURCES",
        SIZEPROGREGEXP=r"^(?:\.text|\.data)\s+(\d+).*",
        SIZEDATAREGEXP=r"^(?:\.stack|\.data|\.bss|\.noinit)\s+(\d+).*",
    )


def tool(command, *arguments):
    """Return the shell command for a command of tools/board.py."""
    script = str(PLATFORM / "tools" / "board.py")
    words = ["$PYTHONEXE", script, "--state", "$PROJECT_WORKSPACE_DIR", command, board.name, *arguments]
    return " ".join(f'"{word}"' for word in words)


def add_targets(program):
    AlwaysBuild(env.Alias("nobuild", program))
    upload = tool("upload", "$SOURCE", env.GetProjectOption("monitor_port", ""))
    env.AddPlatformTarget("upload", program, env.VerboseAction(upload, "Programming $SOURCE"), "Upload")
    stop = env.VerboseAction(tool("stop"), "Ending the emulator")
    if board.table.get("emulator"):
        env.AddPlatformTarget("stop", None, stop, "Stop", "End the emulator of this board; what it learned is lost")


use_compiler()
tell_sizes()
if is_test:
    env.Append(CPPDEFINES=[("FLASH_WORKS", int(board.table.get("flash_is_emulated", True)))])
env.Append(PIOBUILDFILES=firmware_objects())
program = env.BuildProgram()
env.Depends(program, str(board.linker_script))
add_targets(program)
Default(AlwaysBuild(env.Alias("buildprog", program)), env.Alias("size", program))

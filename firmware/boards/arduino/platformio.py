"""Adds this project's sources to PlatformIO's build of a board with a framework, as an extra script of its environment.

PlatformIO runs it before the platform adds the framework's flags, but expands command lines afterwards. The flags of
this project come last on them, so they override the framework's (-Ofast, -std).
"""

import sys
from pathlib import Path

Import("env")  # noqa: F821

ROOT = Path(sys._getframe().f_code.co_filename).resolve().parents[3]  # SCons does not set __file__
sys.path.insert(0, str(ROOT / "site_scons"))

from boards import as_the_project_wants, boards  # noqa: E402

from runtime_sources import RUNTIME  # noqa: E402

board = next(board for board in boards() if board.name == env["PIOENV"])  # noqa: F821
board = as_the_project_wants(board, Path(env.subst("$PROJECT_DIR")), env.GetProjectOption)  # noqa: F821


def own_flags(suffix):
    """Return this project's flags for sources with this suffix, quoted for a command line.

    A .c file gets the C compiler's flags; other languages get the flags that are not only for C.
    """
    flags = board.flags() if suffix == ".c" else [*board.code_flags(), "-ffp-contract=off"]
    defines = ["-D" + name + "=" + value.replace('"', r"\"") for name, value in board.defines().items()]
    return " ".join(f'"{word}"' for word in [*flags, *defines, *(f"-I{path}" for path in board.includes())])


def compiled(env, path):
    """Return the object of one source."""
    line = "CXXCOM" if path.suffix == ".cpp" else "CCCOM"
    commands = [f"{env[line]} {own_flags(path.suffix)}"]
    if "redefined_symbols" in board.table:
        commands.append(f'"$OBJCOPY" "--redefine-syms={board.folder / board.table["redefined_symbols"]}" "$TARGET"')
    target = f"$BUILD_DIR/gradmote/{path.relative_to(ROOT).with_suffix('.o')}"
    return env.Object(target, str(path), **{line: commands})


own_sources = board.sources_for(Path(env.subst("$PROJECT_SRC_DIR")))  # noqa: F821
env.Append(CPPPATH=[str(RUNTIME / "include")], PIOBUILDFILES=[compiled(env, path) for path in own_sources])  # noqa: F821

"""List what the firmware of a board is built from: sources, compiler and flags, from its board.toml and family.toml.

SCons and PlatformIO both build from this list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from monocypher import NoMonocypher, fetch_monocypher
from public_key import NoPublicKey, read_public_key

from render.spec import tomllib
from runtime_sources import INCLUDES, NUMERICS_FLAGS, PROFILES, ROOT, WARNING_FLAGS, runtime_sources

FIRMWARE = ROOT / "firmware"
#: The folders that the firmware's sources include from.
FIRMWARE_INCLUDES = [FIRMWARE / "boards", FIRMWARE / "src", FIRMWARE / "generated"]
#: The folder for files that a build fetches, because the checkout lacks them.
BUILD = ROOT / "build"


class NoProfile(Exception):
    """An unknown numerics profile."""


#: The errors of a build with a key or with a profile.
REFUSALS = (NoPublicKey, NoMonocypher, NoProfile)

#: -fcallgraph-info is for the stack's bound.
CODE_FLAGS = ["-O2", "-g", "-fcallgraph-info=su", "-ffreestanding", "-ffunction-sections", "-fdata-sections"]
#: For boards with an Arduino core, which brings the CPU's flags and its own. These come last, since some cores use
#: -Ofast.
FRAMEWORK_FLAGS = ["-O2", "-fno-fast-math", "-ffunction-sections", "-fdata-sections"]
#: Bytes of stack for checking a signature, including callers and an interrupt, as stack_bound.py computes them.
SIGNATURE_STACK = 0x900
#: As above, for the kernels of quantized models.
INT8_STACK = 0x700
#: For third-party code, besides the board's own.
THIRD_PARTY_FLAGS = ["-Wno-conversion"]
LINK_FLAGS = ["-nostartfiles", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"]


@dataclass(frozen=True)
class Board:
    """A folder of firmware/boards/<family>. Without its own compiler, only PlatformIO builds it."""

    metadata: Path  #: board.toml
    table: dict[str, Any]  #: its contents
    family: dict[str, Any]  #: the contents of family.toml
    key: bytes = b""  #: the public key that must have signed images; empty if images need not be signed
    monocypher: Path | None = None  #: the folder of Monocypher's sources, if there is a key
    rollback_protect: bool = False  #: refuse images that are older than the board's
    other_profile: bool = False  #: whether its numerics profile differs from board.toml's

    def demanding(self, key: bytes, monocypher: Path, rollback_protect: bool = False) -> Board:
        """Return the board with firmware that takes only images signed by this Ed25519 key.

        With rollback_protect, it also refuses images older than its own. The check needs more stack, and Monocypher's
        sources.
        """
        able = self._with_stack(SIGNATURE_STACK)
        return replace(able, key=key, monocypher=monocypher, rollback_protect=rollback_protect)

    def with_kernels(self, kernels: Sequence[str]) -> Board:
        """Return the board with firmware for which these flags choose kernels.

        Boards whose usual firmware has no room for the kernels of quantized models reserve too little stack for them.
        """
        return self._with_stack(INT8_STACK) if "-DGM_WITH_INT8=1" in kernels else self

    def with_profile(self, profile: str) -> Board:
        """Return the board with firmware of this numerics profile, or of its own if `profile` is empty.

        Raises NoProfile for an unknown name. If a core lacks fused multiply-adds, its compiler reports it.
        """
        if profile not in ("", *PROFILES):
            raise NoProfile(f"there is no numerics profile {profile}: profiles are {', '.join(PROFILES)}")
        own = self.table["profile"]
        return replace(self, table={**self.table, "profile": profile or own}, other_profile=profile not in ("", own))

    def _with_stack(self, least: int) -> Board:
        """Return the board with at least this many bytes of stack."""
        memory = self.table["memory"]
        return replace(self, table={**self.table, "memory": {**memory, "stack": max(memory["stack"], least)}})

    @property
    def can_protect(self) -> bool:
        """Return whether it can update while the old image runs, which is how it knows which image is older."""
        return bool(self.table.get("updates", 1))

    def suffix(self) -> str:
        """Return the suffix of the firmware's folder name, for the key and for a profile other than the board's own."""
        profile = f"-{self.table['profile']}" if self.other_profile else ""
        return profile + ("-signed" if self.key else "") + ("-protected" if self.rollback_protect else "")

    @property
    def name(self) -> str:
        return str(self.table["name"])

    @property
    def folder(self) -> Path:
        return self.metadata.parent

    @property
    def compiler(self) -> str:
        """Return the prefix of the compiler's tools, or "" if PlatformIO's platform brings its own."""
        return str(self.family.get("compiler", ""))

    @property
    def compiler_packages(self) -> str:
        """Debian's packages of the compiler and its C library."""
        return str(self.family["compiler_packages"])

    def specs(self) -> list[str]:
        """Return the specs files by which the compiler finds its C library."""
        given = [flag.partition("--specs=")[2] for flag in self.link_flags()]
        return [name for name in given if name]

    @property
    def framework(self) -> str:
        """Return the PlatformIO framework that the firmware is built on, or "" for none."""
        return str(self.family.get("framework", ""))

    @property
    def linker_script(self) -> Path:
        return self._path(self.family["linker_script"])

    def own_sources(self) -> list[Path]:
        """Return the absolute paths of the sources that implement board.h."""
        named = [*self.family.get("sources", ()), *self.table.get("sources", ())]
        shared = [self._path(name) for name in named]
        found = [path for folder in (self.folder.parent, self.folder) for path in sorted(folder.glob("*.c*"))]
        return [*shared, *(path for path in found if path.suffix in (".c", ".cpp"))]

    def sources(self) -> list[Path]:
        """Return own_sources() and the console's. The runtime's are runtime_sources()."""
        replaced = [*self.family.get("replaces", ()), *(["no_signature.c"] if self.key else [])]
        kept = [path for path in console_sources() if path.name not in replaced]
        return [*kept, *signature_sources(self.monocypher), *self.own_sources()]

    def sources_for(self, project: Path) -> list[Path]:
        """Return all sources, including the runtime's, for a project with this src folder.

        If it is not the firmware's own, it brings an application (firmware/src/application.h).
        """
        found = [*self.sources(), *runtime_sources()]
        is_own = project.resolve() == FIRMWARE / "src"
        return found if is_own else [path for path in found if path != FIRMWARE / "src" / "application.c"]

    def includes(self) -> list[Path]:
        return [*INCLUDES, *FIRMWARE_INCLUDES, *([self.monocypher] if self.monocypher else [])]

    def flags(self) -> list[str]:
        """Return the flags of the C compiler, without includes and defines."""
        return [*NUMERICS_FLAGS, *([] if self.framework else WARNING_FLAGS), *self.code_flags()]

    def runtime_flags(self, kernels: Sequence[str] = ()) -> list[str]:
        """Return the flags of the runtime's compiler, with the only define of defines() that it needs.

        kernels: the flags that choose kernels, unless all are built.
        """
        return [*self.flags(), f"-DGM_FUSED={self.defines()['GM_FUSED']}", *self.left_out(kernels), *kernels]

    def left_out(self, kernels: Sequence[str] = ()) -> list[str]:
        """Return the flags that leave out the kernels that do not fit beside all others."""
        has_room = self.table.get("int8", True) or any("GM_ONLY_SELECTED" in flag for flag in kernels)
        return [] if has_room else ["-DGM_WITH_INT8=0"]

    def runtime_name(self) -> str:
        """Return a name for all boards whose runtime has the same flags: the CPU and a digest of the flags."""
        flags = self.runtime_flags()
        cpu = next(flag.partition("=")[2] for flag in flags if flag.startswith(("-mcpu=", "-march=")))
        return f"{cpu}-{hashlib.sha256(' '.join(flags).encode()).hexdigest()[:8]}"

    def code_flags(self) -> list[str]:
        """Return the compiler flags that suit any language and any program."""
        if self.framework:
            return FRAMEWORK_FLAGS
        return [*CODE_FLAGS, *self.family.get("flags", ()), *self.table["cpu_flags"]]

    def defines(self) -> dict[str, str]:
        """Return the C defines, by name, for the values of board.toml and the signing key."""
        memory = self.table["memory"]
        numbers = {
            "CLOCK_HZ": self.table["clock"],
            "TICKS_PER_SECOND": self.table.get("ticks_per_second", self.table["clock"]),
            "ERASE_UNIT": memory["erase_unit"],
            "PROGRAM_UNIT": memory.get("program_unit", 4),
            "FRAME_LIMIT": memory["frame"],
            "UPDATES": self.table.get("updates", 1),
            "ROUNDS": self.table.get("rounds", 1),
            "EXPORT": self.table.get("export", 1),
            **self.table.get("peripherals", {}),
            **(self._sizes_and_addresses() if self.framework else {}),
        }
        found = {f"BOARD_{name.upper()}": f"{value:#x}u" for name, value in numbers.items()}
        found |= key_defines(self.key, self.rollback_protect)
        if "arena_section" in self.table:
            found["BOARD_ARENA_SECTION"] = f'"{self.table["arena_section"]}"'
        return {**found, "GM_BOARD_NAME": f'"{self.name}"', "GM_FUSED": str(int(self.table["profile"] == "fused"))}

    def link_flags(self) -> list[str]:
        """Return the linker's flags. Sizes and addresses of board.toml become symbols of the linker script."""
        defined = [f"-Wl,--defsym={name}={value:#x}" for name, value in self._sizes_and_addresses().items()]
        script = ["-T", str(self.linker_script)]
        return [*LINK_FLAGS, *self.family.get("link_flags", ()), *self.table["cpu_flags"], *script, *defined]

    def _sizes_and_addresses(self) -> dict[str, int]:
        """Return RAM_SIZE, FLASH_ORIGIN and so on, for a linker script or, if a core has its own, for the sources."""
        sizes = {f"{name.upper()}_SIZE": size for name, size in self.table["memory"].items()}
        return sizes | {f"{name.upper()}_ORIGIN": address for name, address in self.table.get("origin", {}).items()}

    def _path(self, name: str) -> Path:
        return (self.folder.parent / name).resolve()


def console_sources() -> list[Path]:
    """Return the sources of the firmware that all boards share, absolute."""
    return [path for part in ("src", "generated") for path in sorted((FIRMWARE / part).rglob("*.c"))]


def key_defines(key: bytes, rollback_protect: bool = False) -> dict[str, str]:
    """Return the C defines of the key that must have signed images, or none if images need no signature."""
    if not key:
        return {}
    return {"SIGNATURE_KEY": ",".join(map(str, key)), "ROLLBACK_PROTECT": str(int(rollback_protect))}


def more_flags(source: Path) -> list[str]:
    """Return the flags of one source besides the board's."""
    return THIRD_PARTY_FLAGS if source.name == "monocypher.c" else []


def signature_sources(monocypher: Path | None) -> list[Path]:
    """Return the sources that check signatures, instead of no_signature.c, or nothing without Monocypher's folder."""
    return [*sorted((FIRMWARE / "signature").glob("*.c")), monocypher / "monocypher.c"] if monocypher else []


def object_of(source: Path) -> Path:
    """Return the path of a source's object below the folder of a firmware's objects."""
    place = source.relative_to(FIRMWARE) if source.is_relative_to(FIRMWARE) else Path("monocypher") / source.name
    return place.with_suffix(".o")


def as_the_project_wants(board: Board, project: Path, option: Callable[[str, str], str]) -> Board:
    """Return the board with the profile and the key that a PlatformIO project asks for.

    option: returns the project's option of a name, or the default. Exits if one is wrong.
    """
    key, protect = option("custom_gradmote_key", ""), option("custom_gradmote_rollback_protect", "no")
    try:
        board = board.with_profile(option("custom_gradmote_profile", ""))
        return demanding(board, project / key if key else None, protect == "yes")
    except REFUSALS as error:
        raise SystemExit(f"error: {error}") from error


def demanding(board: Board, key: Path | None, rollback_protect: bool, build: Path = BUILD) -> Board:
    """Return the board with firmware that takes only images signed by this key, if there is one.

    build: the folder to fetch Monocypher into. Raises one of REFUSALS.
    """
    if rollback_protect and key is None:
        raise NoPublicKey("rollback protection is about images that a key signed: give the public key too")
    if rollback_protect and not board.can_protect:
        raise NoPublicKey(f"{board.name} takes no image beside the one that runs, by which it would know what is older")
    if key is None:
        return board
    return board.demanding(read_public_key(key), fetch_monocypher(build), rollback_protect)


def boards() -> list[Board]:
    """Return all boards of firmware/boards, in the order of their folders."""
    return [read_board(metadata) for metadata in sorted((FIRMWARE / "boards").glob("*/*/board.toml"))]


def read_board(metadata: Path) -> Board:
    family = metadata.parent.parent / "family.toml"
    return Board(metadata, tomllib.loads(metadata.read_text()), tomllib.loads(family.read_text()))

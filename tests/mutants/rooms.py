"""The rooms of the project that mutants are drawn from, and how many of each."""

from __future__ import annotations

from pathlib import Path

PACKAGE = "host_tools/gradmote"
#: Room -> files -> how many mutants of a hundred or so are drawn from them.
ROOMS: dict[str, dict[str, int]] = {
    "kernels": {"runtime_c/kernels/*.c": 12, "runtime_c/kernels/optimizers/*.c": 2},
    "arch": {
        "runtime_c/kernels/arch/arm_m/**/*.c": 5,
        "runtime_c/kernels/arch/helium/**/*.c": 3,
        "runtime_c/kernels/arch/riscv/**/*.c": 2,
        "runtime_c/kernels/arch/simd/**/*.c": 3,
        "runtime_c/kernels/arch/soft_float/**/*.c": 1,
    },
    "runtime": {"runtime_c/src/*.c": 12},
    "passes": {
        f"{PACKAGE}/rewrite/**/*.py": 5,
        f"{PACKAGE}/compiler/passes/**/*.py": 3,
        f"{PACKAGE}/plan/*.py": 2,
        f"{PACKAGE}/operators/*.py": 6,
    },
    "firmware": {"firmware/src/**/*.c": 12},
    "formats": {f"{PACKAGE}/formats/**/*.py": 6, f"{PACKAGE}/data/*.py": 4},
    "federated": {f"{PACKAGE}/federated/**/*.py": 8},
    "bindings": {
        "bindings/python/gradmote_runtime/*.py": 3,
        "bindings/js/src/**/*.ts": 4,
        "bindings/shared/*.c": 1,
        "bindings/threads/*.c": 2,
    },
}
#: Files that only say what there is, as __repr__() does.
SAYING = ("/describe.py",)


def shares(count: int) -> list[tuple[str, str, int]]:
    """Return each room's files, and how many of `count` mutants they get, at least one."""
    parts = [(room, files, share) for room, parts in ROOMS.items() for files, share in parts.items()]
    total = sum(share for _, _, share in parts)
    return [(room, files, max(1, round(count * share / total))) for room, files, share in parts]


def files_of(pattern: str, root: Path) -> list[str]:
    """Return the written files of a pattern, by their paths from the root, in the same order everywhere."""
    found = sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))
    return [file for file in found if not file.endswith(SAYING)]

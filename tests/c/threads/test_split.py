"""Instructions in parts on several threads give the bits of the whole: of each opcode that may be cut, drawn ones, with
operands in place too; under ThreadSanitizer too.

GRADMOTE_SPLIT_EXAMPLES: how many of each are drawn, 25 by default.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from render.spec import Opcode, opcodes
from runtime_sources import ROOT, runtime_sources
from support import objects
from support.sampling import draws, is_whole

from .drawn_instructions import Drawn, draw, elements

EXAMPLES = draws("split_examples")
THREADS = ROOT / "bindings" / "threads"
SPLIT = [op for op in opcodes() if op.cut]
INDEXED = [op for op in SPLIT if any(o.name == "indices" and o.access == "r" for o in op.operands)]
#: One of each kind: products, rules with rows of their own, bits, several outputs, indices, ranges.
SANITIZED = ("ADD", "CONV_UPDATE", "GEMM", "GEMM_UPDATE", "MASK_GRAD", "STANDARDIZE", "SCATTER_ADD", "GRU_CELLS_GRAD",
             "NORMALIZE_GRAD")  # fmt: skip
#: A plain run watches plain C alone: vectors take long to compile.
PLAIN = [] if is_whole() else ["-DGM_ARCH=0"]
OPTIMISED, WATCHED = ("-O3", []), ("-O1", ["-g1", "-fsanitize=thread", *PLAIN])
PARTS = range(1, 6)

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="apt-get install gcc")


def build(
    folder: Path, level: str, flags: list[str], own: str, sources: Sequence[Path] = (), libraries: Sequence[Path] = ()
) -> Path:
    program = folder / own.removesuffix(".c")
    command = [*objects.command_for_host("gcc", level, "strict"), *flags, "-DGM_THREADS=1", f"-I{THREADS}"]
    sources = [Path(__file__).with_name(own), THREADS / "gm_threads.c", *sources]
    objects.build(command, sources, program, *map(str, libraries), "-pthread", "-lm")
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = objects.host_library("strict")
    return build(tmp_path_factory.mktemp("split"), *OPTIMISED, "run_split.c", libraries=[library])


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sanitized"), *WATCHED, "run_split.c", runtime_sources())


@pytest.mark.parametrize("level, flags", [OPTIMISED, WATCHED], ids=["optimised", "sanitized"])
def test_threads_do_each_part_once(tmp_path, level, flags):
    hammer = build(tmp_path, level, flags, "hammer_threads.c")
    done = subprocess.run([hammer], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("op", SPLIT, ids=lambda op: op.name)
def test_parts_give_the_bits_of_the_whole(program, op):
    check_drawn(program, op)


@pytest.mark.parametrize("op", INDEXED, ids=lambda op: op.name)
def test_an_index_out_of_range_changes_nothing(program, op):
    """The number of parts makes no difference."""
    rng = np.random.default_rng(op.code)
    cases = [with_a_wrong_index(draw(op, rng), op, rng) for _ in range(EXAMPLES)]
    counts = run(program, cases)
    assert counts.max(axis=0).tolist() == list(PARTS)


@pytest.mark.parametrize("op", [op for op in SPLIT if op.name in SANITIZED], ids=lambda op: op.name)
def test_threads_share_nothing(sanitized, op):
    check_drawn(sanitized, op)


def check_drawn(program: Path, op: Opcode) -> None:
    rng = np.random.default_rng(op.code)
    counts = run(program, [draw(op, rng) for _ in range(EXAMPLES)])
    assert counts.max(axis=0).tolist() == list(PARTS)  # each number of parts there was


def with_a_wrong_index(case: Drawn, op: Opcode, rng: np.random.Generator) -> Drawn:
    """The case in which one of the indices is past the end."""
    at, operand = next((i, o) for i, o in enumerate(op.operands) if o.name == "indices")
    params = dict(zip([p.name for p in op.params], case.instruction[1 + len(op.operands) :].tolist(), strict=True))
    memory = np.frombuffer(case.memory, np.uint32).copy()
    memory[case.instruction[1 + at] // 4 + rng.integers(elements(operand, params))] = params["size"]
    return Drawn(case.instruction, memory.tobytes(), unchanged=True)


def run(program: Path, cases: list[Drawn]) -> np.ndarray:
    """How many parts there were: [case, of how many asked for]."""
    asked = b"".join(case.encoded() for case in cases)
    done = subprocess.run([program], input=asked, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    answer, counts = memoryview(done.stdout), []
    for case in cases:
        record = 8 + len(case.memory)
        counts.append([check(case, answer[:record], answer[at * record :][:record]) for at in range(len(PARTS))])
        answer = answer[len(PARTS) * record :]
    assert len(answer) == 0
    return np.array(counts)


def check(case: Drawn, whole: memoryview, parts: memoryview) -> int:
    """Check that status and memory are the same, except for scratch operands. Return the number of parts."""
    assert whole[4:8] == parts[4:8], case.instruction
    assert not case.unchanged or parts[8:] == case.memory
    np.testing.assert_array_equal(words(case, parts), words(case, whole), str(case.instruction))
    return int(np.frombuffer(parts[:4], np.uint32)[0])


def words(case: Drawn, record: memoryview) -> np.ndarray:
    """Return the words to compare: every NaN has the same bits, and the scratch operand is zero."""
    memory = bytearray(record[8:])
    memory[case.own] = bytes(case.own.stop - case.own.start)
    values = np.frombuffer(memory, np.float32)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))

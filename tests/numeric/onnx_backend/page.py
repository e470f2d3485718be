"""docs/OPERATORS.md: what the code, ONNX's schemas and its node tests say of each operator."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import onnx
from numeric.onnx_backend.attributes import RULES_OPSET, schemas
from numeric.onnx_backend.suite import Kernels
from numeric.sweep.explained import rows as differences
from wrap_prose import wrapped

from gradmote.frontend.read import OLDEST_OPSET
from gradmote.generated.opcodes import OPCODES
from gradmote.operators import OPERATORS
from runtime_sources import CORTEX_M4_FLAGS, INCLUDES, NUMERICS_FLAGS, ROOT, RUNTIME

PAGE = ROOT / "docs" / "OPERATORS.md"
#: Figures that need a run of the suite and a compiler for Cortex-M4.
MEASURED = Path(__file__).with_name("measured.json")

HEAD = """# Operators

Written by `cd tests && python -m numeric.onnx_backend`, from the operators' files, ONNX's schemas and its node tests
(`onnx.backend.test` of onnx {onnx}), which run under the C runtime on this computer. A test fails when this page is
stale.

- **versions**: those of opsets {rules} to {newest}. Models of opset {oldest} and newer are accepted; what is older than
  {rules} is converted by onnx first.
- **attributes**: all that ONNX gives the operator. None is ignored: what is not supported is refused by name.
- **constants**: inputs that must be known when the model is compiled.
- **gradient**: whether training goes through it; zero where it is flat.
- **bytes**: code of the kernels that its node tests run on, on a Cortex-M4F, -Os, for inference and for training;
  without the loss, sums of gradients and what all images need (executor, verifier, elementary functions). `scons size`
  has every object.
- **node tests**: passed, and how many there are of those that compute with float32 ({doubles}, which ONNX has
  in float64 alone, are narrowed). Sizes, indices and other **constants** that a test has as inputs are bound before
  compiling.
"""

SWEEP = """
## Differences from others

`cd tests && python -m numeric.sweep` draws nodes of each operator with all of their attributes, over opsets, ranks,
negative and empty axes, and compares results with onnxruntime's, or else with those of onnx's reference, and gradients
with finite differences in float64. Everything is equal or refused, except:
"""


@dataclass
class Facts:
    """The kernels of one operator and the bytes of their code, as the file MEASURED has them."""

    kernels: Kernels
    inference_bytes: int
    training_bytes: int


def read_facts() -> dict[str, Facts]:
    rows = json.loads(MEASURED.read_text())
    return {op: Facts(Kernels(set(r["forward"]), set(r["gradient"])), *r["bytes"]) for op, r in rows.items()}


def write_facts(facts: Mapping[str, Facts]) -> None:
    rows = {
        op: {
            "forward": sorted(f.kernels.forward),
            "gradient": sorted(f.kernels.gradient),
            "bytes": [f.inference_bytes, f.training_bytes],
        }
        for op, f in sorted(facts.items())
    }
    MEASURED.write_text(json.dumps(rows, indent=1) + "\n")


# ---- Bytes of kernels


@cache
def kernel_bytes(opcodes: frozenset[str]) -> int:
    """Bytes of code of the kernels' files, compiled for these opcodes alone."""
    flags = ["-DGM_ONLY_SELECTED=1", *(f"-DGM_WITH_{name}=1" for name in sorted(opcodes))]
    with tempfile.TemporaryDirectory() as folder:
        objects = [compiled(path, flags, Path(folder) / f"{i}.o") for i, path in enumerate(files_of(opcodes))]
        return sum(text_bytes(objects))


def compiled(source: Path, flags: Sequence[str], target: Path) -> str:
    options = [*NUMERICS_FLAGS, *CORTEX_M4_FLAGS, "-Os", *(f"-I{folder}" for folder in INCLUDES), *flags]
    subprocess.run(["arm-none-eabi-gcc", *options, "-c", str(source), "-o", str(target)], check=True)
    return str(target)


def text_bytes(objects: Sequence[str]) -> list[int]:
    if not objects:
        return []
    output = subprocess.run(["arm-none-eabi-size", *objects], check=True, capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in output.splitlines()[1:]]


def files_of(opcodes: Iterable[str]) -> list[Path]:
    """Return the kernels' files that mention one of the opcodes."""
    wanted = re.compile(rf"GM_WITH_({'|'.join(opcodes) or '$'})\b")
    return [path for path in sorted((RUNTIME / "kernels").rglob("*.c")) if wanted.search(path.read_text())]


# ---- The page


def render(facts: Mapping[str, Facts], totals: Mapping[str, tuple[int, int]], listed: Mapping[str, Mapping]) -> str:
    """totals: (passed, all) by operator; listed: the tests that do not pass, with reasons, by kind."""
    opsets = {"oldest": OLDEST_OPSET, "rules": RULES_OPSET, "newest": onnx.defs.onnx_opset_version()}
    doubles = "CumSum's and Einsum's"
    passed, count = (sum(column) for column in zip(*totals.values()))
    parts = [
        HEAD.format(onnx=onnx.__version__, doubles=doubles, **opsets),
        f"{passed} of {count} node tests pass, {100 * passed / count:.1f} %.\n",
        table(
            ("operator", "versions", "attributes", "constants", "gradient", "bytes", "node tests"),
            [row(op, versions, facts.get(op), totals.get(op)) for op, versions in schemas().items()],
        ),
        "\n## Limits\n",
        *(f"- **{o.op_type}** {o.limits}" for o in sorted(OPERATORS.values(), key=lambda o: o.op_type) if o.limits),
        "\n## Kernels\n",
        kernels_table(facts),
        "\n## Node tests that do not pass\n\nRefused when the model is compiled, in these words:\n",
        table(("test", "reason"), sorted(listed["refused"].items())),
        "\nOther on purpose:\n",
        table(("test", "reason"), sorted(listed["different"].items())),
        SWEEP,
        table(("operator", "difference"), differences()),
    ]
    return wrapped("\n".join(parts) + "\n")


def row(
    op: str, versions: Sequence[onnx.defs.OpSchema], facts: Facts | None, tests: tuple[int, int] | None
) -> tuple[str, ...]:
    newest, operator = versions[-1], OPERATORS["", op]
    names = [i.name for i in newest.inputs]
    return (
        op,
        ", ".join(str(v.since_version) for v in versions),
        ", ".join(sorted({name for v in versions for name in v.attributes})),
        ", ".join(names[i] for i in operator.constants if i < len(names)),
        operator.trains,
        f"{facts.inference_bytes} / {facts.training_bytes}" if facts else "",
        f"{tests[0]} / {tests[1]}" if tests else "",
    )


def kernels_table(facts: Mapping[str, Facts]) -> str:
    used: dict[str, list[str]] = {}
    for op, f in facts.items():
        for opcode in f.kernels.forward | f.kernels.gradient:
            used.setdefault(opcode, []).append(op)
    rows = [(f"`{code}`", meaning_of(code), ", ".join(sorted(operators))) for code, operators in sorted(used.items())]
    return table(("kernel", "what it computes", "operators"), rows)


def meaning_of(opcode: str) -> str:
    return str(OPCODES[opcode]["meaning"]).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

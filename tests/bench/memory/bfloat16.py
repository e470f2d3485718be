"""Trains networks whose values wait, or whose moments are kept, as float32 or as bfloat16: parts of docs/MEMORY.md.

cd tests && PYTHONPATH=../site_scons python -m bench.memory.bfloat16 writes them. Each network learns on the twin, once
as it is and once with --saved bf16 or --moments bf16, from the same samples in the same order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import onnx
from bench.memory.page import LAST, MOMENTS, PAGE, SAVED
from bench.quantized.accuracy.tasks import TASKS, Lesson
from bench.quantized.accuracy.training import Course, accuracy_after
from wrap_prose import wrapped

from gradmote import losses, optimizers
from gradmote.budget.recompute import step_instructions
from gradmote.compiler import Options, Result, compile_model
from gradmote.formats.image import read_image
from gradmote.optimizers import Optimizer
from support import digits
from support.oracle import make_model, node

SEEDS = 3
#: The digits that are tested on; the network learns the others.
TESTED = 497

HEAD_OF_SAVED = f"""{SAVED}

`cd tests && PYTHONPATH=../site_scons python -m bench.memory.bfloat16` writes this part. With
`--saved bf16`, values of the forward pass that wait over the peak are kept as bfloat16 until the
backward pass reads them. The forward pass computes with the numbers as they were. *scratch* is that
of a training step, and *more* are its machine instructions beyond those as it is, by the estimate of
`gradmote analyze`. *float32* and *bf16* are the share of test samples that are known after the
training, in percent: the mean of {SEEDS} seeds, each of which draws samples, their order and new
weights, and in brackets the least and the largest. All layers train, with SGD and momentum 0.9.
"""
COLUMNS_OF_SAVED = ["network", "learns", "batch", "steps", "scratch", "with bf16", "", "more", "float32", "bf16"]

HEAD_OF_MOMENTS = f"""{MOMENTS}

`cd tests && PYTHONPATH=../site_scons python -m bench.memory.bfloat16` writes this part too. With
`--moments bf16` the optimizer's moments are kept as bfloat16, which an update rounds at random. The
step itself is that of float32 moments, and no gradient has to be kept for it. *moments* is the RAM
that they take, and *arena* all RAM of the image. Studies, shares and seeds are those above; AdamW
has a third of the rate.
"""
COLUMNS_OF_MOMENTS = [
    *("network", "learns", "optimizer", "moments", "with bf16"),
    *("arena", "with bf16", "", "float32", "bf16"),
]


@dataclass(frozen=True)
class Study:
    """A network that learns. lesson: what it learns with a seed."""

    network: str
    learns: str
    batch: int
    steps: int
    rate: float
    lesson: Callable[[int], Lesson]


def digits_lesson(make: Callable[[int], onnx.ModelProto], shape: tuple[int, ...], seed: int) -> Lesson:
    """Return the digits of 8x8 pixels, for a network of random weights."""
    x, y = digits.samples()
    order = np.random.default_rng(seed).permutation(len(x))
    x, y = x[order].reshape(-1, *shape), y[order]
    return Lesson(make(seed), x[:0], x[TESTED:], y[TESTED:], x[:TESTED], y[:TESTED])


def weights_of(seed: int, shapes: dict[str, tuple[int, ...]]) -> dict[str, np.ndarray]:
    """Return random weights (outputs, inputs, ...) whose variance is 2 / inputs, and biases of zeros."""
    random = np.random.default_rng(seed)
    drawn = {}
    for name, shape in shapes.items():
        scale = np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else 0.0
        drawn[name] = (scale * random.standard_normal(shape)).astype(np.float32)
    return drawn


def perceptron(seed: int) -> onnx.ModelProto:
    """Return the network 64-128-128-128-10 with Tanh."""
    sizes = (64, 128, 128, 128, 10)
    shapes: dict[str, tuple[int, ...]] = {}
    nodes, name = [], "x"
    for k, (inputs, outputs) in enumerate(pairwise(sizes)):
        shapes |= {f"w{k}": (outputs, inputs), f"b{k}": (outputs,)}
        is_last = k == len(sizes) - 2
        nodes.append(node("Gemm", f"{name} w{k} b{k}", "y" if is_last else f"g{k}", transB=1))
        if not is_last:
            nodes.append(node("Tanh", f"g{k}", f"a{k}"))
            name = f"a{k}"
    return make_model(nodes, weights_of(seed, shapes), {"x": ("N", 64)})


def convolutions(seed: int) -> onnx.ModelProto:
    """Return six convolutions of 3x3 with 16 channels and ReLU, the mean of all pixels, and a classifier."""
    shapes: dict[str, tuple[int, ...]] = {"v": (10, 16), "c": (10,)}
    nodes, name = [], "x"
    for k, (inputs, outputs) in enumerate([(1, 16), *[(16, 16)] * 5]):
        shapes |= {f"w{k}": (outputs, inputs, 3, 3), f"b{k}": (outputs,)}
        nodes.append(node("Conv", f"{name} w{k} b{k}", f"c{k}", pads=[1] * 4))
        nodes.append(node("Relu", f"c{k}", f"a{k}"))
        name = f"a{k}"
    nodes += [node("GlobalAveragePool", name, "p"), node("Flatten", "p", "f"), node("Gemm", "f v c", "y", transB=1)]
    return make_model(nodes, weights_of(seed, shapes), {"x": ("N", 1, 8, 8)})


def of_task(name: str, rate: float) -> Study:
    """Return a study of a pre-trained depthwise separable network that learns a task of docs/QUANTIZATION.md."""
    task = TASKS[name]
    return Study("depthwise separable", task.title, task.batch, task.steps, rate, task.lesson)


STUDIES = [
    Study("MLP 64-128-128-128-10", "digits", 8, 600, 0.02, partial(digits_lesson, perceptron, (64,))),
    Study("six convolutions", "digits", 8, 1500, 0.01, partial(digits_lesson, convolutions, (1, 8, 8))),
    of_task("shift", 0.005),
    of_task("new", 0.005),
    of_task("watch", 0.005),
]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.memory.bfloat16", description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="print these studies alone, from 0 on, and leave the page")
    given = parser.parse_args()
    studies = [STUDIES[number] for number in given.numbers] or STUDIES
    saved = lines_of(saved_line(study) for study in studies)
    moments = lines_of(moments_line(study, rule) for study in studies for rule in rules_of(study))
    if not given.numbers:
        write([(HEAD_OF_SAVED, COLUMNS_OF_SAVED, saved), (HEAD_OF_MOMENTS, COLUMNS_OF_MOMENTS, moments)])


def lines_of(rows: Iterable[list[object]]) -> list[str]:
    """Return the lines of a table, which are printed as they come."""
    lines = []
    for cells in rows:
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    return lines


def rules_of(study: Study) -> list[Optimizer]:
    """Return the optimizers whose moments are rounded."""
    return [optimizers.sgd(study.rate, momentum=0.9), optimizers.adamw(study.rate / 3)]


def saved_line(study: Study) -> list[object]:
    """Return the row of a study whose values wait in both ways."""
    rule = optimizers.sgd(study.rate, momentum=0.9)
    (whole, short), found = trained(study, rule, [{"saved": "float32"}, {"saved": "bf16"}])
    scratch = [result.layout.placements["step"].peak for result in (whole, short)]
    more = step_instructions(short) / step_instructions(whole) - 1
    cells: list[object] = [study.network, study.learns, study.batch, f"{study.steps:,}", *thousands(scratch)]
    return [*cells, f"{scratch[1] / scratch[0] - 1:+.0%}", f"{more:+.1%}", *found]


def moments_line(study: Study, rule: Optimizer) -> list[object]:
    """Return the row of a study whose moments are kept in both ways."""
    images, found = trained(study, rule, [{"moments": "float32"}, {"moments": "bf16"}])
    read = [read_image(result.image) for result in images]
    slots = [sum(e["size"] for e in image.state if e["role"] == "slot") for image in read]
    arenas = [image.header["arena_size"] for image in read]
    name = "SGD, momentum 0.9" if rule.rule == "momentum" else "AdamW"
    cells: list[object] = [study.network, study.learns, name, *thousands(slots), *thousands(arenas)]
    return [*cells, f"{arenas[1] / arenas[0] - 1:+.0%}", *found]


def trained(study: Study, rule: Optimizer, ways: Sequence[Mapping[str, str]]) -> tuple[list[Result], list[str]]:
    """Return the first seed's image of each way, an option of the compiler, and the shares known at the end."""
    lessons = [study.lesson(seed) for seed in range(SEEDS)]
    results = [[compiled(study, rule, lesson, way) for lesson in lessons] for way in ways]
    courses = [Course(rule.learning_rate, study.steps, seed) for seed in range(SEEDS)]
    found = [
        [accuracy_after(r.image, lesson, course) for r, lesson, course in zip(of_each, lessons, courses, strict=True)]
        for of_each in results
    ]
    return [of_each[0] for of_each in results], [shares(of_each) for of_each in found]


def compiled(study: Study, rule: Optimizer, lesson: Lesson, way: Mapping[str, str]) -> Result:
    """Return the image of a lesson with an option of the compiler."""
    return compile_model(lesson.model, losses.cross_entropy(), rule, Options(batch=study.batch, **way))


def shares(found: list[float]) -> str:
    return f"{np.mean(found):.1f} ({min(found):.1f} to {max(found):.1f})"


def thousands(numbers: Iterable[int]) -> list[str]:
    return [f"{n:,}" for n in numbers]


def write(parts: Iterable[tuple[str, list[str], list[str]]]) -> None:
    """Replace the parts before the last one in the page with these: heads, columns and lines."""
    before, _, last = PAGE.read_text().partition(LAST)
    text = before.partition(SAVED)[0].rstrip("\n") + "\n"
    for head, columns, lines in parts:
        table = ["| " + " | ".join(columns) + " |", "|---|---|" + "---:|" * (len(columns) - 2), *lines]
        text += "\n" + wrapped("\n".join([head, *table]) + "\n")
    PAGE.write_text(f"{text}\n{LAST}{last}")


if __name__ == "__main__":
    main()

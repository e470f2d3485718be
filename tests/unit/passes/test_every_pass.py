"""Every pass keeps what it says of drawn graphs, with options drawn too; and every option what it says of the image.

GRADMOTE_VALIDATED is how many graphs are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from gradmote import optimizers
from gradmote.artifacts.artifact_options import ArtifactOptions
from gradmote.artifacts.artifacts import Artifacts
from gradmote.artifacts.build import make
from gradmote.compiler import Options, compile_image
from gradmote.compiler.passes import recompute
from gradmote.errors import ModelError
from gradmote.losses import Loss
from gradmote.optimizers import Optimizer
from support.drawn_graphs import Drawn, drawn, drawn_convolutional, drawn_quantized
from support.drawn_losses import LOSSES, DrawnLoss
from support.sampling import draws, given_seed
from support.validator import ROUNDING, Difference, outcome, stages_of, validate

COUNT = draws("validated")
FIRST = (given_seed() or 0) % 1_000_000 * 100_000
T = TypeVar("T")
OPTIMIZERS = (
    optimizers.sgd(0.05),
    optimizers.sgd(0.05, momentum=0.9, weight_decay=0.01),
    optimizers.sgd(0.1, clip_norm=0.5),
    optimizers.sgd(0.1, clip_value=0.1),
    optimizers.adam(0.01),
    optimizers.adamw(0.01),
)
#: Rules whose update does not grow with the gradient: a gradient that is zero except for rounding takes a whole step.
#: Passes that round are therefore compared with plain SGD.
ADAPTIVE = ("adam", "adamw")
#: "last:99" leaves nothing of any graph.
SCHEMES = ("last:99", "last:99", "full", "last:2", "bias", "sparse:0.5")
#: What mostly trains of convolutional networks: rows of a layer are streamed if gradients need no layer before it.
SCHEMES_OF_CONVOLUTIONS = ("head", "head", "full", "last:2")
#: Each is drawn for three graphs of ten.
RARE = {"accumulate": True, "recompute": False, "stream_rows": True, "overwrite_inputs": True, "saved": "bf16",
        "moments": "bf16", "attention": "blocks"}  # fmt: skip
#: As above, for quantized networks.
RARE_OF_QUANTIZED = {"accumulate": True, "recompute": False, "stream_rows": True, "overwrite_inputs": True,
                     "weights": "int16", "gradients": "float", "moments": "bf16"}  # fmt: skip
#: What is drawn in turn.
KINDS = (drawn, drawn, drawn_quantized, drawn, drawn, drawn_convolutional, drawn, drawn_quantized)
#: Options that change programs, but no bit of what they compute.
BITS = ({"recompute": False}, {"stream_rows": True}, {"overwrite_inputs": True}, {"attention": "blocks"},
        {"stream_rows": False})  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A drawn graph, and how it is compiled."""

    seed: int
    graph: Drawn
    loss: DrawnLoss
    optimizer: Optimizer
    made: Artifacts
    options: Options
    is_quantized: bool

    def batches(self, count: int) -> list[tuple[np.ndarray, ...]]:
        """Return batches of the input and the loss's labels."""
        random = np.random.default_rng(self.seed)
        return [(x, *self.loss.labels(random, self.graph.batch, self.graph.classes)) for x in self.graph.inputs(count)]


def case(seed: int, wanted: Optimizer | None = None) -> Case:
    """Return the case of a number. wanted: the optimizer, instead of the one that is drawn."""
    draw_one = KINDS[seed % len(KINDS)]
    graph, random, is_quantized = draw_one(seed), np.random.default_rng(seed), draw_one is drawn_quantized
    drawn_optimizer, rare = pick(random, OPTIMIZERS), RARE_OF_QUANTIZED if is_quantized else RARE
    optimizer = wanted or drawn_optimizer
    chosen: dict[str, object] = {name: value for name, value in rare.items() if random.random() < 0.3}
    if not optimizer.slots:
        chosen.pop("moments", None)
    schemes = SCHEMES_OF_CONVOLUTIONS if draw_one is drawn_convolutional else SCHEMES
    loss = LOSSES[seed % len(LOSSES)]
    made = artifacts(graph, loss.make(graph.classes), optimizer, pick(random, schemes))
    if not any(array.dtype == np.int8 for array in made.parameters.values()):
        chosen.pop("weights", None)
    return Case(seed, graph, loss, optimizer, made, Options(batch=graph.batch, **chosen), is_quantized)


def pick(random: np.random.Generator, choices: Sequence[T]) -> T:
    return choices[int(random.integers(len(choices)))]


def artifacts(graph: Drawn, loss: Loss, optimizer: Optimizer, scheme: str) -> Artifacts:
    """Return what trains by a scheme or, if it leaves nothing of this graph, all that is not frozen."""
    frozen, scores = list(graph.frozen) or None, [graph.model.graph.output[0].name]
    try:
        wanted = ArtifactOptions.training(None, None, scheme, loss=loss, optimizer=optimizer, outputs=scores)
        return make(graph.model, wanted)
    except ModelError:
        wanted = ArtifactOptions.training(None, frozen, None, loss=loss, optimizer=optimizer, outputs=scores)
        return make(graph.model, wanted)


def cases(count: int) -> Iterator[Case]:
    return map(case, range(FIRST, FIRST + count))


def plain_cases(count: int) -> Iterator[Case]:
    """Yield the cases that are neither quantized nor convolutional: those take longer."""
    return map(case, (seed for seed in range(FIRST, FIRST + count) if KINDS[seed % len(KINDS)] is drawn))


def findings(some: Iterable[Case]) -> Iterator[tuple[Case, Difference]]:
    for each in some:
        found = list(differences(each))
        if found and each.optimizer.rule in ADAPTIVE:
            rounded = {again.name for again in differences(case(each.seed, OPTIMIZERS[0]))}
            found = [one for one in found if one.name not in ROUNDING or one.name in rounded]
        yield from ((each, one) for one in found)


def differences(each: Case) -> Iterator[Difference]:
    return validate(each.made, each.options, each.batches(2))


def test_every_pass_keeps_what_it_says():
    assert [f"graph {each.seed}: {found}" for each, found in findings(cases(COUNT))] == []


def test_the_graphs_reconverge_and_share_buffers():
    """At least half of them have paths that meet again, and a third have buffers that a pass laid over others."""
    counts = Counter[str]()
    for each in cases(16):
        counts["reconverge"] += each.graph.reconverges
        counts["share"] += "share_in_place" in stages_of(each.made, each.options)
    assert counts["reconverge"] >= 8 and counts["share"] >= 6


def test_options_keep_every_bit_alone_and_in_pairs():
    """Try one of them on each graph, or two together. Which values wait in bfloat16 depends on all of them."""
    plainly = {"recompute": True, "stream_rows": None, "overwrite_inputs": False, "attention": None, "saved": None}
    for number, each in enumerate(cases(COUNT)):
        plain = replace(each.options, **plainly)
        first, second = BITS[number % len(BITS)], BITS[number // len(BITS) % len(BITS)]
        batches, accumulate = each.batches(2), plain.accumulate
        expected = outcome(compile_image(each.made, plain).image, batches, accumulate)
        found = outcome(compile_image(each.made, replace(plain, **{**first, **second})).image, batches, accumulate)
        assert found.has_bits_of(expected), f"graph {each.seed}: {first} {second}"


def test_short_options_round_what_they_say():
    """Values that wait in two bytes leave outputs and the first loss; kept gradients leave all except the rounding."""
    for each in cases(COUNT):
        if each.optimizer.rule in ADAPTIVE:
            each = case(each.seed, OPTIMIZERS[0])
        batches = each.batches(1)
        plain = replace(each.options, saved=None, accumulate=False, moments=None)
        expected = outcome(compile_image(each.made, plain).image, batches)
        if not each.is_quantized:
            short = outcome(compile_image(each.made, replace(plain, saved="bf16")).image, batches)
            assert short.losses == expected.losses and short.is_close_to(expected, 0.05), f"graph {each.seed}"
        kept = outcome(compile_image(each.made, replace(plain, accumulate=True)).image, batches, accumulate=True)
        assert kept.is_close_to(expected, 2e-4), f"graph {each.seed}"


# ---- What the validator finds ----------------------------------------------------------------------------------------


def twice(program, uses, made, at):
    """Makers as recompute listed them once: again for each path that leads to them."""
    makers = dict[int, object]()
    if not recompute.add_makers(makers, program, uses, made, at):
        return None
    return [maker for maker in makers.values() for _ in range(2)][:-1]


def test_it_finds_makers_that_are_listed_twice(monkeypatch):
    monkeypatch.setattr(recompute, "recipe", twice)
    assert next(findings(plain_cases(100)), None) is not None

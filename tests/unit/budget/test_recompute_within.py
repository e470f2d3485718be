"""--recompute: a wish is met with the same bits, or refused with the smallest arena."""

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner
from unit.budget.small import network
from unit.passes.test_recompute import BATCHES, artifacts

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.budget import Limits, Task, search
from gradmote.budget.recompute import Tradeoffs, Wish, compile_within, step_instructions
from gradmote.cli import app
from gradmote.compiler import Options, compile_image
from gradmote.errors import BudgetError, ModelError
from support import digits
from support.oracle import train, values


@pytest.mark.parametrize(
    "text, wish",
    [
        ("250KB", Wish(arena=256000)),
        ("96K", Wish(arena=98304)),
        ("+30%", Wish(more=0.3)),
        (" +2.5 % ", Wish(more=0.025)),
    ],
)
def test_wishes(text, wish):
    assert Wish.parse(text) == wish


@pytest.mark.parametrize("text", ["", "30%", "-5%", "+%", "fast", "+30"])
def test_no_wishes(text):
    with pytest.raises(ModelError, match="neither a size nor a percentage of the time"):
        Wish.parse(text)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("shape", [{}, {"residual": True}])
def test_what_is_asked_for_is_kept_to_with_the_same_bits(shape, accumulate):
    made, options = artifacts("batch", **shape), Options(2, accumulate)
    found = Tradeoffs(made, options, Wish(more=1.0))
    plain, sizes = compile_image(made, options), []
    for more in (0.02, 0.3, 1.0):
        result = found.best(Wish(more=more))
        (taken,) = [t for t in result.front if t.taken]
        assert taken.arena == result.layout.arena_size and taken.more <= more
        assert len({t.arena for t in result.front}) == len(result.front)
        sizes.append(taken.arena)
        runs = [train(image.image, BATCHES, accumulate=accumulate) for image in (plain, result)]
        assert runs[0][0] == runs[1][0] and bytes(runs[0][1].state()) == bytes(runs[1][1].state())
    assert plain.layout.arena_size >= sizes[0] >= sizes[1] >= sizes[2] < plain.layout.arena_size


def test_an_arena_is_kept_to_and_the_smallest_is_named():
    made, options = artifacts(), Options(2)
    with pytest.raises(BudgetError, match="the smallest one found takes") as refused:
        compile_within(made, options, Wish(arena=1000))
    least = int(refused.value.message.split("takes ")[1].split(" B")[0].replace(",", ""))
    plain = compile_image(made, options).layout.arena_size
    assert least < plain
    middle = (least + plain) // 2
    assert compile_within(made, options, Wish(arena=middle)).layout.arena_size <= middle


def test_an_image_that_only_infers_is_refused():
    with pytest.raises(ModelError, match="without training"):
        compile_within(build_artifacts(digits.model()), Options(), Wish(more=0.3))


def test_nothing_is_lost_where_nothing_is_to_be_gained():
    made = build_artifacts(digits.model(), None, losses.cross_entropy(), optimizers.sgd(0.1))
    within = compile_within(made, Options(), Wish(more=0.3))
    assert within.layout.arena_size <= compile_image(made, Options()).layout.arena_size


def test_a_wrong_wish_is_refused_before_the_model_is_read(tmp_path):
    model = tmp_path / "broken.onnx"
    model.write_bytes(b"no model")
    refused = CliRunner().invoke(app, ["compile", str(model), "--loss", "cross_entropy", "--recompute", "fast"])
    assert isinstance(refused.exception, ModelError) and "'fast'" in str(refused.exception)


def test_the_command_shows_the_table(tmp_path):
    model, image = tmp_path / "digits.onnx", tmp_path / "digits.mote"
    model.write_bytes(digits.model().SerializeToString())
    arguments = [str(model), "--loss", "cross_entropy", "--recompute"]
    run = CliRunner().invoke(app, ["compile", *arguments, "+30%", "--out", str(image)])
    assert run.exit_code == 0 and "Memory against time" in run.output and image.exists()
    for command in ("analyze", "plan"):
        assert "Memory against time" in CliRunner().invoke(app, [command, *arguments, "+30%"]).output
    refused = CliRunner().invoke(app, ["compile", *arguments, "64"])
    assert refused.exit_code != 0


def test_beside_a_budget_the_command_takes_the_time_alone(tmp_path):
    model = tmp_path / "digits.onnx"
    model.write_bytes(digits.model().SerializeToString())
    compiled = ["compile", str(model), "--loss", "cross_entropy", "--out", str(tmp_path / "digits.mote")]
    both = CliRunner().invoke(app, [*compiled, "--ram", "96K", "--recompute", "+30%"])
    assert both.exit_code == 0 and "nothing was given up" in both.output
    for wish, limit, message in (
        ("80K", ("--ram", "96K"), "--recompute SIZE with a budget"),
        ("+30%", ("--flash", "96K"), "a budget that has no RAM"),
    ):
        refused = CliRunner().invoke(app, [*compiled, *limit, "--recompute", wish])
        assert isinstance(refused.exception, ModelError) and message in str(refused.exception)


@pytest.mark.parametrize("more", [0.1, 0.5])
def test_with_more_time_a_budget_trains_more_to_the_same_bits(more):
    """The image that the search finds is that of its choice, compiled without a budget, except what is recomputed."""
    task = Task(network(), losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=1, overwrite_inputs=True))
    full = task.compiled(task.wanted()).layout.arena_size
    least = compile_within(task.artifacts(task.wanted()), task.options, Wish(more=more)).layout.arena_size
    limit = (least + full) // 2
    without, found = search(task, Limits(ram=limit)), search(task, Limits(ram=limit, more=more))
    assert found.best.score > without.best.score and found.best.trained > without.best.trained
    assert found.best.ram == found.result.layout.arena_size <= limit
    assert any("computed again" in words for words in found.given_up())
    plain = task.compiled(replace(found.best.choice, more=0.0))
    assert plain.layout.arena_size > limit
    assert step_instructions(found.result) <= (1 + more) * step_instructions(plain)
    batches = [(values(k, 1, 1, 12, 12), np.array([k % 3], np.int32)) for k in range(3)]
    runs = [train(result.image, batches) for result in (plain, found.result)]
    assert runs[0][0] == runs[1][0] and bytes(runs[0][1].state()) == bytes(runs[1][1].state())


def test_what_more_time_does_not_fit_either_is_refused_with_the_least():
    task = Task(network(), losses.cross_entropy(), optimizers.sgd(0.1), Options(batch=2))
    with pytest.raises(BudgetError, match="nothing fits: training head still takes"):
        search(task, Limits(ram=1000, more=0.3))

"""--recompute: a wish is kept to with the same bits, or is refused with the smallest arena."""

import pytest
from typer.testing import CliRunner
from unit.passes.test_recompute import BATCHES, artifacts

from gradmote import losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.budget.recompute import Tradeoffs, Wish, compile_within
from gradmote.cli import app
from gradmote.compiler import Options, compile_image
from gradmote.errors import BudgetError, ModelError
from support import digits
from support.oracle import train


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
    with pytest.raises(ModelError, match="neither a size nor a part of the time"):
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
        sizes.append(taken.arena)
        runs = [train(image.image, BATCHES, accumulate=accumulate) for image in (plain, result)]
        assert runs[0][0] == runs[1][0] and bytes(runs[0][1].state()) == bytes(runs[1][1].state())
    assert plain.layout.arena_size >= sizes[0] >= sizes[1] >= sizes[2] < plain.layout.arena_size


def test_an_arena_is_kept_to_and_the_smallest_is_named():
    made, options = artifacts(), Options(2)
    with pytest.raises(BudgetError, match="the smallest that was found takes") as refused:
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
    both = CliRunner().invoke(app, ["compile", *arguments, "+30%", "--ram", "96K"])
    assert both.exit_code != 0

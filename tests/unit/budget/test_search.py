"""The search: what it finds is within the limits, as the image says itself, and nothing left out has a higher score."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.budget.small import network

from gradmote import losses, optimizers
from gradmote.artifacts.schemes import Scheme, parts_of
from gradmote.budget import Limits, Task, by_depth, bytes_of, search
from gradmote.budget.chains import chains
from gradmote.budget.choice import Choice, variants
from gradmote.budget.search import Search
from gradmote.compiler import Options
from gradmote.device.boards import board, room
from gradmote.errors import BudgetError, ModelError
from gradmote_runtime import Session


def task(scheme=Scheme(), **options):  # noqa: B008 - it is frozen
    return Task(network(), losses.cross_entropy(), optimizers.sgd(0.1), Options(**options), scheme)


def sizes(given_task, scheme, **changes):
    choice = replace(given_task.wanted(), scheme=Scheme.parse(scheme), **changes)
    result = given_task.compiled(choice)
    return result.layout.arena_size, len(result.image)


@pytest.mark.parametrize(
    "text, size", [("96K", 98304), ("96k", 98304), ("1.5M", 1572864), ("1000", 1000), ("2KiB", 2048)]
)
def test_sizes(text, size):
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1K", "96G", "nan", "1e3"])
def test_no_sizes(text):
    with pytest.raises(ModelError, match="is not a size"):
        bytes_of(text)


def test_a_board_is_given_no_more_than_it_has():
    its = board("mps2-an386")
    assert (Limits().beside(its).ram, Limits().beside(its).flash) == room("mps2-an386")
    assert Limits(ram=10**9, flash=10**9).beside(its) == Limits().beside(its)
    left = Limits(ram=bytes_of("96K"), flash=bytes_of("256K")).beside(its)
    assert left.ram == 98304 - its.static_ram - its.stack_bound and left.flash == 262144 - its.code
    assert Limits(ram=1, flash=1).beside(its) == Limits(ram=0, flash=0)


def test_without_a_tight_limit_nothing_is_given_up():
    found = search(task(), Limits(ram=bytes_of("1M")))
    assert str(found.best.choice.scheme) == "full" and found.given_up() == []
    assert found.best.score == pytest.approx(1.0)


def test_the_largest_of_a_family_that_fits():
    plain = task()
    least, most = sizes(plain, "head")[0], sizes(plain, "full")[0]
    assert least < most
    for scheme in ("last:2", "last:3"):
        limit = sizes(plain, scheme)[0]
        found = search(plain, Limits(ram=limit))
        session = Session(found.result.image)
        assert session.requirements()["arena_size"] == found.best.ram <= limit
        assert found.best.score >= by_depth(plain.layers()).score(Scheme.parse(scheme))


@settings(max_examples=8, deadline=None)
@given(st.floats(0.0, 1.0))
def test_nothing_that_was_tried_and_fits_has_a_higher_score(share):
    plain = task()
    least, most = sizes(plain, "head", overwrite_inputs=True)[0], sizes(plain, "full")[0]
    limit = least + int(share * (most - least))
    found = search(plain, Limits(ram=limit))
    assert found.best.ram <= limit and not found.best.excess
    assert all(t.score <= found.best.score for t in found.tried if t.ram <= limit)
    assert found.best in found.frontier()
    scores = [t.score for t in found.frontier()]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_what_is_not_compiled_is_too_large(share, monkeypatch):
    """Each choice that the search rules out exceeds the limit when it is compiled."""
    given_task = Task(network(), losses.cross_entropy(), optimizers.adamw(), Options(batch=2))
    least, most = sizes(given_task, "head", overwrite_inputs=True)[0], sizes(given_task, "full")[0]
    limits, ruled_out = Limits(ram=least + int(share * (most - least))), {}
    is_hopeless = Search.is_hopeless

    def recorded(self, choice):
        found = is_hopeless(self, choice)
        if found:
            ruled_out[choice.key] = choice
        return found

    monkeypatch.setattr(Search, "is_hopeless", recorded)
    search(given_task, limits)
    assert ruled_out
    fitting = [key for key, choice in ruled_out.items() if given_task.compiled(choice).layout.arena_size <= limits.ram]
    assert fitting == []


def test_what_cannot_fit_is_refused_with_the_least_that_is_needed():
    with pytest.raises(BudgetError, match=r"nothing fits: training head still takes [\d,]+ B of RAM of 1,000"):
        search(task(), Limits(ram=1000))
    with pytest.raises(BudgetError, match=r"B of flash of 100 - give more"):
        search(task(), Limits(flash=100))


def test_time_is_a_limit_too():
    full = search(task(), Limits(ms=1e6)).best
    assert full.ms is not None
    less = search(task(), Limits(ms=full.ms / 2))
    assert less.best.ms <= full.ms / 2 and less.best.trained < full.trained


def test_large_batches_become_micro_batches():
    """Even the head is too large for eight samples at once."""
    large = task(batch=8)
    found = search(large, Limits(ram=sizes(large, "head")[0] - 1000))
    choice = found.best.choice
    assert choice.micro_batch < 8 and choice.micro_batch * choice.micro_batches == 8
    assert any("micro-batches" in words for words in found.given_up())
    programs = Session(found.result.image).requirements()["programs"]
    assert "train" in programs and "optimizer" in programs


def test_moments_go_before_layers_are_lost_entirely():
    adam = Task(network(), losses.cross_entropy(), optimizers.adamw(0.01), scheme=Scheme())
    needed = sizes(adam, "full")[0]
    found = search(adam, Limits(ram=needed - 200), schemes=[[Scheme()]])
    assert found.best.choice.optimizer.rule == "momentum"
    assert any("momentum instead of adamw" in words for words in found.given_up())


BOUNDS = ["named:w2", "freeze:w1,b1", "freeze:w4,b4", "last:2", "bias", "sparse:0.25:last:3", "named:w2+bias:last:2"]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_scheme_that_was_asked_for_bounds_the_search(bound):
    """If there is room for everything it is what trains; if not, only a part of it."""
    own = task(scheme=Scheme.parse(bound))
    allowed = parts_of(own.layers(), own.scheme)
    everything = search(own, Limits(ram=bytes_of("1M")))
    assert str(everything.best.choice.scheme) == bound
    needed = everything.best.ram
    for limit in (needed, needed - 16, needed * 3 // 4, needed // 2):
        try:
            found = search(own, Limits(ram=limit))
        except BudgetError:
            continue
        shares = parts_of(own.layers(), found.best.choice.scheme)
        assert all(share <= allowed.get(name, 0.0) for name, share in shares.items())
        trained = {p.name.partition("[")[0] for p in found.result.compiled.parameters}
        assert trained <= allowed.keys() | ({"b2", "b3", "b4"} if own.scheme.kind == "sparse" else set())
        assert found.best.ram <= limit


def test_it_narrows_a_scheme_that_is_too_large():
    own = task(scheme=Scheme.parse("freeze:w4,b4"))
    needed = sizes(own, "freeze:w4,b4")[0]
    trained = {p.name for p in search(own, Limits(ram=needed - 200)).result.compiled.parameters}
    assert trained and not trained & {"w4", "b4"}


def test_sgd_is_tried_and_named_where_a_scheme_fits_with_it_alone():
    adam = Task(network(), losses.cross_entropy(), optimizers.adamw(0.01), scheme=Scheme.parse("named:w3"))
    plain = Task(network(), losses.cross_entropy(), optimizers.sgd(0.01), scheme=adam.scheme)
    found = search(adam, Limits(ram=sizes(plain, "named:w3")[0]))
    assert str(found.best.choice.scheme) == "named:w3"
    assert any("sgd instead of adamw: choose its learning rate" in words for words in found.given_up())


def test_families_only_grow():
    layers = task().layers()
    assert [layer.all() for layer in layers] == [["w1", "b1"], ["w2", "b2"], ["w3", "b3"], ["w4", "b4"]]
    contributions = by_depth(layers)
    for family in chains(layers):
        trained = [parts_of(layers, scheme) for scheme in family]
        for less, more in itertools.pairwise(trained):
            assert all(more[name] >= share for name, share in less.items())
        assert [contributions.score(s) for s in family] == sorted(contributions.score(s) for s in family)


def test_variants_start_with_what_was_asked_for():
    wanted = Choice(Scheme(), optimizers.adam(0.01), batch=4, micro_batch=4)
    found = variants(wanted, limited_time=False)
    assert found[0] == wanted
    assert {v.micro_batch for v in found} == {4, 2, 1}
    assert [v.optimizer.rule for v in found][-1] == "sgd"
    assert not any(v.recompute is False for v in found)

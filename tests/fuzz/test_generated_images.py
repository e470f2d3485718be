"""Generated images in the builds of generated_builds.py: nothing faults, and all agree. `python -m fuzz.generated` runs
millions of them.

GRADMOTE_GENERATED_IMAGES: how many a build runs, 8,000 in a whole run; emulated boards run a tenth.
"""

from __future__ import annotations

from functools import cache

import pytest
from fuzz import generated
from fuzz.generated_builds import builds, compiled, said

from support.sampling import draws

IMAGES = draws("generated_images")
#: The others take long to compile, and are for the nights.
BUILDS = ("plain", "simd", "32bit", "thumb", "helium", "rv32", "plain-strict", "simd-strict")
#: What the others of a numerics profile must equal.
FIRST = {"fused": "plain", "strict": "plain-strict"}
#: Of an opcode, in so many images: 10 in 8,000.
LEAST_RUNS = IMAGES // 800

pytestmark = pytest.mark.slow


@cache
def outcome(name: str) -> generated.Outcome:
    build = builds()[name]
    if build.missing():
        pytest.skip(f"apt-get install {build.missing()}")
    return generated.run_images(build, 0, max(generated.BLOCK, IMAGES // build.share))


@pytest.mark.parametrize("name", BUILDS)
def test_no_image_makes_a_build_stop(name):
    """No kernel leaves image and arena, and no sanitizer says anything."""
    print(f"{name}: {outcome(name).line()}")
    assert not outcome(name).findings
    assert outcome(name).accepted > outcome(name).images // 3


@pytest.mark.parametrize("name", [name for name in BUILDS if name not in FIRST.values()])
def test_builds_agree(name):
    """They agree on what is refused, on what each program returns, and on the arena's bits."""
    first = FIRST[builds()[name].profile]
    assert outcome(name).blocks
    assert list(generated.compare({n: outcome(n) for n in (first, name)})) == [
        f"{name}: 0 of {len(outcome(name).blocks)} blocks differ from {first}"
    ]


def test_every_opcode_is_accepted_and_runs():
    counts = outcome(BUILDS[0]).opcodes
    assert sorted(counts) == sorted(generated.OPCODES)
    for name, c in counts.items():
        print(f"{name:40}{c.generated:>8} generated{c.accepted:>8} accepted{c.ran:>8} ran")
    assert not [name for name, c in counts.items() if c.ran < LEAST_RUNS]


@pytest.mark.parametrize("ran", [0, 1])
def test_an_opcode_that_never_ran_is_named(ran):
    """Such a run fails; one of fewer images proves nothing."""
    counts = {name: generated.Instructions(900, 500, 400) for name in generated.OPCODES}
    counts["TOP_K"] = generated.Instructions(900, ran, ran)
    of_many, of_few = (generated.Outcome(images=n, opcodes=counts) for n in (generated.ENOUGH, generated.ENOUGH - 1))
    assert of_many.never_ran() == ([] if ran else ["TOP_K"])
    assert of_few.never_ran() == []
    assert ran or "NEVER RAN: TOP_K, of which 900 were generated" in "\n".join(generated.remarks(of_many))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", BUILDS)
def test_the_guards_are_there(name, seed):
    """Reading one byte before or after image or arena stops each build."""
    if outcome(name).findings:
        pytest.skip("a build that stops shows nothing")
    build = builds()[name]
    order = (seed, 1, 1, generated.TRESPASS)
    lines, _ = said(build.command(compiled(build), order), generated.PATIENCE)
    assert lines == [f"seed {seed}"]

"""The stages of .ci/nightly: they are listed, bounded, and gone on with; what they name is there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nightly import bounds, night
from nightly.night import Night, Record, Records, go_through
from nightly.stages import STAGES, Stage

Call = Callable[..., subprocess.CompletedProcess[str]]
NO_BOUNDS = {name: value for name, value in os.environ.items() if name not in bounds.WHOLE}


@pytest.fixture
def nightly(root: Path) -> Call:
    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, root / ".ci" / "nightly", *arguments]
        return subprocess.run(command, env={**NO_BOUNDS, **environment}, capture_output=True, text=True, check=False)

    return call


def test_stages_are_listed(nightly: Call) -> None:
    listed = nightly("--list", IMAGES="30000").stdout
    assert all(f"{name}: {stage.shows}" in listed for name, stage in STAGES.items())
    assert "whole    IMAGES=1000000" in listed and "bounded  IMAGES=30000" in listed


def test_an_unknown_stage_is_refused_with_the_names_of_all(nightly: Call) -> None:
    done = nightly("soak", "fuz")
    assert done.returncode == 2 and "there is no stage fuz" in done.stderr and ", ".join(STAGES) in done.stderr


@pytest.mark.parametrize("variable", [*bounds.WHOLE, "GRADMOTE_SEED"])
def test_a_bound_that_is_no_number_is_refused(nightly: Call, variable: str) -> None:
    done = nightly("soak", **{variable: "-1"})
    assert done.returncode == 2 and f"{variable}=-1 is not a" in done.stderr


@pytest.mark.parametrize("name", STAGES)
def test_sizes_reach_the_commands(name: str) -> None:
    stage = STAGES[name]
    given = {size: f"marked_{size}" for size in stage.sizes}
    values = stage.values(bounds.WHOLE, given)
    words = [word for command in stage.words(values, seed=7) for word in command]
    reported = [*words, *stage.variables(values, seed=7).values()]
    assert values == given and set(given.values()) <= set(reported)


@pytest.mark.parametrize("name", STAGES)
def test_bounds_make_each_size_smaller(name: str) -> None:
    sizes = STAGES[name].sizes
    assert all(size.value(bounds.WHOLE) != size.value(bounds.BOUNDED) for size in sizes.values())


@pytest.mark.parametrize("name", STAGES)
def test_paths_that_commands_name_are_there(root: Path, name: str) -> None:
    stage = STAGES[name]
    values = stage.values(bounds.WHOLE, {})
    named = [path for words in stage.words(values, seed=7) for path in paths(words, root / stage.folder)]
    assert [path for path in named if not path.exists()] == []


def paths(words: list[str], folder: Path) -> list[Path]:
    """Return the files that a command names, except what it makes: those of a module are in the folder of tests."""
    found = [folder / word.partition("::")[0] for word in words if "/" in word and "build/" not in word]
    module = words[words.index("-m") + 1] if words[:2] == ["python", "-m"] else "pip"
    if module not in ("pip", "venv"):
        path = folder.joinpath(*module.split("."))
        found.append(path if path.is_dir() else path.with_suffix(".py"))
    return found


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Night, Records]:
    """Return a night of three stages, each of which prints its size, seed and name; the second fails."""
    code = {"first": 0, "second": 3, "third": 0}
    for name, status in code.items():
        command = f"python -c \"open('{tmp_path}/ran', 'a').write('{name} {{SIZE}} {{seed}}\\n'); exit({status})\""
        monkeypatch.setitem(night.STAGES, name, Stage(name, (command, "true"), {"SIZE": bounds.Size(1, 1)}))
    records = Records(tmp_path / "records")
    begun = Night(tuple(code), 5, {"SIZE": "9"})
    records.begin(begun)
    return begun, records


def test_a_stage_that_fails_does_not_stop_the_others(three: tuple[Night, Records], tmp_path: Path) -> None:
    assert [record.status for record in go_through(*three)] == [0, 3, 0]
    assert (tmp_path / "ran").read_text().splitlines() == ["first 9 5", "second 9 5", "third 9 5"]


def test_a_night_goes_on_after_what_ended(three: tuple[Night, Records], tmp_path: Path) -> None:
    begun, records = three
    records.add(Record("first", 4, 1, 5, {"SIZE": "9"}))
    records.add(Record("second", 0, 1, 5, {"SIZE": "9"}))
    again = Records(records.folder)
    assert again.night() == begun
    assert [record.status for record in go_through(again.night(), again)] == [4, 0, 0]
    assert (tmp_path / "ran").read_text().splitlines() == ["third 9 5"]


def test_another_night_forgets_the_one_before(three: tuple[Night, Records]) -> None:
    begun, records = three
    go_through(begun, records)
    records.begin(begun)
    assert records.of(begun) == []


def test_there_must_be_a_night_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(bounds.Refused, match="there is no night"):
        Records(tmp_path).night()

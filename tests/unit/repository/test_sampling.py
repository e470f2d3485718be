"""The sample of a plain run: what it covers, that a seed repeats it, and that its file names tests that are there."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace

import pytest
import tomllib
from hypothesis import given
from hypothesis import strategies as st

from gradmote.device.boards import boards
from support import long_files, sampling
from support.long_files import changed_files, days, is_run_of_all, resting_files, seconds_on_its_day, share_of_file
from support.sampling import (
    STRENGTH,
    at_most,
    covering,
    draws,
    members,
    new_seed,
    of_the_turn,
    parts_of,
    table,
    those_due,
)

rows = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=60)


@given(rows, st.sampled_from(sorted(STRENGTH.values())), st.text(max_size=3))
def test_a_sample_covers_what_the_matrix_has(rows, strength, key) -> None:
    chosen = covering(rows, strength, key)
    assert sorted(set(chosen)) == chosen == covering(rows, strength, key)
    assert things([rows[index] for index in chosen], strength) == things(rows, strength)


def things(rows, strength):
    return {thing for row in rows for thing in combinations(enumerate(row), strength)}


def test_pairs_take_far_less_than_all() -> None:
    matrix = list(product(range(4), repeat=4))
    assert len(covering(matrix, 2, "")) <= 28 and len(covering(matrix, 1, "")) == 4


def test_other_seeds_take_other_rows() -> None:
    matrix = list(product(range(8), repeat=2))
    assert len({tuple(covering(matrix, 1, f"{seed}")) for seed in range(10)}) > 5


def test_a_test_without_parameters_is_kept() -> None:
    assert covering([()], 2, "") == [0]


def test_parts_of_a_parameter() -> None:
    assert parts_of(("fused", "AArch64"), 3) == ("fused", "AArch64")
    assert parts_of("gcc", 3) == ("gcc",) and parts_of([1], 3) == (3,) and parts_of((1, [2]), 3) == (3,)


def test_draws_are_fewer_in_a_plain_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADMOTE_WHOLE", raising=False)
    plain = {name: draws(name) for name in table()["draws"]}
    assert at_most(300) == sampling.EXAMPLES and at_most(3) == 3
    monkeypatch.setenv("GRADMOTE_WHOLE", "1")
    assert all(few <= draws(name) for name, few in plain.items()) and at_most(300) == 300


def test_the_environment_asks_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(iter(table()["draws"]))
    monkeypatch.setenv(f"GRADMOTE_{name.upper()}", "12345")
    assert draws(name) == 12345


def test_a_seed_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADMOTE_SEED", "7")
    assert new_seed() == 7
    monkeypatch.setenv("GRADMOTE_SEED", "x7")
    with pytest.raises(pytest.UsageError, match="GRADMOTE_SEED=x7"):
        new_seed()


def test_what_is_sampled_is_there(root: Path) -> None:
    turns = [test for turn in table()["turns"].values() for entry in turn["tests"] for test in entry]
    for place, how in {**table()["matrices"], **dict.fromkeys(turns, "nights")}.items():
        file, _, function = place.partition("::")
        assert (root / file).exists(), place
        assert isinstance(how, dict) or how in (*STRENGTH, "nights"), place
        assert f"def {function}" in (root / file).read_text(), place
        assert all(name in (root / file).read_text() for name in (how if isinstance(how, dict) else ())), place


def test_all_have_their_turn_in_each_round() -> None:
    values = ["a", "b", "c", "d", "e"]
    days = [of_the_turn(values, 2, day, "key") for day in range(10)]
    assert all(len(set(day)) == 2 for day in days) and len(set(map(tuple, days))) > 5
    assert set().union(*days[:3]) == set().union(*days[5:8]) == set(values)
    assert sorted(of_the_turn(values, 9, 3, "key")) == values and of_the_turn([], 1, 3, "key") == []


def test_values_of_two_rotations_meet() -> None:
    """Also a matrix within a test that takes turns: two of four entries are due, beside two values."""
    tests = {(due, value) for day in range(100) for due in of_the_turn("abcd", 2, day, "turn")
             for value in of_the_turn("xy", 1, day, "matrix")}  # fmt: skip
    assert len(tests) == 8


def test_each_long_file_has_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    long = {file for day in days() for file in day}
    count = len(days())
    ran = [long - resting_files(seed, ()) for seed in range(count)]
    assert set().union(*ran) == long and sum(map(len, ran)) == len(long)
    assert all(seconds_on_its_day(file) > table()["files"]["seconds"] for file in long)
    file = min(resting_files(7, ()))
    assert file not in resting_files(7, [file]) and share_of_file(file) == 1 / count
    assert share_of_file("tests/c/no_such_test.py") == 1.0


def test_days_take_about_as_long() -> None:
    seconds = [sum(map(seconds_on_its_day, day)) for day in days()]
    assert max(seconds) < 1.1 * min(seconds)


@pytest.mark.parametrize(("source", "changes", "is_of_all"), [
    ("TESTPATHS", {}, True), ("INVOCATION_DIR", {}, True), ("ARGS", {}, False),
    ("TESTPATHS", {"markexpr": "not slow"}, False), ("TESTPATHS", {"keyword": "softmax"}, False),
    ("TESTPATHS", {"record_durations": True}, False),
])  # fmt: skip
def test_only_a_run_of_all_leaves_files_out(source: str, changes: dict[str, object], is_of_all: bool) -> None:
    options = {"markexpr": "", "keyword": "", "record_durations": False, **changes}
    config = SimpleNamespace(
        args_source=pytest.Config.ArgsSource[source], option=SimpleNamespace(**options),
        getoption=lambda name: options[name.removeprefix("--").replace("-", "_")],
    )  # fmt: skip
    assert is_run_of_all(config) == is_of_all  # type: ignore[arg-type]


def test_changed_files_are_those_of_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert all(file.startswith("tests/") for file in changed_files())
    monkeypatch.setattr(long_files, "ROOT", tmp_path)
    assert changed_files() == []


def test_draws_are_those_of_tests(root: Path) -> None:
    texts = "".join(path.read_text() for path in sorted((root / "tests").rglob("*.py")))
    assert not [name for name in table()["draws"] if f'draws("{name}")' not in texts]


MATRIX = """
import pytest

@pytest.mark.parametrize("a", range(5))
@pytest.mark.parametrize("b", range(5))
def test_of_both(a, b):
    pass
"""


@pytest.fixture
def collected(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that returns the tests of a matrix of 25 that a run collects, as the lines of a file sample them."""
    (tmp_path / "test_matrix.py").write_text(MATRIX)
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path[:0] = {[str(root / 'tests'), str(root / 'site_scons')]!r}\n"
        "from pathlib import Path\nfrom support import sampling\n"
        "sampling.SAMPLING = Path(__file__).with_name('sampling.toml')\n"
        "def pytest_collection_modifyitems(config, items):\n    sampling.leave_to_nights(config, items, 1)\n"
    )
    monkeypatch.delenv("GRADMOTE_WHOLE", raising=False)

    def run(*arguments: str, lines: str = '"test_matrix.py" = "values"', fails: str = "") -> list[str]:
        (tmp_path / "sampling.toml").write_text(f"[draws]\n[matrices]\n{lines}\n")
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert fails in done.stdout + done.stderr if fails else done.returncode == 0, done.stdout + done.stderr
        return [line for line in done.stdout.splitlines() if "::" in line]

    return run


def test_a_run_keeps_the_sample(collected) -> None:
    assert len(collected()) == len(collected("test_matrix.py")) == 5


def test_a_test_that_is_named_is_run_whole(collected) -> None:
    assert len(collected("test_matrix.py::test_of_both")) == 25


def test_a_whole_run_keeps_all(collected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADMOTE_WHOLE", "1")
    assert len(collected()) == 25


def test_groups_have_their_turns_apart(collected) -> None:
    def values_of_a(groups: str) -> list[str]:
        return sorted(line.partition("-")[2][0] for line in collected(lines=f'"test_matrix.py" = {{ a = {groups} }}'))

    first, second = values_of_a('[["0", "1", "2"], ["3", "4"]]')[::5]
    assert first in "012" and second in "34"
    assert set(values_of_a('[["0", "1", "2"], ["3"]]')) >= {"3", "4"}, "4 is in no group"


BOARDS = """
[boards]
count = 2
names = ["a", "b", "c", "d"]
"""


def test_boards_of_the_day_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "table", lambda: tomllib.loads(BOARDS))
    values = ["any", "core, a", "core, b", "c", "d"]
    assert members("board", values) == values[1:]
    both = [{value[-1] for value in those_due("boards", values, seed, "")} for seed in range(40)]
    assert all(len(boards) == 2 for boards in both) and both[0] | both[1] == both[2] | both[3] == set("abcd")
    one = [those_due("board", values, seed, "key") for seed in range(40)]
    assert all(len(found) == 1 and found[0][-1] in boards for found, boards in zip(one, both))
    assert {found[0] for found in one} == set(values[1:])


def test_boards_are_those_that_are_emulated() -> None:
    assert sorted(table()["boards"]["names"]) == sorted(known.name for known in boards() if known.emulator)
    assert len(table()["boards"]["names"]) % table()["boards"]["count"] == 0


def test_tests_take_turns(collected) -> None:
    entries = ['["test_matrix.py::test_of_both"]', '["test_matrix.py::test_of_nothing"]']
    turns = "[turns.{}]\ncount = {}\ntests = [" + ", ".join(entries) + "]"
    due = [name for name in "abcdef" if len(collected(lines=turns.format(name, 1), fails=" ")) == 25]
    assert 0 < len(due) < 6, "on one day, by the order of each name"
    assert len(collected(lines=turns.format("all", 2))) == 25

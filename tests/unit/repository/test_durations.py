"""The recorded seconds of tests: which file they stand in, what they are compared with, and how they are renewed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import durations, sampling
from support.budget import budget, by_folder, table
from support.durations import OTHERS, QUICK, Recorder, merged, place_of, recorded
from support.long_files import share_of_file


def test_the_folders_are_within_their_budget() -> None:
    """Who adds tests makes room, or moves long forms to the night: tests/sampling.toml."""
    taken, allowed = by_folder(recorded()), budget()
    assert set(taken) <= set(allowed)
    over = {folder: (round(taken[folder]), allowed[folder]) for folder in taken if taken[folder] > allowed[folder]}
    assert not over, f"seconds that were recorded, and the budget:\n{table(recorded())}"


def test_tests_that_take_turns_count_for_their_days() -> None:
    turn = sampling.table()["turns"]["arch"]
    file = turn["tests"][0][0]
    share = share_of_file(file) * turn["count"] / len(turn["tests"])
    assert share < turn["count"] / len(turn["tests"])
    assert by_folder({file: {"test_a": 8.0, OTHERS: 2.0}}) == {"c": share * 10}
    assert by_folder({"tests/c/no_such_test.py": {"test_a": 8.0}}) == {"c": 8.0}


def test_what_was_recorded_is_there(root: Path) -> None:
    """A test that was renamed or removed is measured again: `pytest --record-durations` and its file."""
    for file, functions in recorded().items():
        text = (root / file).read_text()
        named = [name for name in functions if name != OTHERS]
        assert all(name.rpartition("::")[2] in text for name in named), file  # some are imported


def test_every_file_was_measured(root: Path) -> None:
    """`pytest --record-durations` and the new file measure it. Flower's run in a process of their own."""
    patterns = ("test_*.py", "*_test.py")
    files = {path.relative_to(root).as_posix() for name in patterns for path in (root / "tests").rglob(name)}
    assert {file for file in files - set(recorded()) if "/flower/inside/" not in file} == set()


def test_a_function_is_named_without_its_parameters() -> None:
    assert place_of("tests/a/test_b.py::test_c[1-x::y]") == ("tests/a/test_b.py", "test_c")
    assert place_of("tests/a/test_b.py::TestC::test_d") == ("tests/a/test_b.py", "TestC::test_d")


def test_a_record_replaces_that_of_its_file_alone() -> None:
    kept = Path(__file__).relative_to(durations.ROOT).as_posix()
    before = {kept: {"test_a": 5.0, OTHERS: 0.1}, "tests/no_such_file.py": {"test_c": 9.0}}
    assert merged(before, {}) == {kept: before[kept]}
    now = {"test_b": 2.0, "test_d": QUICK / 2, "test_e": QUICK / 2}
    assert merged(before, {kept: now}) == {kept: {"test_b": 2.0, OTHERS: QUICK}}


def test_a_record_adds_the_parameters_of_a_function() -> None:
    recorder = Recorder(writes=False)
    for parameter, seconds in (("1", 1.5), ("2", 2.0)):
        recorder.pytest_runtest_logreport(report(f"tests/a/test_b.py::test_c[{parameter}]", seconds))
    assert recorder.seconds == {"tests/a/test_b.py": {"test_c": 3.5}}


def report(nodeid: str, seconds: float) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid, (nodeid, 0, ""), {}, "passed", None, "teardown", user_properties=[("processor_seconds", seconds)]
    )

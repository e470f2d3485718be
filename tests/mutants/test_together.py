"""Groups of mutants, and single ones, are judged by simulated runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mutants import quick, together
from mutants.mutant import Mutant
from mutants.results import Results
from mutants.runs import Run
from mutants.together import Together

MUTANTS = [Mutant(f"passes-{n}", "passes", f"{n}.py", 1, 0, "add", "+", "-", "a + b") for n in range(6)]
CHECK = "tests/unit/passes"


class Played:
    """Fails t.py::N with mutant N, for those in `deadly`; crashes with `crashing`; each run is kept in `runs`.

    With `broken` it fails t.py::broken always, without mutants too, until that is left out.
    """

    def __init__(
        self, deadly: Sequence[int] = (), crashing: Sequence[int] = (), flaky: int = 0, broken: bool = False
    ) -> None:
        self.deadly, self.crashing, self.flaky, self.broken = deadly, crashing, flaky, broken
        self.runs: list[list[str]] = []

    def judged(
        self, mutants: Sequence[Mutant], checks: Sequence[str], tests: str, seconds: float, options: Sequence[str] = ()
    ) -> Run:
        del tests, seconds
        self.runs.append([mutant.id[-1] for mutant in mutants])
        numbers = [int(mutant.id[-1]) for mutant in mutants]
        if set(numbers) & set(self.crashing):
            return Run("crash", ("t.py::last",))
        failed = [f"t.py::{n}" for n in numbers if n in self.deadly and (checks == [CHECK] or f"t.py::{n}" in checks)]
        if self.broken and "--deselect=t.py::broken" not in options and set(checks) & {CHECK, "t.py::broken"}:
            failed.append("t.py::broken")
        if not failed and self.flaky:
            self.flaky -= 1
            failed = ["t.py::flaky"]
        return Run("failed" if failed else "passed", tuple(failed))


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    monkeypatch.setattr(together, "ROOT", tmp_path)
    monkeypatch.setattr(together, "all_folders", lambda: [CHECK])
    monkeypatch.setattr(together, "folders", lambda _: [CHECK])
    monkeypatch.setattr(together, "seconds_of", lambda _: 1.0)
    monkeypatch.setattr(together, "sampled_files", lambda _: [])
    monkeypatch.setattr(quick, "likely_checks", lambda _: [CHECK])
    for mutant in MUTANTS:
        (tmp_path / mutant.file).write_text("a + b\n")
    found = Results(tmp_path / "results.jsonl")
    found.add(stage="control", tests="sample", check=CHECK, failed=[], seconds=1.0)  # for quick
    return found


def play(played: Played, results: Results, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(together, "judged", played.judged)
    Together(MUTANTS, 2026, results, "sample").run()
    return {mutant.id[-1]: "killed" if mutant.id in results.killed("sample") else "survived" for mutant in MUTANTS}


def test_a_group_that_passes_lives(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played()
    assert set(play(played, results, monkeypatch).values()) == {"survived"} and len(played.runs) == 1
    assert results.verdicts("together", "sample") == {mutant.id: "survived" for mutant in MUTANTS}
    play(played, results, monkeypatch)
    assert len(played.runs) == 1  # nothing is tried again


def test_each_failure_is_put_on_its_mutant(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(deadly=(1, 4))
    found = play(played, results, monkeypatch)
    assert [n for n, verdict in found.items() if verdict == "killed"] == ["1", "4"]
    assert played.runs[1] == [] and played.runs[-1] == ["0", "2", "3", "5"]
    assert [line["by"] for line in results.of("alone", "sample")] == ["t.py::1", "t.py::4"]


def test_a_crash_is_found_by_halves(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    found = play(Played(deadly=(0,), crashing=(3,)), results, monkeypatch)
    assert [n for n, verdict in found.items() if verdict == "killed"] == ["0", "3"]


def test_what_fails_by_chance_kills_nothing(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(play(Played(flaky=1), results, monkeypatch).values()) == {"survived"}


def test_what_fails_without_mutants_kills_nothing(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    found = play(Played(deadly=(2,), broken=True), results, monkeypatch)
    assert [n for n, verdict in found.items() if verdict == "killed"] == ["2"]


def test_where_nothing_is_sampled_the_whole_is_not_run(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(deadly=(2,))
    play(played, results, monkeypatch)
    count = len(played.runs)
    Together(MUTANTS, 2026, results, "whole").run()
    assert len(played.runs) == count and "passes-2" not in results.verdicts("together", "whole")
    assert len(results.verdicts("together", "whole")) == len(MUTANTS) - 1


def test_quick_goes_on_where_it_stopped(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(deadly=(2,))
    monkeypatch.setattr(quick, "judged", played.judged)
    quick.quick(MUTANTS[:4], 2026, results, "sample")
    quick.quick(MUTANTS, 2026, results, "sample")
    assert [run[0] for run in played.runs] == ["0", "1", "2", "3", "4", "5"]
    assert results.killed("sample") == {"passes-2"}
    assert results.of("quick", "sample")[2]["by"] == "t.py::2"

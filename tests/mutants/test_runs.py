"""A run becomes a verdict, mutants become groups, and results a report."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mutants import scratch, together
from mutants.mutant import Place, mutant_of
from mutants.recorder import Recorder
from mutants.report import report, table
from mutants.results import Results
from mutants.rooms import ROOMS, files_of, shares
from mutants.runs import of_events
from mutants.scratch import Done
from mutants.together import apart, spread

TEXT = "def f(a, b):\n    return a + b - 1\n\n\ndef g(a):\n    return a + 1\n"
MUTANTS = [mutant_of("passes", "f.py", TEXT, Place(at, "x", TEXT[at], "*")) for at, c in enumerate(TEXT) if c in "+-"]


def test_a_run_is_judged_by_its_events() -> None:
    events = [["started", "t.py::a"], ["ran", "t.py::a", 0.5], ["started", "t.py::b"], ["failed", "t.py::b", 1.0]]
    assert of_events(events, Done(0, "")).how == "passed"
    failed = of_events(events, Done(1, ""))
    assert (failed.how, failed.failed, failed.seconds) == ("failed", ("t.py::b",), {"t.py": 1.5})
    assert of_events(events[:3], Done(-11, "")).failed == ("t.py::b",)
    assert of_events(events[:3], Done(-11, "")).how == "crash"
    assert of_events(events[:3], Done(None, "")).how == "timeout"


def test_events_outlive_a_test_that_lets_no_file_grow(tmp_path: Path) -> None:
    recorder = Recorder(str(tmp_path / "events"))
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    recorder.pytest_runtest_logstart("t.py::a")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40, old[1]))
        recorder.pytest_runtest_logstart("t.py::b")
        recorder.pytest_runtest_logstart("t.py::c")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    recorder.pytest_runtest_logstart("t.py::d")
    events = [json.loads(line) for line in (tmp_path / "events").read_text().splitlines()]
    assert events == [["started", f"t.py::{name}"] for name in "abcd"]


def test_two_in_one_function_are_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.py").write_text(TEXT)
    monkeypatch.setattr(together, "ROOT", tmp_path)
    assert apart(MUTANTS) == [[MUTANTS[0], MUTANTS[2]], [MUTANTS[1]]]


def test_failed_tests_are_taken_from_all_files() -> None:
    assert spread(["a::1", "a::2", "a::3", "b::1"], 3) == ["a::1", "b::1", "a::2"]


def test_results_are_gone_on_with(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl")
    results.add(mutant="m", stage="quick", tests="sample", verdict="survived")
    results.add(mutant="m", stage="together", tests="whole", verdict="killed")
    results.add(mutant="n", stage="quick", tests="sample", verdict="killed")
    again = Results(tmp_path / "results.jsonl")
    assert again.verdicts("quick", "sample") == {"m": "survived", "n": "killed"}
    assert again.killed("sample") == {"n"} and again.killed("whole") == {"m", "n"}


def test_report(tmp_path: Path) -> None:
    results = Results(tmp_path / "results.jsonl")
    other = replace(MUTANTS[0], id="federated-0", room="federated")
    results.add(mutant=MUTANTS[0].id, stage="quick", tests="sample", verdict="killed")
    results.add(mutant=MUTANTS[1].id, stage="quick", tests="sample", verdict="survived")
    found = report([*MUTANTS, other], results)
    passes = {"mutants": 3, "sample tried": 2, "sample": 1, "whole tried": 1, "whole": 1}
    assert found["rooms"]["passes"] == passes
    assert found["rooms"]["federated"] == {**dict.fromkeys(passes, 0), "mutants": 1}
    assert "passes              3          1 of 2, 50%         1 of 1, 100%" in table(found)
    assert f"f.py:2: - -> *  [{MUTANTS[1].id}; quick (sample)]" in table(found)


def test_what_a_run_leaves_running_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "CHECKOUT", tmp_path)
    start = "import subprocess as s; print(s.Popen(['sleep', '600'], stdout=-3, stderr=-3, start_new_session=True).pid)"
    process = Path("/proc", scratch.run([sys.executable, "-c", start], 60.0).output.strip(), "stat")
    assert any(has_ended(process) or time.sleep(0.01) for _ in range(1000))  # a signal takes its time


def has_ended(status: Path) -> bool:
    return not status.exists() or ") Z " in status.read_text()


def test_all_rooms_have_files(root: Path) -> None:
    parts = shares(96)
    assert sum(share for _, _, share in parts) == 96 and {room for room, _, _ in parts} == set(ROOMS)
    assert all(files_of(pattern, root) for _, pattern, _ in parts)

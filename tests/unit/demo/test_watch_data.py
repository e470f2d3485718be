"""The smart-watch data: how recordings are cut, and that nothing of the test is seen before."""

import numpy as np
import pytest

from gradmote.errors import DataError

from demo import watch_data
from demo.watch_data import EXERCISES, SCALE, SUBJECTS, WINDOW, ZERO, leave_out, split_in_time, windows


def test_windows_follow_one_another_in_time() -> None:
    cut = windows(np.arange(230 * 6).reshape(230, 6))
    assert cut.shape == (3, 6, 100)
    for window, start in zip(cut, (0, 50, 100)):
        np.testing.assert_array_equal(window[0], 6 * np.arange(start, start + 100))


@pytest.mark.parametrize("samples", [150, 947, 1000, 1333, 2618])
def test_no_sample_of_the_test_is_learned_from(samples: int) -> None:
    cut = windows(np.arange(samples).reshape(-1, 1))
    early, late = split_in_time(cut)
    assert len(early) == int(0.4 * len(cut)) and len(early) + len(late) == len(cut) - 1
    assert not set(early.flat) & set(late.flat)
    assert len(late) == 0 or len(early) == 0 or early.max() < late.min()


@pytest.mark.parametrize("subject", [1, 10])
def test_one_person_is_left_out(subject: int) -> None:
    person, recordings = leave_out(subject), watch_data._recordings()
    series = [s for s, of in zip(recordings["X"], recordings["subject"]) if of != subject]
    assert len(person.others.x) == sum((len(s) - WINDOW) // 50 + 1 for s in series)
    assert set(person.others.y) == set(person.own.y) == set(person.own.y_test) == set(range(len(EXERCISES)))


def test_bytes_stand_for_the_other_peoples_standard_deviations() -> None:
    others = leave_out(3).others
    values = (others.x.astype(np.float32) - ZERO) * SCALE
    np.testing.assert_allclose(values.mean(axis=(0, 2)), 0, atol=0.02)  # what is past 4 deviations is cut off
    np.testing.assert_allclose(values.std(axis=(0, 2)), 1, atol=0.1)


def test_every_exercise_has_its_label_of_the_file() -> None:
    short = ["PEN", "ABD", "FEL", "IR", "ER", "TRAP", "ROW"]
    assert watch_data._recordings()["y_labels"] == short
    assert [name[:2].upper() for name in EXERCISES] == ["PE", "AB", "FO", "IN", "EX", "TR", "UP"]


def test_there_are_ten_people() -> None:
    assert set(watch_data._recordings()["subject"]) == set(SUBJECTS)
    with pytest.raises(DataError, match="no subject 11"):
        leave_out(11)


def test_missing_data_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    watch_data._recordings.cache_clear()
    monkeypatch.setattr(watch_data, "find_spec", lambda name: None)
    with pytest.raises(DataError, match="pip install seglearn"):
        leave_out(1)

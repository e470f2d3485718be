"""Rounds of federated learning on gradmote-run: the twin's bytes, and a kill leaves the old base or the new one."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from device.sbc.conftest import SANITIZER_TRACES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradmote.device import BoardTarget, TwinTarget, fit, open_target
from gradmote.device.dataset import Dataset
from gradmote.errors import DeviceError, GradmoteError
from support.cut_between_calls import Cut
from support.gradmote_run import served


def test_rounds_are_the_twins_and_outlive_kills(program, tmp_path: Path, images, digits: Dataset) -> None:
    """Each round is a process of its own. What a delta loses is dropped, or lives in the save that follows."""
    with TwinTarget(program.profile) as twin:
        twin.load_image(images["mlp"])
        for number, bits in enumerate((4, 8, 2)):
            with served(program, "--state", tmp_path) as (url, process), open_target(url) as target:
                if number == 0:
                    target.load_image(images["mlp"])
                assert target.round() == number and target.state() == twin.state()
                for each in (target, twin):
                    fit(each, digits, epochs=1)
                delta = target.round_delta(bits, 7)
                assert delta == twin.round_delta(bits, 7)
                own = (bits, 7) if number == 1 else (0, 0)
                for each in (target, twin):
                    assert each.end_round(delta, *own) == number + 1
                assert target.state() == twin.state()
                if number == 1:
                    target.save()
                process.kill()


def end_round_until(stops: int, target: BoardTarget, process: int, delta: bytes) -> bool:
    """End a round, and kill the board after so many stops at its system calls. Return whether it had replied."""
    board = target.board
    board.request("DELTA_BEGIN", size=len(delta))
    board._send_chunks("DELTA_DATA", delta)
    try:
        cut = Cut(process, stops)
    except PermissionError:
        pytest.skip("this computer lets no process trace its children")
    cut.start()
    try:
        return board.request("DELTA_END", bits=0, seed=0)["number"] > 0
    except GradmoteError:
        return False
    finally:
        cut.join()


def test_a_kill_leaves_the_old_base_or_the_new_one(sanitized, tmp_path: Path, images, digits: Dataset) -> None:
    """The end of round 1 is killed before and after each of its system calls, from the first one to its reply."""
    expected, found, replied, stops = {}, [], False, 0
    with TwinTarget(sanitized.profile) as twin:
        twin.load_image(images["mlp"])
        twin.begin_round(1)
        before = twin.save()
        fit(twin, digits, epochs=1)
        down = twin.round_delta(8)
        twin.load(before)
        expected[1] = twin.state(), twin.round_delta(8)
        twin.end_round(down)
        expected[2] = twin.state(), twin.round_delta(8)
    while not replied:
        folder = tmp_path / str(stops)
        with served(sanitized, "--state", folder) as (url, process), open_target(url) as target:
            target.load_image(images["mlp"])
            target.begin_round(1)
            replied = end_round_until(stops, target, process.pid, down)
        with served(sanitized, "--state", folder) as (url, _), open_target(url) as target:
            found.append(target.round())
            assert (target.state(), target.round_delta(8)) == expected[found[-1]]
        stops += 1
    assert found[0] == 1 and found[-1] == 2 and found == sorted(found)


@pytest.fixture
def trained(sanitized, tmp_path: Path, images, digits: Dataset):
    """A target that trained, in a process with its files in tmp_path."""
    with served(sanitized, "--state", tmp_path) as (url, _), open_target(url) as target:
        target.load_image(images["mlp"])
        fit(target, digits, epochs=1)
        yield target


def test_what_is_loaded_again_is_newer_than_the_base(trained, digits: Dataset) -> None:
    """Its bytes are those that were saved before the base was."""
    kept = trained.save()
    fit(trained, digits, epochs=1)
    trained.begin_round(3)
    trained.load(kept)
    state, base = trained.state(), trained.round_delta(8)
    trained.board.reboot()
    assert trained.state() == state and trained.round() == 3 and trained.round_delta(8) == base


def test_a_base_is_given_up_and_its_state_stays(trained, tmp_path: Path) -> None:
    trained.begin_round(41)
    state = trained.state()
    assert (tmp_path / "base.gmck").exists() and not (tmp_path / "checkpoint.gmck").exists()
    trained.begin_round(0)
    assert not (tmp_path / "base.gmck").exists()
    trained.board.reboot()
    assert trained.round() == 0 and trained.state() == state


def test_a_base_that_cannot_be_kept_leaves_the_round(trained, tmp_path: Path) -> None:
    trained.begin_round(1)
    state, delta = trained.state(), trained.round_delta(8)
    (tmp_path / "base.gmck").rename(tmp_path / "away")
    (tmp_path / "base.gmck").mkdir()
    with pytest.raises(DeviceError, match="flash"):
        trained.end_round(delta)
    assert trained.round() == 1 and trained.state() == state


def resealed(data: bytes) -> bytes:
    """Return a base's file with the checksum of its bytes, as one who forges it would write it."""
    return struct.pack("<I", zlib.crc32(data[4:])) + data[4:]


#: Files that are not bases, by what was done to one.
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "a bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "cut off": lambda data: data[:-4],
    "longer": lambda data: data + bytes(4),
    "empty": lambda _: b"",
    "a record only": lambda data: resealed(data[:12]),
    "round 0": lambda data: resealed(data[:4] + bytes(4) + data[8:]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_base_is_refused(sanitized, tmp_path: Path, images, digits: Dataset, damage: str) -> None:
    """The checkpoint before it is loaded, and the board learns on from there."""
    file = tmp_path / "base.gmck"
    with served(sanitized, "--state", tmp_path) as (url, process), open_target(url) as target:
        target.load_image(images["mlp"])
        saved = target.save()
        fit(target, digits, epochs=1)
        target.begin_round(1)
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
        target.board.reboot()
        assert target.round() == 0 and target.board.read("CHECKPOINT") == saved
        target.begin_round(0)
        assert not file.exists()
        target.begin_round(2)
        target.board.reboot()
        assert target.round() == 2
        process.kill()
        said = process.stderr.read()
    assert str(file) in said and "hint: put a copy of it back" in said
    assert not any(trace in said for trace in SANITIZER_TRACES)


@given(at=st.integers(0, 800), change=st.binary(min_size=1, max_size=8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_forged_base_is_one_or_none(forged, at: int, change: bytes) -> None:
    """Its checksum is right. The board goes on with it, or is in round 0, and stays usable."""
    target, file, whole = forged
    data = whole[: 4 + at] + change + whole[4 + at + len(change) :]
    file.write_bytes(resealed(data))
    target.board.reboot()
    assert target.round() in {0, *struct.unpack_from("<I", data, 4)}
    target.begin_round(2)
    assert target.round() == 2


@pytest.fixture
def forged(trained, tmp_path: Path):
    """Return a target, its base's file and the contents of that."""
    trained.begin_round(1)
    return trained, tmp_path / "base.gmck", (tmp_path / "base.gmck").read_bytes()


def test_another_models_base_is_not_loaded(trained, images) -> None:
    trained.begin_round(5)
    trained.load_image(images["cnn"])
    assert trained.round() == 0
    trained.load_image(images["mlp"])
    assert trained.round() == 5

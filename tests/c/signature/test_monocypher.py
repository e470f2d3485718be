"""Only builds with a key fetch Monocypher; it is always the pinned one, and one line says if it is missing."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import monocypher
import pytest
from boards import BUILD, FIRMWARE, as_the_project_wants, boards, demanding
from c.signature.keys import write_keys
from monocypher import ARCHIVE, FILES, NoMonocypher, contents_of, fetch_monocypher

from gradmote import cli
from gradmote.device.flash import from_sources

BOARD = "mps2-an386"

pytestmark = pytest.mark.toolchain


@pytest.fixture
def offline(monkeypatch):
    """A computer on which pip finds no package."""

    def fails(*_arguments, **_options):
        return subprocess.CompletedProcess([], 1, "", "WARNING: Retrying\nERROR: No matching distribution found\n")

    monkeypatch.setattr(monocypher.subprocess, "run", fails)


def board():
    return next(board for board in boards() if board.name == BOARD)


def archive_of(folder: Path, contents: dict[str, bytes]) -> Path:
    path = folder / f"{ARCHIVE}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(f"{ARCHIVE}/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_a_build_without_a_key_needs_none(offline):
    plain = demanding(board(), None, False)
    assert FIRMWARE / "src" / "storage" / "no_signature.c" in plain.sources()
    assert not any("monocypher" in str(path) for path in (*plain.sources(), *plain.includes()))


def test_a_build_with_a_key_compiles_what_is_pinned(tmp_path):
    _, public = write_keys("own", tmp_path)
    signed = demanding(board(), public, False)
    folder = fetch_monocypher(BUILD)
    assert folder / "monocypher.c" in signed.sources() and folder in signed.includes()
    assert {name: monocypher.sha256((folder / name).read_bytes()) for name in FILES} == FILES


def test_what_was_put_there_by_hand_is_taken(offline, tmp_path):
    there = fetch_monocypher(BUILD)
    shutil.copytree(there, tmp_path / there.name)
    assert fetch_monocypher(tmp_path) == tmp_path / there.name


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_not_compiled(offline, tmp_path, name):
    there = tmp_path / fetch_monocypher(BUILD).name
    shutil.copytree(fetch_monocypher(BUILD), there)
    (there / name).write_bytes((there / name).read_bytes() + b"\n")
    with pytest.raises(NoMonocypher, match="No matching distribution found"):
        fetch_monocypher(tmp_path)


def test_a_changed_file_is_fetched_again(monkeypatch, tmp_path):
    contents = {name: (fetch_monocypher(BUILD) / name).read_bytes() for name in FILES}
    monkeypatch.setattr(monocypher, "download", lambda: contents)
    folder = fetch_monocypher(tmp_path)
    (folder / "monocypher.c").write_text("changed")
    assert fetch_monocypher(tmp_path) == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents


def test_an_archive_with_other_files_is_refused(tmp_path):
    contents = {name: (fetch_monocypher(BUILD) / name).read_bytes() for name in FILES}
    assert contents_of(archive_of(tmp_path, contents)) == contents
    with pytest.raises(NoMonocypher, match=r"monocypher\.h in .* is not the one that is pinned"):
        contents_of(archive_of(tmp_path, {**contents, "monocypher.h": b""}))


@pytest.mark.parametrize("data", [None, b"", b"not an archive", bytes(1000)])
def test_a_damaged_archive_is_refused(monkeypatch, tmp_path, data):
    """pip reports success, and left this."""

    def downloads(command, **_options):
        if data is not None:
            (Path(command[command.index("--dest") + 1]) / f"{ARCHIVE}.tar.gz").write_bytes(data)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(monocypher.subprocess, "run", downloads)
    with pytest.raises(NoMonocypher, match="could not be fetched") as reported:
        fetch_monocypher(tmp_path)
    assert "\n" not in str(reported.value)


def test_gradmote_flash_tells_in_a_line(offline, monkeypatch, tmp_path, capsys):
    """Check that, without a checkout, `gradmote flash` reports the error in one line and leaves no files."""
    _, public = write_keys("own", tmp_path)
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "build"))
    monkeypatch.setattr("gradmote.device.flash.build._has_scons", lambda: False)
    monkeypatch.setattr(from_sources, "require_compiler", lambda name: None)
    assert cli.main(["flash", "--board", BOARD, "--key", str(public)]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith(("error", "Traceback"))]
    assert len(said) == 1 and f"into {tmp_path / 'build'}" in said[0].replace("\n", "")
    assert not (tmp_path / "build").exists()


def test_platformio_tells_in_a_line(offline, monkeypatch, tmp_path):
    write_keys("own", tmp_path)
    monkeypatch.setattr(monocypher, "FILES", {"monocypher.c": "changed"})
    option = {"custom_gradmote_key": "own.pub.pem"}.get
    with pytest.raises(SystemExit) as reported:
        as_the_project_wants(board(), tmp_path, option)
    assert str(reported.value).startswith("error: a build with a key needs Monocypher") and "\n" not in str(
        reported.value
    )


def test_the_command_of_set_up(tmp_path):
    there = fetch_monocypher(BUILD)
    shutil.copytree(there, tmp_path / there.name)
    command = [sys.executable, monocypher.__file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.strip() == str(tmp_path / there.name)

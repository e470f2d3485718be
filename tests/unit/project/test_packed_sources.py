"""The archive of sources that a wheel carries: unpacked once, whole, and the same from the same sources."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from gradmote.errors import OutputError
from gradmote.sources import archive as packed_sources
from gradmote.sources.archive import pack, unpack


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "build"))
    (tmp_path / "sources" / "inner").mkdir(parents=True)
    (tmp_path / "sources" / "inner" / "a.c").write_text("int a;\n")
    (tmp_path / "sources" / "b.c").write_text("int b;\n")
    pack(tmp_path / "sources", tmp_path / "sources.zip.bz2")
    return tmp_path / "sources.zip.bz2"


def test_what_is_packed_is_unpacked(archive: Path) -> None:
    folder = unpack(archive)
    found = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.c")}
    assert found == {"inner/a.c": "int a;\n", "b.c": "int b;\n"}


def test_the_same_sources_make_the_same_archive_and_folder(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "sources" / "b.c").touch()
    pack(tmp_path / "sources", tmp_path / "other.zip.bz2")
    assert (tmp_path / "other.zip.bz2").read_bytes() == archive.read_bytes()
    assert unpack(tmp_path / "other.zip.bz2") == unpack(archive)


def test_an_unpacking_that_was_cut_leaves_no_folder(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(self: zipfile.ZipFile, path: Path) -> None:
        path.mkdir()
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(zipfile.ZipFile, "extractall", cut)
        with pytest.raises(KeyboardInterrupt):
            unpack(archive)
    assert (unpack(archive) / "b.c").is_file()


def test_another_process_may_be_faster(archive: Path) -> None:
    folder = unpack(archive)
    partial = folder.with_name("partial")
    (partial / "inner").mkdir(parents=True)
    packed_sources._move(partial, folder)
    assert not partial.exists()
    assert (folder / "b.c").is_file()


def test_a_folder_that_cannot_be_made_is_named(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRADMOTE_BUILD", str(tmp_path / "file" / "below"))
    with pytest.raises(OutputError, match="GRADMOTE_BUILD"):
        unpack(archive)

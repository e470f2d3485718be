"""Files that earlier versions wrote open, and train on to the same bits; files of later ones are refused by name."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path

import pytest

from gradmote import checkpoint
from gradmote.errors import CheckpointError, ImageError, RuntimeFault
from gradmote.image import read_image
from gradmote_runtime import Session

VERSIONS = Path(__file__).resolve().parents[1] / "data" / "versions"
FOLDERS = sorted(path for path in VERSIONS.iterdir() if (path / "expected.json").exists())

sys.path.append(str(VERSIONS))
import make  # noqa: E402


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name)
def folder(request: pytest.FixtureRequest) -> Path:
    return request.param


def files(folder: Path, profile: str) -> tuple[bytes, bytes, dict[str, str]]:
    expected = json.loads((folder / "expected.json").read_text())[profile]
    return (folder / "image.mote").read_bytes(), (folder / f"{profile}.gmck").read_bytes(), expected


def later(data: bytes) -> bytes:
    """The same with a version that nobody has written yet, and a right checksum."""
    return data[:4] + struct.pack("<I", 1000) + data[8:12] + struct.pack("<I", zlib.crc32(data[16:])) + data[16:]


def test_a_checkpoint_loads_and_trains_on_to_the_same_bits(folder, profile):
    image, kept, expected = files(folder, profile)
    with Session(image, profile) as session:
        session.load(kept)
        assert session.state_sha256() == expected["loaded"]
        assert session.properties() == {"steps": make.STEPS, "share": 0.375}
        make.train(session, make.STEPS)
        assert session.state_sha256() == expected["trained"]


def test_an_image_trains_from_its_start_to_the_same_bits(folder, profile):
    image, _, expected = files(folder, profile)
    assert make.checkpoint_of(image, profile, Session.save)[1] == expected


def test_the_desk_reads_them(folder, profile):
    image, kept, _ = files(folder, profile)
    read, found = read_image(image), checkpoint.unpack(kept)
    assert found.model_id == read.model_id and found.properties == {"steps": make.STEPS, "share": 0.375}
    assert {"w1", "w2_moment2", "mean"} <= found.tensors.keys() and found.control["train_steps"] == 2 * make.STEPS
    with Session(image, profile) as session:
        session.load(kept)
        assert all(bytes(session.parameter(name)) == found.tensors[name].tobytes() for name in found.parameters)


def test_files_of_later_versions_are_refused(folder, profile):
    image, kept, _ = files(folder, profile)
    with pytest.raises(RuntimeFault, match=r"GM_ERR_BAD_VERSION.*install the gradmote that wrote it"):
        Session(later(image), profile)
    with pytest.raises(ImageError, match=r"version 1000.*install the gradmote that wrote it, or compile"):
        read_image(later(image))
    with Session(image, profile) as session:
        before = session.state_sha256()
        with pytest.raises(RuntimeFault, match="GM_ERR_BAD_VERSION"):
            session.load(later(kept))
        assert session.state_sha256() == before
    with pytest.raises(CheckpointError, match=r"version 1000.*install the gradmote that wrote it"):
        checkpoint.unpack(later(kept))

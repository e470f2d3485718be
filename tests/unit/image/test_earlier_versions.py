"""Files that earlier versions wrote open, and train on to the same bits; files of later ones are refused by name."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from gradmote.errors import CheckpointError, ImageError, RuntimeFault
from gradmote.formats import checkpoint
from gradmote.formats.image import read_image
from gradmote_runtime import Session
from gradmote_runtime.library import cpu_has_fma
from support.lasting_record import lasting_record

VERSIONS = Path(__file__).resolve().parents[2] / "support" / "data" / "versions"
CHECKPOINTS = sorted(VERSIONS.glob("*/*.gmck"))

sys.path.append(str(VERSIONS))
import make  # noqa: E402


@dataclass(frozen=True)
class Files:
    """An image, a checkpoint of it under a profile, and the SHA-256 of the result."""

    image: bytes
    kept: bytes
    expected: dict[str, str]
    profile: str
    half: bool


@pytest.fixture(params=CHECKPOINTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def files(request: pytest.FixtureRequest) -> Files:
    path = request.param
    profile, _, packed = path.stem.partition("_")
    if profile == "fused" and not cpu_has_fma():
        pytest.skip("this CPU has no fused multiply-add")
    expected = json.loads((path.parent / "expected.json").read_text())[path.stem]
    return Files((path.parent / "image.mote").read_bytes(), path.read_bytes(), expected, profile, bool(packed))


def later(data: bytes) -> bytes:
    """Return the data with a version that does not exist yet, and a right checksum."""
    return data[:4] + struct.pack("<I", 1000) + data[8:12] + struct.pack("<I", zlib.crc32(data[16:])) + data[16:]


def test_a_checkpoint_loads_and_trains_on_to_the_same_bits(files):
    with Session(files.image, files.profile) as session:
        session.load(files.kept)
        assert session.state_sha256() == files.expected["loaded"]
        assert session.properties() == {"steps": make.STEPS, "share": 0.375}
        make.train(session, make.STEPS)
        assert session.state_sha256() == files.expected["trained"]


def test_an_image_trains_from_its_start_to_the_same_bits(files):
    assert make.checkpoint_of(files.image, files.profile, files.half)[1] == files.expected


def test_the_desk_reads_them(files):
    read, found = read_image(files.image), checkpoint.unpack(files.kept)
    assert found.model_id == read.model_id and found.properties == {"steps": make.STEPS, "share": 0.375}
    assert {"w1", "w2_moment2", "mean"} <= found.tensors.keys() and found.control["train_steps"] == 2 * make.STEPS
    with Session(files.image, files.profile) as session:
        session.load(files.kept)
        assert all(bytes(session.parameter(name)) == found.tensors[name].tobytes() for name in found.parameters)


def test_lasting_records_after_a_checkpoint_change_nothing(files):
    """Model ids and stored checkpoints stay good, whatever a device keeps later."""
    followed = files.kept + lasting_record(b"policy..") + lasting_record(b"", 8)
    found = checkpoint.unpack(followed)
    assert found.tensors.keys() == checkpoint.unpack(files.kept).tensors.keys()
    with Session(files.image, files.profile) as session:
        session.load(followed)
        assert session.state_sha256() == files.expected["loaded"]
        assert len(session.save(files.half)) == len(files.kept)  # it begins without them
    with pytest.raises(CheckpointError, match="a lasting record after the checkpoint is damaged"):
        checkpoint.unpack(followed[:-5] + b"?" + followed[-4:])
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoint.unpack(files.kept + lasting_record(b"policy..")[:-6])


def test_files_of_later_versions_are_refused(files):
    with pytest.raises(RuntimeFault, match=r"GM_ERR_BAD_VERSION.*install the gradmote that wrote it"):
        Session(later(files.image), files.profile)
    with pytest.raises(ImageError, match=r"version 1000.*install the gradmote that wrote it, or compile"):
        read_image(later(files.image))
    with Session(files.image, files.profile) as session:
        before = session.state_sha256()
        with pytest.raises(RuntimeFault, match="GM_ERR_BAD_VERSION"):
            session.load(later(files.kept))
        assert session.state_sha256() == before
    with pytest.raises(CheckpointError, match=r"version 1000.*install the gradmote that wrote it"):
        checkpoint.unpack(later(files.kept))

"""A key with a lone surrogate ended in UnicodeEncodeError, one with a zero was cut short there without a word, and a
key or a name that is not UTF-8, in a state that a device made, ended in UnicodeDecodeError."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradmote import Session, losses, optimizers
from gradmote.artifacts import build_artifacts
from gradmote.compiler import Options, compile_image
from gradmote.errors import DataError, GradmoteError, ImageError
from gradmote.formats import checkpoint
from gradmote.formats.image import read_image
from gradmote.training import CheckpointState
from support.oracle import make_model, node, values

#: Any text at all: Hypothesis leaves surrogates out by default.
ANY_TEXT = st.text(st.characters(), max_size=24) | st.text(st.characters(categories=["Cs", "Cc"]), max_size=4)


@pytest.fixture(scope="module")
def image() -> bytes:
    model = make_model([node("MatMul", "x w", "y")], {"w": values(1, 3, 2)}, {"x": ("N", 3)})
    artifacts = build_artifacts(model, None, losses.mse(), optimizers.sgd(0.1))
    return compile_image(artifacts, Options(batch=1, properties=2)).image


@given(key=ANY_TEXT)
def test_any_key_is_kept_or_refused(image, key):
    with Session(image) as session:
        try:
            session.set_property(key, 5)
        except GradmoteError:
            assert session.properties() == {}
        else:
            assert session.properties() == {key: 5} and session.get_property(key) == 5
            session.remove_property(key)
            assert session.properties() == {}


@given(name=ANY_TEXT)
def test_any_name_is_looked_up_or_refused(image, name):
    with Session(image) as session:
        for look_up in (session.parameter, session.gradient, session.get_property, session.remove_property):
            with pytest.raises(GradmoteError):
                look_up(name)


@given(key=ANY_TEXT, value=ANY_TEXT)
def test_any_property_of_a_checkpoint_is_kept_or_refused(tmp_path_factory, key, value):
    path = tmp_path_factory.mktemp("properties") / "state.gmck"
    path.write_bytes(checkpoint.pack({"w": np.zeros((3, 2), np.float32)}))
    state = CheckpointState.load_checkpoint(path)
    try:
        state.properties[key] = value
    except DataError:
        assert len(state.properties) == 0
        return
    CheckpointState.save_checkpoint(state, path)
    assert list(CheckpointState.load_checkpoint(path).properties) == [(key, value)]


def test_a_key_that_a_device_wrote_in_another_encoding_can_be_read_and_removed(image):
    with Session(image) as session:
        session.set_property("a" * 19, 7)
        state = session.state()
        at = bytes(state).index(b"a" * 19)
        state[at : at + 19] = b"\xe4rger".ljust(19, b"\0")
        (key,) = session.properties()
        assert session.get_property(key) == 7
        assert list(checkpoint.unpack(session.save()).properties) == ["\\xe4rger"]
        session.remove_property(key)
        assert session.properties() == {}


def test_an_image_with_names_in_another_encoding_opens(image):
    """The runtime does not look into names; what reads the file as text refuses it."""
    renamed = image.replace(b"\0w\0", b"\0\xe4\0").replace(b"x\0", b"\xe4\0")
    assert renamed != image
    renamed = renamed[:12] + struct.pack("<I", zlib.crc32(renamed[16:])) + renamed[16:]
    with Session(renamed) as session:
        assert session.parameter_names() == ["\udce4"]
        assert np.array(session.parameter("\udce4")).shape == (3, 2)
    with pytest.raises(ImageError):
        read_image(renamed)

"""examples/watch.py in its short form: one person, little pre-training."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def build(tmp_path_factory) -> Iterator[None]:
    """Pre-train again, once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADMOTE_BUILD", str(tmp_path_factory.mktemp("build")))
        yield


@pytest.mark.parametrize("train", ["head", "all"])
def test_it_learns_a_person(capsys, train: str) -> None:
    import watch

    assert watch.main(subject=4, train=train, epochs=2, pretraining_epochs=2) > 0.8
    assert "of RAM" in capsys.readouterr().out

"""`gradmote federate simulate`: what it prints and draws, and what it refuses before the first round."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gradmote import Session, cli
from support import digits, federation

CALL = ("federate", "simulate", "model.mote", "--data", "digits.npz", "--rounds", "2", "--devices", "4")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an image and digits of four people."""
    x, labels = digits.samples()
    (tmp_path / "model.mote").write_bytes(federation.image())
    people = np.arange(200) % 4 + 7
    np.savez(tmp_path / "digits.npz", x=x[:200], y=labels[:200], x_test=x[200:300], y_test=labels[200:300], who=people)
    table = np.column_stack([people, x[:200], labels[:200]])
    names = ",".join(["who", *(f"p{i}" for i in range(64)), "digit"])
    np.savetxt(tmp_path / "digits.csv", table, delimiter=",", header=names, comments="", fmt="%.9g")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert cli.main([*CALL, *words, "--json"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def test_it_prints_rounds_and_the_digest_of_the_base(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*CALL, "--checkpoint", "learned.gmck"]) == 0
    said = capsys.readouterr()
    assert len(re.findall(r"^round \d of 2 4 devices loss \d\.\d{4} accuracy", said.err, re.M)) == 2
    found = answer(capsys)
    assert found["base_sha256"] in said.out
    assert found["devices"] == 4 and [r["round"] for r in found["rounds"]] == [1, 2]
    session = Session(federation.image())
    session.load(Path("learned.gmck").read_bytes())
    scores = [np.array(session.infer(digits.samples()[0][at : at + 4])[0]).argmax(1) for at in range(200, 300, 4)]
    share = float(np.mean(np.concatenate(scores) == digits.samples()[1][200:300]))
    assert found["rounds"][-1]["test"]["accuracy"] == share


def test_a_column_of_either_form_divides_the_samples(capsys: pytest.CaptureFixture[str]) -> None:
    from_npz = answer(capsys, "--by", "who")
    from_csv = answer(capsys, "--by", "who", "--data", "digits.csv")
    assert from_npz["devices"] == from_csv["devices"] == 4
    assert from_npz["base_sha256"] == from_csv["base_sha256"] != answer(capsys)["base_sha256"]


def test_noise_is_another_one_in_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--taking-part", "2", "--clipping-norm", "0.5", "--noise-multiplier", "0.1")
    first, second = answer(capsys, *words), answer(capsys, *words)
    assert first["privacy"] == {"clipping_norm": 0.5, "noise_multiplier": 0.1, "devices_per_round": 2}
    assert first["base_sha256"] != second["base_sha256"]
    assert answer(capsys)["privacy"] is None


def test_the_drawings_have_a_point_for_each_round() -> None:
    for name in ("rounds.svg", "rounds.html"):
        assert cli.main([*CALL, "--rounds", "3", "--plot", name]) == 0
        drawn = re.search(r"<svg.*</svg>", Path(name).read_text(), re.S)
        assert drawn is not None
        lines = [e.get("points") for e in ElementTree.fromstring(drawn[0]).iter() if e.tag.endswith("polyline")]
        assert [len(points.split()) for points in lines] == [3, 3]
    assert "<table>" in Path("rounds.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--plot rounds.png", "is neither .svg nor .html"),
        ("--plot nodir/rounds.svg", "nodir"),
        ("--devices 199", "devices have fewer samples than a batch of 4"),
        ("--by whom", "the data has no 'whom' with a number for each sample - it has who"),
        ("--by who --dirichlet 0.3", "--by with --dirichlet"),
        ("--dirichlet 0", "--dirichlet 0.0"),
        ("--server fedadam --server-momentum 0.9", "momentum with fedadam"),
        ("--server-lr 0", "learning rate of 0.0"),
        ("--attackers 5", "5 devices cannot attack: there are 4"),
        ("--refuse-above 0.5", "refuse_above is 0.5"),
        ("--clipping-norm 1", "--clipping-norm without --noise-multiplier"),
        ("--noise-multiplier 1", "--noise-multiplier without --clipping-norm"),
        ("--clipping-norm 1 --noise-multiplier 0", "a noise multiplier of 0.0"),
        ("--clipping-norm 1 --noise-multiplier 1 --refuse-above 3", "refuse_above=3.0 with privacy"),
    ],
)
def test_what_cannot_work_is_refused(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*CALL, *words.split()]) == 1
    reported = capsys.readouterr().err.replace("error: ", "").replace("\n hint: ", " - ")
    assert said in reported and "round 1" not in reported

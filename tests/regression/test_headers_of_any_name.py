"""Names in a header were those of the image's file, letters of any alphabet too; its help said `model_image`."""

from __future__ import annotations

import subprocess

import pytest
from typer.testing import CliRunner

from gradmote.cli import app
from support.classifier_image import classifier_image

NAMES = {
    "model": "model",
    "my-net.v2": "my_net_v2",
    "3d": "model_3d",
    "模型": "model",
    "größe": "gr__e",
    "_x": "model_x",
}


@pytest.mark.parametrize(("stem", "name"), NAMES.items())
def test_its_names_are_names_in_c_and_are_printed(tmp_path, stem, name):
    image, header = tmp_path / f"{stem}.mote", tmp_path / "out.h"
    image.write_bytes(classifier_image())
    done = CliRunner().invoke(app, ["header", str(image), "-o", str(header)])
    assert done.exit_code == 0, done.output
    assert f"{name}_image, {name.upper()}_ARENA_BYTES" in " ".join((done.output + done.stderr).split())
    user = f'#include "{header}"\nunsigned long size = sizeof {name}_image + {name.upper()}_ARENA_BYTES;\n'
    flags = ["-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c", "-"]
    subprocess.run(["gcc", *flags], input=user, text=True, check=True)


@pytest.mark.parametrize("name", ["é", "2nd", "a b", "", "_x"])
def test_a_name_that_is_none_in_c_is_refused(tmp_path, name):
    image = tmp_path / "model.mote"
    image.write_bytes(classifier_image())
    done = CliRunner().invoke(app, ["header", str(image), "--name", name])
    assert done.exit_code == 1
    assert not image.with_suffix(".h").exists()

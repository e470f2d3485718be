"""gradmote header: what a C and a C++ compiler make of it is the image."""

import shutil
import subprocess

import pytest

from gradmote.cli import main
from support.classifier_image import ARENA_SIZE, classifier_image

PROGRAM = """
#include <stdio.h>
#include "my_model.h"
int main(void)
{
    fwrite(my_model_image, 1, sizeof my_model_image, stdout);
    fprintf(stderr, "%d %d", MY_MODEL_ARENA_BYTES, (int)((uintptr_t)my_model_image % 16));
    return 0;
}
"""


@pytest.fixture
def image(tmp_path):
    (tmp_path / "my model.mote").write_bytes(classifier_image())
    return tmp_path / "my model.mote"


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99"], ["g++", "-std=c++11"]], ids=["C", "C++"])
def test_the_array_is_the_image(image, tmp_path, compiler):
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    assert main(["header", str(image), "-o", str(tmp_path / "my_model.h")]) == 0
    source = tmp_path / ("main.c" if compiler[0] == "gcc" else "main.cpp")
    source.write_text(PROGRAM)
    command = [*compiler, "-Wall", "-Wextra", "-Werror", str(source), "-o", str(tmp_path / "main")]
    subprocess.run(command, check=True)
    done = subprocess.run([str(tmp_path / "main")], capture_output=True, check=True)
    assert done.stdout == classifier_image()
    assert done.stderr.decode() == f"{ARENA_SIZE} 0"


def test_a_name_that_c_does_not_take(image, capsys):
    assert main(["header", str(image), "--name", "2nd"]) == 1
    assert "'2nd' is not a C identifier" in capsys.readouterr().err


def test_what_is_no_image(tmp_path, capsys):
    (tmp_path / "model.mote").write_bytes(b"nothing")
    assert main(["header", str(tmp_path / "model.mote")]) == 1
    assert not (tmp_path / "model.h").exists()

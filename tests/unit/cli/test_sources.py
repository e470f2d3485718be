"""`gradmote sources` writes the C library of the installed package as files for a project's own build."""

from __future__ import annotations

import re

import pytest

from amalgamate import cpp_header, one_header, one_source
from gradmote import cli
from gradmote.errors import DataError, ImageError
from gradmote.formats.kernel_selection import needs_of
from gradmote.project.c_sources import write_sources
from gradmote.project.example import example_image
from runtime_sources import RUNTIME, runtime_sources
from support.objects import run


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.mote"
    path.write_bytes(example_image())
    return path


def test_they_are_the_amalgamation(tmp_path):
    made = write_sources(str(tmp_path / "lib"))
    texts = [(made / f"gradmote.{ending}").read_text() for ending in ("h", "c", "hpp")]
    assert texts == [one_header(), one_source(), cpp_header()]


def test_the_folders_are_the_runtime(tmp_path):
    made = write_sources(tmp_path / "lib", tree=True)
    for path in runtime_sources():
        assert (made / path.relative_to(RUNTIME)).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("tree", [False, True], ids=["one source", "folders"])
def test_for_a_model_they_compile_its_kernels_alone(tree, model, tmp_path):
    made = write_sources(tmp_path / "lib", [model], tree)
    header = made / "include" / "gradmote.h" if tree else made / "gradmote.h"
    defined = set(re.findall(r"#define (\w+ ?\d*)$", run(["gcc", "-E", "-dM", str(header)]), re.MULTILINE))
    assert {flag[2:].replace("=", " ") for flag in needs_of(model).flags()} <= defined
    whole = write_sources(tmp_path / "whole", tree=tree)
    for name in ("CMakeLists.txt", "examples/cmake/learn.c", "LICENSE"):
        assert (made / name).read_bytes() == (whole / name).read_bytes()


def test_what_is_wrong_is_said_and_nothing_written(model, tmp_path):
    (tmp_path / "mine.c").write_text("int x;")
    with pytest.raises(DataError, match="exists already, and is not empty"):
        write_sources(tmp_path)
    (tmp_path / "broken.mote").write_bytes(b"MOTE")
    with pytest.raises(ImageError, match="broken.mote: "):
        write_sources(tmp_path / "lib", [tmp_path / "broken.mote"])
    assert not (tmp_path / "lib").exists()


def test_the_command_says_what_it_wrote(model, tmp_path, capsys):
    assert cli.main(["sources", str(tmp_path / "lib"), "--for", str(model)]) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'lib'}: gradmote.c, gradmote.h, gradmote.hpp\n"

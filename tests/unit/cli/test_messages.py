"""The messages of the command line beside its results: --version, --quiet, --verbose, and completion of names."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys

import onnx
import pytest
from typer.testing import CliRunner

from gradmote import __version__, cli
from support.oracle import make_model, node, values

TIED = [node("Gemm", "x w", "h", transB=1), node("Gemm", "h w", "y")]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(make_model(TIED, {"w": values(1, 4, 4)}, {"x": ("N", 4)}), path)
    return str(path)


def said(capsys, *arguments):
    assert cli.main(list(arguments)) == 0
    return capsys.readouterr()


def test_version_names_the_runtime_and_its_profile(capsys):
    lines = said(capsys, "--version").out.splitlines()
    assert lines[0] == f"gradmote {__version__}"
    assert lines[1].startswith(f"runtime {__version__}, image format 1, profile ")


def test_as_a_module():
    done = subprocess.run([sys.executable, "-m", "gradmote", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"gradmote {__version__}\n")
    assert subprocess.run([sys.executable, "-m", "gradmote", "nothing"], capture_output=True).returncode == 2


@pytest.mark.parametrize("place", [0, 1])
def test_quiet_says_errors_alone(capsys, model, place):
    """The option works before and after the subcommand."""

    def arguments(*more):
        words = ["compile", model, "--loss", "mse", *more]
        return [*words[:place], "--quiet", *words[place:]]

    reported = said(capsys, *arguments())
    assert (reported.out, reported.err) == ("", "")
    assert json.loads(said(capsys, *arguments("--json")).out)["trained"] == ["w"]
    assert cli.main(arguments("--train", "nothing")) == 1
    assert "error: no weight matches 'nothing'" in capsys.readouterr().err


def test_quiet_leaves_what_was_asked_for(capsys):
    assert "Gemm" in said(capsys, "ops", "--quiet").out


@pytest.mark.parametrize("place", [0, 1])
def test_verbose_tells_what_is_done(capsys, model, place):
    words = ["compile", model, "--loss", "mse"]
    reported = said(capsys, *words[:place], "--verbose", *words[place:]).err
    assert (
        "1 of 1 initializers are trained" in reported
        and "program step" in reported
        and "warning: 'w' is used by" in reported
    )
    assert "initializers are trained" not in said(capsys, *words).err


def test_both_are_refused(capsys, model):
    assert cli.main(["compile", model, "--quiet", "--verbose"]) == 2
    assert "--quiet or --verbose, not both" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--quiet", "ops"], ["--verbose", "ops"], ["ops", "--quiet"]])
def test_logging_is_as_before(arguments):
    """A program that calls the command line from within keeps its logging."""
    logger = logging.getLogger("gradmote")
    before = logger.level, list(logger.handlers)
    assert CliRunner().invoke(cli.app, arguments).exit_code == 0
    assert (logger.level, logger.handlers) == before


@pytest.mark.parametrize(
    ("typed", "expected"), [("comp", "compile"), ("train --epo", "--epochs"), ("compile --plan e", "exact")]
)
def test_completion_in_bash(typed, expected):
    environment = {
        **os.environ, "_GRADMOTE_COMPLETE": "complete_bash", "COMP_WORDS": f"gradmote {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }  # fmt: skip
    command = [sys.executable, "-c", "from gradmote.cli import main; main()"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert expected in done.stdout.split()

"""`--help` at 80 columns cut the names of options and of what they take ("sparse:0.25:las…")."""

from __future__ import annotations

import re

import pytest

from gradmote import cli

NAMES = [entry.name for entry in cli.COMMANDS]


def helped(capsys, monkeypatch, *command, columns=80):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert cli.main([*command, "--help"]) == 0
    return capsys.readouterr().out


def option_names(command):
    """The names of all options that typer parses."""
    import typer.main

    group = typer.main.get_command(cli.app)
    found = group.commands[command] if command else group
    return [name for p in found.params if p.param_type_name == "option" for name in (*p.opts, *p.secondary_opts)]


@pytest.mark.parametrize("command", ["", *NAMES])
def test_every_option_is_whole_and_no_line_is_longer(capsys, monkeypatch, command):
    text = helped(capsys, monkeypatch, *[command] * bool(command))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    words = set(re.findall(r"--?[a-z][a-z-]*", text))
    assert set(option_names(command)) <= words


@pytest.mark.parametrize("columns", [60, 120])
def test_other_widths(capsys, monkeypatch, columns):
    text = helped(capsys, monkeypatch, "compile", columns=columns)
    assert max(map(len, text.splitlines())) <= columns


def test_commands_are_in_their_panels_with_a_sentence(capsys, monkeypatch):
    text = helped(capsys, monkeypatch)
    assert text.index("On the host:") < text.index("  compile ") < text.index("On the device:") < text.index("  train ")
    assert "  train                   Train a compiled model\n" in text
    assert all(re.search(rf"^  {name} +[A-Z]", text, re.MULTILINE) for name in NAMES)

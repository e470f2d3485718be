"""A wheel in a fresh environment does everything: new, flash, train, console, header, bench, without a checkout."""

from __future__ import annotations

import shutil

import pytest

from support.first_hour import BOARD, PAGE, TRANSCRIPT, first_hour
from support.own_wheel import own_wheels


@pytest.mark.device
@pytest.mark.slow
def test_the_first_hour_without_a_checkout() -> None:
    for tool in ("arm-none-eabi-gcc", "qemu-system-arm"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing - ./run setup installs it")
    transcript, _ = first_hour(own_wheels())
    commands = commands_of(transcript)
    states = [line.split()[0] for line in transcript if line.endswith(".gmck") and len(line.split()[0]) == 64]
    assert len(states) == 2 and states[0] == states[1]
    assert any(line.startswith(f"the emulated {BOARD} has ended") for line in transcript)
    shown = TRANSCRIPT.search(PAGE.read_text())
    assert shown is not None and commands_of(shown[0].splitlines()) == commands


def commands_of(transcript: list[str]) -> list[str]:
    """Return the programs and subcommands that were typed: ports, times and names of files differ from run to run."""
    typed = [line.split() for line in transcript if line.startswith("$ ")]
    return [" ".join(words[1:3]) for words in typed]

"""The conversations in docs/CONSOLE.md, as an emulated board has them.

    cd tests && PYTHONPATH=../site_scons:. python -m device.console_page

writes them between the page's marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gradmote import optimizers
from gradmote.compiler import Options, compile_image
from gradmote.compiler.sample_store import StoreOptions
from gradmote.device import BoardTarget
from gradmote.device.client import Client
from gradmote.device.emulated_firmware import default_firmware
from gradmote.device.emulator import Emulator
from gradmote.device.link import Link
from support.console_text import read_prompt
from support.digits import artifacts, samples
from support.firmware import build_firmware

PAGE = Path(__file__).resolve().parents[2] / "docs" / "CONSOLE.md"
#: Rows that say how large this firmware is: another build's differ, and the page need not.
OF_THE_BUILD = re.compile(r"^(    +(?:static|used|arena|code) +)\d+", re.MULTILINE)

TYPED = ("info", "lr 0.1", "train 3", "save", "mem", "train fast")
TAUGHT = ("learn 7", "train 100", "score", "infer")
SHOWN = 2  # lines of a long answer, before and after dots


def main() -> None:
    build_firmware()
    text = PAGE.read_text()
    for name, conversation in conversations(default_firmware("mps2-an386")):
        text = replaced(text, name, conversation)
    PAGE.write_text(text)


def conversations(firmware: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each."""
    yield "session", conversation(firmware, None, TYPED)
    pixels, labels = samples()
    yield "teaching", conversation(firmware, StoreOptions(200, "int8", pixels[:100], labels[:100]), TAUGHT)


def conversation(firmware: Path, store: StoreOptions | None, lines: tuple[str, ...]) -> str:
    """Return what is typed after one step on a batch of digits, with the board's answers."""
    with Emulator(elf=firmware) as emulator:
        link = emulator.take_link()
        read_prompt(link)
        prepare(BoardTarget(Client(link)), store)
        text = "".join(f"    > {line}\n{shortened(answer(link, line))}" for line in lines)
        link.close()
    return text


def prepare(target: BoardTarget, store: StoreOptions | None) -> None:
    options = Options(batch=8 if store is None else 4, store=store)
    target.load_image(compile_image(artifacts(optimizers.sgd(0.25)), options).image)
    pixels, labels = samples()
    rows = slice(100, 100 + (options.batch or 1))
    target.write("input", 0, pixels[rows])
    target.write("label", 0, labels[rows].astype(np.int32))
    target.run("step")


def answer(link: Link, line: str) -> list[str]:
    link.write(line.encode() + b"\r")
    return read_prompt(link).removeprefix(line + "\r\n").removesuffix("> ").splitlines()


def shortened(lines: list[str]) -> str:
    """Long answers lose their middle; a row of many numbers its end."""
    if len(lines) > 11:
        lines = [*lines[:SHOWN], "...", *lines[-SHOWN:]]
    cut = [" ".join(line.split(" ")[:4]) + " ..." if len(line) > 100 else line for line in lines]
    return "".join(f"    {line}\n" for line in cut)


def marks(name: str) -> tuple[str, str]:
    return f"<!-- conversation: {name} -->\n\n", "\n<!-- end of the conversation -->"


def replaced(page: str, name: str, conversation: str) -> str:
    before, rest = page.split(marks(name)[0])
    return before + marks(name)[0] + conversation + marks(name)[1] + rest.split(marks(name)[1], 1)[1]


def shown(page: str, name: str) -> str:
    return page.split(marks(name)[0])[1].split(marks(name)[1], 1)[0]


def without_sizes(conversation: str) -> str:
    """Return the conversation without the figures that differ between builds."""
    return OF_THE_BUILD.sub(r"\1#", conversation)


if __name__ == "__main__":
    main()

"""Runs generated images in builds for several processors, and compares the results.

    cd tests && python -m fuzz.generated [--images 1000000] [--first 0] [--build all | NAME ...]

An image is made from a seed, the same in every build (generate_image.c): one to three programs of a few instructions of
any opcode, with small tensors, hostile parameters, operands that overlap or are misplaced; one in three has a sample
store. What gm_open() accepts runs between guard pages (run_generated.c), with calls of the store on whatever it holds.

A finding is a seed at which a build stops: a fault, or what a sanitizer says. Builds of one numerics profile must agree
on what is refused, with which error, on what each program returns, and on the arena after it; which NaN a kernel makes,
and a fused update's row, are left out, since docs/NUMERICS.md leaves them open. Each build shows which opcodes ran
least; one that did not run in 20,000 images fails the run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "site_scons")]

from fuzz.generated_builds import FOLDER, Build, OnBoard, builds, compiled, said  # noqa: E402

from gradmote.generated.opcodes import OPCODES  # noqa: E402

BLOCK = 1000
#: Images of one process: a fault loses only these.
PROCESS = 50_000
#: Seconds that so many of them may take at the least, on a machine that does other things too.
PATIENCE = 1200.0
#: Of one build; the rest would be the same again.
MOST_FINDINGS = 20
#: Images in which each opcode runs, or the generator does not know what its verifier asks.
ENOUGH = 20_000
#: Opcodes that a line names.
RAREST = 4
BLOCKS, IMAGES, INSTRUCTIONS, TRESPASS = range(4)  # enum detail
CALLS = ("view", "view class", "forget", "recall", "replay", "classify", "learn", "learn")  # enum call
NAMES = {opcode["code"]: name for name, opcode in OPCODES.items()}


class Instructions(NamedTuple):
    """The counts of one opcode's instructions: in all images, in accepted ones, and those that ran to their end."""

    generated: int = 0
    accepted: int = 0
    ran: int = 0

    def __add__(self, other: tuple[int, ...]) -> Instructions:  # type: ignore[override]
        return Instructions(*map(sum, zip(self, other)))


@dataclass
class Outcome:
    """The outcome of one build. blocks: first seed -> digest. findings: seed -> the point at which it stopped, and the
    errors."""

    images: int = 0
    accepted: int = 0
    blocks: dict[int, int] = field(default_factory=dict)
    opcodes: dict[str, Instructions] = field(default_factory=dict)
    findings: dict[int, str] = field(default_factory=dict)

    def digest(self) -> int:
        """Return one digest of the digests of all blocks, 32 bits."""
        total = 0
        for block in self.blocks.values():
            total = (total * 0x9E3779B1 + block) & 0xFFFFFFFF
        return total

    def ran(self) -> int:
        """Instructions."""
        return sum(counts.ran for counts in self.opcodes.values())

    def never_ran(self) -> list[str]:
        """Return opcodes that none of these images ran to its end; nothing if there are too few images to judge."""
        enough = self.images >= ENOUGH and not self.findings
        return [name for name in OPCODES if enough and self.opcodes.get(name, Instructions()).ran == 0]

    def rarest(self) -> str:
        """The opcodes that ran least often."""
        rarest = sorted(self.opcodes.items(), key=lambda item: item[1].ran)[:RAREST]
        return ", ".join(f"{name} {c.ran} of {c.accepted} accepted of {c.generated}" for name, c in rarest)

    def line(self) -> str:
        counts = f"images {self.images} accepted {self.accepted} instructions {self.ran()}"
        return f"{counts} findings {len(self.findings)} digest {self.digest():08X}"


# ---- One build ----------------------------------------------------------------------------------------------------


def run_images(build: Build | OnBoard, first: int, images: int) -> Outcome:
    """Runs `images` of them, from that seed on."""
    program, found = compiled(build), Outcome()
    at, end = first, first + images
    while at < end and len(found.findings) < MOST_FINDINGS:
        lines, errors = said(build.command(program, (at, min(PROCESS, end - at), BLOCK, BLOCKS)), PATIENCE)
        done = list(numbers_of(lines, "block"))
        for seed, count, accepted, digest in done:
            found.blocks[seed] = digest
            found.images, found.accepted, at = found.images + count, found.accepted + accepted, seed + count
        for code, *counts in numbers_of(lines, "opcode"):
            found.opcodes[NAMES[code]] = found.opcodes.get(NAMES[code], Instructions()) + tuple(counts)
        if "done" not in lines:
            seed = last_seed(build, program, at, min(BLOCK, end - at))
            found.findings[seed] = describe(build, program, seed, errors)
            at += BLOCK
    return found


def numbers_of(lines: list[str], name: str) -> Iterator[list[int]]:
    """The numbers of each line that begins so."""
    for line in lines:
        word, *numbers = line.split() or [""]
        if word == name:
            yield list(map(int, numbers))


def last_seed(build: Build | OnBoard, program: Path, first: int, count: int) -> int:
    """The seed at which a block stops."""
    lines, _ = said(build.command(program, (first, count, BLOCK, IMAGES)), PATIENCE)
    return max((seed for (seed,) in numbers_of(lines, "seed")), default=first)


def describe(build: Build | OnBoard, program: Path, seed: int, errors: str) -> str:
    """The instruction, or the call of the store, at which it stops, and what the sanitizers said."""
    lines, more = said(build.command(program, (seed, 1, 1, INSTRUCTIONS)), PATIENCE)
    where = [text_of_step(line) for line in lines if is_step(line)][-1:]
    return "\n".join([*where, *(errors or more).strip().splitlines()[:12]])


def is_step(line: str) -> bool:
    return line.startswith(("instruction", "store"))


def text_of_step(line: str) -> str:
    """Return the text of an instruction or of a call of the store, from a line of the form in run_generated.h."""
    word, *numbers = line.split()
    if word == "instruction":
        return text_of(list(map(int, numbers)))
    which, label = map(int, numbers)
    return f"call of the store: {CALLS[which]} of class {label}"


def text_of(words: list[int]) -> str:
    """An instruction as its opcode, operands and parameters with their names."""
    name = NAMES[words[0] & 0xFFFF]
    operands, params = OPCODES[name]["operands"], OPCODES[name]["params"]
    parts = [f"{key}={word:#x}" for key, word in zip(operands, words[1:])]
    parts += [f"{key}={word}" for key, word in zip(params, words[1 + len(operands) :])]
    return f"{name} {' '.join(parts)}"


# ---- Two builds -----------------------------------------------------------------------------------------------------


def differing_blocks(one: Outcome, other: Outcome) -> list[int]:
    """First seeds of the blocks that both ran whole and that differ."""
    common = one.blocks.keys() & other.blocks.keys()
    return sorted(seed for seed in common if one.blocks[seed] != other.blocks[seed])


def differing_seeds(one: Build | OnBoard, other: Build | OnBoard, block: int) -> dict[int, str]:
    """Seed of that block -> the first instruction after which the builds differ."""
    found = {}
    said_by = [list(images_of(build, block)) for build in (one, other)]
    for (seed, *first), (_, *second) in zip(*said_by):
        if first != second:
            found[seed] = first_difference(one, other, seed)
    return found


def images_of(build: Build | OnBoard, block: int) -> Iterator[tuple[int, int, int]]:
    """Seed, status and digest of each image of a block."""
    lines, _ = said(build.command(compiled(build), (block, BLOCK, BLOCK, IMAGES)), PATIENCE)
    for (seed,), (status, digest) in zip(numbers_of(lines, "seed"), numbers_of(lines, "image")):
        yield seed, status, digest


def first_difference(one: Build | OnBoard, other: Build | OnBoard, seed: int) -> str:
    steps = [list(steps_of(build, seed)) for build in (one, other)]
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*steps))))
    after = [step[same : same + 1] for step in steps]
    return next((words for step in after for words, _ in step), "the image is refused by one of them")


def steps_of(build: Build | OnBoard, seed: int) -> Iterator[tuple[str, list[int]]]:
    """Each instruction that runs and each call of the store, with what it returns and a digest of the arena then."""
    lines, _ = said(build.command(compiled(build), (seed, 1, 1, INSTRUCTIONS)), PATIENCE)
    yield from zip(map(text_of_step, filter(is_step, lines)), numbers_of(lines, "returned"))


def compare(outcomes: dict[str, Outcome]) -> Iterator[str]:
    """A line for each build but the first of its profile, and one for each seed of the first blocks that differ."""
    known, reference = builds(), {}
    for name, outcome in outcomes.items():
        first = reference.setdefault(known[name].profile, name)
        if first == name:
            continue
        blocks = differing_blocks(outcomes[first], outcome)
        yield f"{name}: {len(blocks)} of {len(outcome.blocks)} blocks differ from {first}"
        for block in blocks[:MOST_FINDINGS]:
            for seed, where in differing_seeds(known[first], known[name], block).items():
                yield f"    seed {seed}: {where}"


# ---- The command ----------------------------------------------------------------------------------------------------


def main() -> int:
    arguments = parse()
    os.nice(15)
    outcomes = {}
    for name in chosen(arguments.build):
        build = builds()[name]
        if build.missing():
            print(f"{name}: skipped, it needs {build.missing()}")
            continue
        began = time.monotonic()
        outcomes[name] = run_images(build, arguments.first, max(BLOCK, arguments.images // build.share))
        minutes = (time.monotonic() - began) / 60
        print(f"{name:13}{outcomes[name].line()} minutes {minutes:.1f}   ({build.title})")
        print("\n".join(remarks(outcomes[name])), flush=True)
    differences = list(compare(outcomes))
    print("\n".join(differences))
    FOLDER.joinpath("report.json").write_text(json.dumps({n: vars(o) for n, o in outcomes.items()}, indent=1) + "\n")
    clean = not any(outcome.findings or outcome.never_ran() for outcome in outcomes.values())
    return 0 if clean and not any("seed" in line for line in differences) else 1


def remarks(outcome: Outcome) -> Iterator[str]:
    """Lines about one build: the opcodes that ran least, and what was found."""
    yield f"    rarest: {outcome.rarest()}"
    for name in outcome.never_ran():
        yield f"    NEVER RAN: {name}, of which {outcome.opcodes.get(name, Instructions()).generated} were generated"
    for seed, what in outcome.findings.items():
        yield f"    seed {seed}: {what}"


def chosen(names: list[str]) -> list[str]:
    """The builds, in the order of the table."""
    return [name for name in builds() if "all" in names or name in names]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=1_000_000, help="of each build; emulated boards run a tenth")
    parser.add_argument("--first", type=int, default=0, help="the first seed (%(default)s)")
    parser.add_argument("--build", nargs="+", default=["all"], choices=["all", *builds()], metavar="NAME",
                        help=f"all, or some of {', '.join(builds())}")  # fmt: skip
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())

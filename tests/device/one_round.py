"""Rounds on every core: the SHA-256 of what a device learns and sends in rounds of federated learning, and of its base.

    cd tests && python -m device.one_round [--steps 20] [--only NAME]

A device that joins at round 5 takes part in three rounds, with deltas of 8, 4 and 2 bits. A server that has another
device too makes the delta to each next base. In the middle of the second round the power fails, as it does in
one_state: the device goes on from the base and the save that it kept, and a step after the save is lost. What the
delta of that round loses is kept for the next one. A network with int8 weights, and one with int16 masters of them,
must have the same bytes in either numerics profile; one of float32 has a digest for each profile.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from subprocess import Popen
from types import SimpleNamespace

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "site_scons", "bindings/python")]

from device import one_state  # noqa: E402
from device.one_state import Batches, Missing, Row, digest, require, train  # noqa: E402

from gradmote import optimizers  # noqa: E402
from gradmote.device import Target, TwinTarget, open_target  # noqa: E402
from gradmote.device.boards import board  # noqa: E402
from gradmote.device.emulated_firmware import default_firmware  # noqa: E402
from gradmote.device.emulator import missing  # noqa: E402
from gradmote.federated import Server  # noqa: E402
from linux_targets import CODE_FLAGS, LINK_FLAGS, host_target  # noqa: E402
from linux_targets import Target as Processor  # noqa: E402
from runtime_sources import INCLUDES, NUMERICS_FLAGS  # noqa: E402
from support import digits, npm_package, objects  # noqa: E402
from support.emulated_part import EmulatedPart  # noqa: E402
from support.firmware import scons_firmware  # noqa: E402
from support.gradmote_run import build_gradmote_run, served  # noqa: E402
from support.quantized import small_cnn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
#: The processor of this computer, as gradmote-run has it.
HERE = host_target()
LESSONS = ("int8", "int16", "float32")
#: Steps of each round.
STEPS = 20
#: The round in which the device joins, and the bits of its deltas in this one and those that follow.
FIRST, BITS = 5, (8, 4, 2)
#: Of the rounds, by their place in BITS: the one in whose middle the power fails, and whose loss is kept for the next.
CUT = 1
#: Samples of a step if weights are float32.
BATCH = 4
#: Slots of a board's flash that three rounds write: three bases and three saves; only one save is made.
SLOTS = 6
#: Rows that cannot take part in rounds: core and board, and what is missing.
WITHOUT_ROUNDS = {
    "Cortex-M3, stm32vldiscovery": "room on the stack: 768 bytes are set aside, and rounds take more",
    "rv32, sifive-e": "flash that the emulator can program",
}


@dataclass(frozen=True)
class Lesson:
    """Rounds that every row does. name: one of LESSONS. steps: of each round."""

    name: str
    steps: int = STEPS

    @property
    def image(self) -> bytes:
        """The image: one for all cores."""
        return _float_image() if self.name == "float32" else one_state.Lesson(self.name).image

    def halves(self, place: int) -> tuple[Batches, Batches]:
        """Return the batches of one round, before and after the power may fail."""
        batches, half = self.batches(place), self.steps // 2
        return batches[:half], batches[half:]

    def batches(self, place: int) -> Batches:
        """Return the batches of one round; the other device has those of the round that would follow the last."""
        first, last = place * self.steps, (place + 1) * self.steps
        if self.name == "float32":
            return [(x, y.astype(np.int32)) for x, y in digits.batches(BATCH, last)[first:]]
        return small_cnn.batches(1, last)[first:]


@cache
def _float_image() -> bytes:
    return digits.image(optimizers.sgd(0.05), BATCH)


@dataclass(frozen=True)
class Rounds:
    """The rounds of a device of one profile without an interruption.

    downs: what leads to each next base. bytes: of each round the parameters that it learns, and what it sends; then its
    base. base: the server's at the end.
    """

    downs: tuple[bytes, ...]
    bytes: bytes
    base: bytes


def seed_of(place: int) -> int:
    """Return the seed of a delta's rounding."""
    return 1000 + place


def loss_kept(place: int) -> tuple[int, int]:
    """Return bits and seed of end_round(), by which the loss of one round's delta is kept."""
    return (BITS[place], seed_of(place)) if place == CUT else (0, 0)


@cache
def rounds_of(lesson: Lesson, profile: str) -> Rounds:
    """Return the rounds of a twin of that profile, with a server and another device."""
    server, downs, found = Server(lesson.image), [], []
    server.restore({**server.snapshot(), "round": np.array(FIRST)})
    with TwinTarget(profile) as twin, TwinTarget("strict") as other:
        for target in (twin, other):
            target.load_image(lesson.image)
            target.begin_round(FIRST)
        for place, bits in enumerate(BITS):
            train(twin, lesson.batches(place))
            train(other, lesson.batches(len(BITS)))
            found += [twin.parameters(), twin.round_delta(bits, seed_of(place))]
            server.add("this", found[-1], lesson.steps)
            server.add("other", other.round_delta(bits, seed_of(place) + 1), 2 * lesson.steps)
            downs.append(server.finish())
            twin.end_round(downs[-1], *loss_kept(place))
            other.end_round(downs[-1])
        return Rounds(tuple(downs), b"".join([*found, twin.parameters()]), server.base)


def expected(lesson: Lesson, profile: str) -> str:
    """Return the digest of a twin without an interruption."""
    return digest(rounds_of(lesson, profile).bytes)


# ---- Targets ------------------------------------------------------------------------------------------------------


def learn(lesson: Lesson, profile: str, target: Target, cut: Callable[[bytes], Target]) -> bytes:
    """Take part in the rounds by a target.

    cut: lets the power fail, and returns what goes on from its base and the last save, whose checkpoint it gets.
    """
    found = []
    target.load_image(lesson.image)
    target.begin_round(FIRST)
    for place, down in enumerate(rounds_of(lesson, profile).downs):
        first, second = lesson.halves(place)
        train(target, first)
        if place == CUT:
            kept = target.save()
            train(target, second[:1])
            target = cut(kept)
            assert target.round() == FIRST + CUT
        train(target, second)
        found += [target.parameters(), target.round_delta(BITS[place], seed_of(place))]
        target.end_round(down, *loss_kept(place))
    return b"".join([*found, target.parameters()])


def twin_rounds(profile: str, lesson: Lesson, _: Path) -> bytes:
    """Take part by two twins in this process; the second comes to the base by the deltas that came down."""
    with TwinTarget(profile) as twin, TwinTarget(profile) as second:

        def cut(kept: bytes) -> Target:
            second.load_image(lesson.image)
            second.begin_round(FIRST)
            for down in rounds_of(lesson, profile).downs[:CUT]:
                second.end_round(down)
            second.load(kept)
            return second

        return learn(lesson, profile, twin, cut)


def board_rounds(name: str, lesson: Lesson, _: Path) -> bytes:
    """Take part by an emulated board, and after the cut by a new one with the flash of the first."""
    elf = firmware(name, lesson)
    with ExitStack() as parts:
        part = parts.enter_context(EmulatedPart(name, elf=elf))

        def cut(_: bytes) -> Target:
            kept = part.files_in_flash(min(SLOTS, part.known.checkpoint_area // part.slot_size))
            part.cut_power()
            return parts.enter_context(EmulatedPart(name, kept, elf)).target

        return learn(lesson, board(name).profile, part.target, cut)


def firmware(name: str, lesson: Lesson) -> Path:
    """Build a board's firmware: its usual one, or, if that has no int8, one for the images that have."""
    if lesson.name != "float32":
        return one_state.firmware(name)
    scons_firmware(board=name)
    if missing(name):
        raise Missing(missing(name))
    return default_firmware(name)


def gradmote_run_rounds(lesson: Lesson, folder: Path) -> bytes:
    """Take part by gradmote-run, and after the cut by a new process with the files of the first, which was killed."""
    program = SimpleNamespace(command=(str(build_gradmote_run(HERE.name)),))
    with ExitStack() as processes:

        def started() -> tuple[Target, Popen[str]]:
            url, process = processes.enter_context(served(program, "--state", folder))
            return processes.enter_context(open_target(url)), process

        def cut(_: bytes) -> Target:
            process.kill()
            return started()[0]

        target, process = started()
        return learn(lesson, host_profile(), target, cut)


def host_profile() -> str:
    """Return the numerics profile of gradmote-run on this computer."""
    return "fused" if "-DGM_FUSED=1" in HERE.flags else "strict"


# ---- Programs that keep files -------------------------------------------------------------------------------------


def rounds_by_files(
    train_more: Callable[..., object], end_round: Callable[..., object], profile: str, lesson: Lesson, folder: Path
) -> bytes:
    """Take part by two programs whose processes end: one that trains half a round, and one that ends a round.

    train_more: gets image, samples and checkpoint. end_round: gets what end_round.c gets.
    """
    names = ("model.mote", "state.gmck", "base.gmck", "samples.bin", "down.gmd", "up.gmd")
    model, state, base, samples, down, up = (folder / name for name in names)
    model.write_bytes(lesson.image)
    found = []
    for place, delta in enumerate(rounds_of(lesson, profile).downs):
        for half in lesson.halves(place):
            one_state.write_samples(samples, half)
            train_more(model, samples, state)
        found.append(parameters_in(state, lesson))
        down.write_bytes(delta)
        end_round(model, state, base, FIRST + place, BITS[place], seed_of(place), int(place == CUT), down, up)
        found.append(up.read_bytes())
    return b"".join([*found, parameters_in(base, lesson)])


def parameters_in(checkpoint: Path, lesson: Lesson) -> bytes:
    """Return the parameters of a checkpoint in a file."""
    with TwinTarget("strict") as twin:
        twin.load_image(lesson.image)
        twin.load(checkpoint.read_bytes())
        return twin.parameters()


def compiled_rounds(name: str, profile: str, lesson: Lesson, folder: Path) -> bytes:
    """Take part by programs that a compiler makes of the runtime for this computer."""
    programs = [one_state.compiled(program, name, profile, folder) for program in ("train_state", "end_round")]
    train_more, end_round = (partial(one_state.run_program, program) for program in programs)
    return rounds_by_files(train_more, end_round, profile, lesson, folder)


def linux_rounds(processor: Processor, lesson: Lesson, folder: Path) -> bytes:
    """Take part by the same programs for another processor, under its emulator."""
    require(processor.compiler, *processor.emulator[:1])
    flags = [*CODE_FLAGS, *NUMERICS_FLAGS, "-std=c11", *processor.flags, *(f"-I{path}" for path in INCLUDES)]
    runs = []
    for program in ("train_state", "end_round"):
        sources = one_state.sources_of(program)
        objects.build([processor.compiler, *flags], sources, folder / program, *LINK_FLAGS)
        runs.append(partial(one_state.run_program, *processor.emulator, folder / program))
    return rounds_by_files(*runs, "fused", lesson, folder)


def wasm_rounds(form: str, lesson: Lesson, folder: Path) -> bytes:
    """Take part in node, by the module that the package chooses."""
    one_state.require_node()
    train_more, end_round = (
        lambda *files, script=script: npm_package.node(script, *files, form)
        for script in ("one_state.mjs", "one_round.mjs")
    )
    return rounds_by_files(train_more, end_round, "strict", lesson, folder)


# ---- The table ----------------------------------------------------------------------------------------------------

WAYS = one_state.Ways(twin_rounds, compiled_rounds, linux_rounds, wasm_rounds, board_rounds)


def rows() -> Iterator[Row]:
    """Yield every form of the runtime, and what has no rounds."""
    yield from (row for row in one_state.rows(WAYS) if one_state.READ_ONLY not in row.name)
    yield Row("Linux, gradmote-run", host_profile(), gradmote_run_rounds)
    for name, lack in WITHOUT_ROUNDS.items():
        yield Row(name, "strict", partial(not_run, lack))


def not_run(lack: str, *_: object) -> bytes:
    """Raise Missing with what is missing."""
    raise Missing(lack)


def main() -> int:
    """Print the table, and return the number of digests that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help=f"training steps of each round (default: {STEPS})")
    parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains this")
    given = parser.parse_args()
    differing = 0
    for name in LESSONS:
        lesson = Lesson(name, given.steps)
        for profile in one_state.PROFILES:
            print(f"{name}, {len(BITS)} rounds of {given.steps} steps, {profile}: {expected(lesson, profile)}")
        for row in (row for row in rows() if given.only in row.name):
            try:
                found = one_state.found_digest(row, lesson)
            except Missing as lack:
                print(f"  {row.name:32} not run: {lack}")
                continue
            same = found == expected(lesson, row.profile)
            differing += not same
            print(f"  {row.name:32} {found[:32]} {'yes' if same else 'NO'}", flush=True)
    return differing


if __name__ == "__main__":
    raise SystemExit(main())

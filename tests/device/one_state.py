"""One state on every core: the SHA-256 of a network's state, trained by every form of the runtime.

    cd tests && python -m device.one_state [--steps 200] [--only NAME] [--lesson NAME]

A network of float32 has one state in each numerics profile, so all cores of the strict one share theirs: Cortex-M0, M3,
M4F and M33, RISC-V without FPU, WebAssembly and this computer; so has the same under AdamW with moments in bfloat16 and
clipping. A network with int8 weights, the same with int16 masters of them, and the same under AdamW with moments in
bfloat16 and clipping train with int16 gradients; weights and moments are rounded at random. Each row trains half of the
steps, saves, and loses its power: the process is killed, the emulated board is a new machine with the flash of the old
one, and a step after the save is lost. It goes on from what it kept. The state at the end must be that of a twin
without any interruption: for float32 of the same profile, for the others in either. At the end a line says whether all
are.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / part) for part in ("tests", "site_scons", "bindings/python")]

from gradmote import compile_model, losses, optimizers  # noqa: E402
from gradmote.compiler.options import Options  # noqa: E402
from gradmote.device import Target, TwinTarget, open_target  # noqa: E402
from gradmote.device.boards import board  # noqa: E402
from gradmote.device.emulated_firmware import default_firmware  # noqa: E402
from gradmote.device.emulator import missing  # noqa: E402
from linux_targets import CROSS_TARGETS  # noqa: E402
from linux_targets import Target as Processor  # noqa: E402
from runtime_sources import ROOT, host_runs_fused, runtime_sources  # noqa: E402
from support import npm_package, objects, small_float_cnn  # noqa: E402
from support.emulated_part import EmulatedPart  # noqa: E402
from support.firmware import scons_firmware  # noqa: E402
from support.gradmote_run import build_gradmote_run, served  # noqa: E402
from support.quantized import small_cnn  # noqa: E402

#: The lessons whose state is another one in each profile.
FLOAT, MOMENTS = FLOATS = ("float32", "float32-adamw")
#: Lesson -> the weights, the optimizer, and the type of its moments.
LESSONS = {
    FLOAT: (None, optimizers.sgd(0.05), None),
    MOMENTS: (None, optimizers.adamw(0.003, clip_norm=1.0), "bf16"),
    "int8": ("int8", optimizers.sgd(0.05), "float32"),
    "int16": ("int16", optimizers.sgd(0.05), "float32"),
    "adamw": ("int8", optimizers.adamw(0.003, clip_norm=1.0), "bf16"),
}
STEPS = 200
#: Board -> core. The firmware of the first has room for int8 only if it is built for these images.
BOARDS = {
    "microbit": "Cortex-M0",
    "mps2-an385": "Cortex-M3",
    "mps2-an386": "Cortex-M4F",
    "mps2-an500": "Cortex-M7",
    "mps2-an505": "Cortex-M33",
    "mps3-an547": "Cortex-M55",
    "riscv-virt": "rv32",
    "riscv-virt-v": "rv32 with Zve32f",
    "sifive-e": "rv32imac",
}
FOR_OWN_IMAGES = "microbit"
#: Lessons whose arena fits the memory of that board, by the firmware that they need: not all fit one.
OWN_LESSONS = (("int8", "int16"), (MOMENTS,))
#: A board whose emulator cannot program flash, so that nothing is kept there, and which has room for float32 alone.
READ_ONLY = "sifive-e"
COMPILERS = {"gcc -O0": ("gcc", "-O0"), "gcc -O3": ("gcc", "-O3"), "clang -O2": ("clang-14", "-O2")}
#: The numerics profiles that run on this computer.
PROFILES = ("fused", "strict") if host_runs_fused() else ("strict",)
Batches = Sequence[small_cnn.Batch]


class Missing(Exception):
    """A tool that this computer lacks, or room that a board lacks, so that a row cannot run here."""


@dataclass(frozen=True)
class Lesson:
    """A training that every row does. name: one of LESSONS."""

    name: str
    steps: int = STEPS

    @property
    def image(self) -> bytes:
        """The image: one for all cores."""
        return _image(self.name)

    @property
    def halves(self) -> tuple[Batches, Batches]:
        """The batches before and after the power fails."""
        batches = small_cnn.batches(1, self.steps)
        return batches[: self.steps // 2], batches[self.steps // 2 :]


@cache
def _image(name: str) -> bytes:
    weights, optimizer, moments = LESSONS[name]
    if name in FLOATS:
        chosen = Options(batch=1, moments=moments)
        return compile_model(small_float_cnn.model(), losses.cross_entropy(), optimizer, chosen).image
    chosen = Options(batch=1, weights=weights, gradients="int16", moments=moments)
    return compile_model(small_cnn.model(), losses.cross_entropy(), optimizer, chosen).image


@dataclass(frozen=True)
class Row:
    """One form of the runtime. profile: its numerics. train: does a lesson in a folder, and returns what all forms of
    the profile must have. Raises Missing."""

    name: str
    profile: str
    train: Callable[..., bytes]


def train(target: Target, batches: Batches) -> None:
    """Train some steps."""
    for x, y in batches:
        target.write("input", 0, x)
        target.write("label", 0, y)
        target.run("step")


def expected(lesson: Lesson, profile: str = "strict") -> str:
    """Return the digest of a twin without an interruption. Only networks of float32 have one in each profile."""
    with TwinTarget(profile if lesson.name in FLOATS else "strict") as twin:
        twin.load_image(lesson.image)
        for half in lesson.halves:
            train(twin, half)
        return digest(twin.state())


def digest(state: bytes) -> str:
    """Return the SHA-256 of a state."""
    return hashlib.sha256(state).hexdigest()


# ---- Twins --------------------------------------------------------------------------------------------------------


def twin_state(profile: str, lesson: Lesson, _: Path) -> bytes:
    """Train the twin in this process."""
    first, second = lesson.halves
    with TwinTarget(profile) as twin:
        twin.load_image(lesson.image)
        train(twin, first)
        kept = twin.save()
    with TwinTarget(profile) as twin:
        twin.load_image(lesson.image)
        twin.load(kept)
        train(twin, second)
        return twin.state()


# ---- Programs that keep a checkpoint ------------------------------------------------------------------------------


def state_by_files(train_more: Callable[[Path, Path, Path], object], lesson: Lesson, folder: Path) -> bytes:
    """Train by a program that takes image, samples and checkpoint, and runs once for each half."""
    model, samples, kept = folder / "model.mote", folder / "samples.bin", folder / "state.gmck"
    model.write_bytes(lesson.image)
    for half in lesson.halves:
        write_samples(samples, half)
        train_more(model, samples, kept)
    with TwinTarget("strict") as twin:  # reads the file
        twin.load_image(lesson.image)
        twin.load(kept.read_bytes())
        return twin.state()


def write_samples(path: Path, batches: Batches) -> None:
    """Write the bytes of input and label of each step."""
    path.write_bytes(b"".join(x.tobytes() + y.tobytes() for x, y in batches))


def compiled_state(name: str, profile: str, lesson: Lesson, folder: Path) -> bytes:
    """Train by a program that a compiler makes of the runtime for this computer."""
    program = compiled("train_state", name, profile, folder)
    return state_by_files(partial(run_program, program), lesson, folder)


def compiled(program: str, name: str, profile: str, folder: Path) -> Path:
    """Build a program of tests/toolchain/numerics_bits with one of COMPILERS. Raises Missing."""
    compiler, level = COMPILERS[name]
    require(compiler)
    objects.build(objects.command_for_host(compiler, level, profile), sources_of(program), folder / program)
    return folder / program


def sources_of(program: str) -> list[Path]:
    """Return the sources of such a program, and those of the runtime."""
    return [ROOT / "tests" / "toolchain" / "numerics_bits" / f"{program}.c", *runtime_sources()]


def run_program(*command: object) -> None:
    """Run such a program, which must not fail."""
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)


def wasm_state(form: str, lesson: Lesson, folder: Path) -> bytes:
    """Train in node, by the module that the package chooses for the image."""
    require_node()
    return state_by_files(lambda *files: npm_package.node("one_state.mjs", *files, form), lesson, folder)


def require_node() -> None:
    """Raise Missing if the package cannot be built here."""
    if npm_package.lacking():
        raise Missing(npm_package.lacking())


def write_model(name: str) -> Path:
    """Write an image into a folder that stays, by whose name builds are found again."""
    model = ROOT / "build" / "one_state" / f"one_state_{name}.mote"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_bytes(_image(name))
    return model


# ---- Boards, and processes as boards ------------------------------------------------------------------------------


def linux_state(processor: Processor, lesson: Lesson, folder: Path) -> bytes:
    """Train gradmote-run under an emulator of that processor."""
    require(processor.compiler, *processor.emulator[:1])
    program = _Started((*processor.emulator, str(build_gradmote_run(processor.name))))
    with served(program, "--state", folder) as (url, _), open_target(url) as target:
        before_the_cut(target, lesson)
    with served(program, "--state", folder) as (url, _), open_target(url) as target:
        train(target, lesson.halves[1])
        return target.state()


@dataclass(frozen=True)
class _Started:
    command: tuple[str, ...]


def board_state(name: str, lesson: Lesson, _: Path) -> bytes:
    """Train an emulated board."""
    if name == READ_ONLY:
        return uninterrupted_state(name, lesson)
    if name == FOR_OWN_IMAGES and lesson.name not in (*chain(*OWN_LESSONS), FLOAT):
        raise Missing(f"room for {lesson.name} on {name}")
    elf = firmware(name, lesson.name)
    with EmulatedPart(name, elf=elf) as part:
        before_the_cut(part.target, lesson)
        kept = part.files_in_flash(1)
    with EmulatedPart(name, kept, elf) as part:
        train(part.target, lesson.halves[1])
        return part.target.state()


def uninterrupted_state(name: str, lesson: Lesson) -> bytes:
    """Train an emulated board that keeps nothing: all steps at once."""
    if lesson.name != FLOAT:
        raise Missing(f"room for {lesson.name} on {name}")
    firmware(name, lesson.name)
    with open_target(f"qemu:{name}") as target:
        target.load_image(lesson.image)
        for half in lesson.halves:
            train(target, half)
        return target.state()


def before_the_cut(target: Target, lesson: Lesson) -> None:
    """Train the first half, save, and train a step that will be lost."""
    first, second = lesson.halves
    target.load_image(lesson.image)
    train(target, first)
    target.save()
    train(target, second[:1])


def firmware(name: str, lesson: str = "int8") -> Path:
    """Build a board's firmware, which is for these images alone if int8 has no room beside all else."""
    if name != FOR_OWN_IMAGES or lesson == FLOAT:
        scons_firmware(board=name)
        reported = missing(name)
        if reported:
            raise Missing(reported)
        return default_firmware(name)
    models = [write_model(each) for each in next(lessons for lessons in OWN_LESSONS if lesson in lessons)]
    scons_firmware(f"MODEL={','.join(map(str, models))}", board=name)
    return default_firmware(name).parents[1] / f"{name}-{models[0].stem}" / "firmware.elf"


def require(*tools: str) -> None:
    """Raise Missing for a program that is not there."""
    for tool in tools:
        if shutil.which(tool) is None:
            raise Missing(tool)


# ---- The table ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ways:
    """How each kind of form does a lesson: functions of the form's name, the lesson, and a folder."""

    twin: Callable[..., bytes] = twin_state
    compiled: Callable[..., bytes] = compiled_state
    linux: Callable[..., bytes] = linux_state
    wasm: Callable[..., bytes] = wasm_state
    board: Callable[..., bytes] = board_state


def rows(ways: Ways = Ways()) -> Iterator[Row]:
    """Yield every form of the runtime."""
    for profile in PROFILES:
        yield Row(f"twin, {profile}", profile, partial(ways.twin, profile))
    for name in COMPILERS:
        for profile in PROFILES:
            yield Row(f"this computer, {name}, {profile}", profile, partial(ways.compiled, name, profile))
    for processor in CROSS_TARGETS:
        yield Row(f"{processor.name}, Linux", "fused", partial(ways.linux, processor))
    for form in ("simd", "plain"):
        yield Row(f"wasm, {form}", "strict", partial(ways.wasm, form))
    for name, core in BOARDS.items():
        yield Row(f"{core}, {name}", board(name).profile, partial(ways.board, name))


def found_digest(row: Row, lesson: object) -> str:
    """Return the digest of a row's state. Raises Missing."""
    with tempfile.TemporaryDirectory() as folder:
        return digest(row.train(lesson, Path(folder)))


def main() -> int:
    """Print the table, and return the number of states that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=STEPS, help=f"training steps (default: {STEPS})")
    parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains this")
    parser.add_argument("--lesson", choices=LESSONS, help="this lesson alone")
    given = parser.parse_args()
    differing = compared = 0
    for name in [given.lesson] if given.lesson else LESSONS:
        lesson = Lesson(name, given.steps)
        wanted = {profile: expected(lesson, profile) for profile in PROFILES}
        for profile in PROFILES if name in FLOATS else PROFILES[-1:]:
            print(f"{name}, {given.steps} steps: {wanted[profile]}, the {profile} twin without an interruption")
        for row in (row for row in rows() if given.only in row.name):
            try:
                found = found_digest(row, lesson)
            except Missing as lack:
                print(f"  {row.name:32} not run: {lack}")
                continue
            same = found == (wanted.get(row.profile) or expected(lesson, row.profile))
            differing, compared = differing + (not same), compared + 1
            print(f"  {row.name:32} {row.profile} {found[:32]} {'yes' if same else 'NO'}", flush=True)
    print(f"all {compared} states are the twin's" if not differing else f"{differing} of {compared} states differ")
    return differing


if __name__ == "__main__":
    raise SystemExit(main())

"""Session on MicroPython, beside CPython's: the same script, errors, memory, files, and what it all weighs."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gradmote
from bindings import micropython
from bindings.digits import check_export
from bindings.row import Missing, Row
from bindings.same_state import expected, image, write_model
from gradmote import Session, compile_model, losses, optimizers
from gradmote.artifacts.export_table import export_table
from gradmote.compiler.options import Options, StoreOptions
from gradmote.generated.console import FAULTS
from gradmote.generated.errors import ERRORS
from runtime_sources import ROOT
from support import digits

pytestmark = pytest.mark.toolchain

FOLDER = Path(__file__).parent
STEPS = 25
CLASSES = ["nul", "een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def here() -> Path:
    """Return MicroPython for this computer; skip the test if it cannot be built."""
    try:
        return micropython.program_or_missing()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def firmware() -> Path:
    """Return the firmware of the emulated board; skip the test if it cannot be built."""
    try:
        return micropython.firmware_or_missing()
    except Missing as missing:
        pytest.skip(str(missing))


def run(script: str, *arguments: Path | str, path: list[Path] | None = None) -> str:
    return micropython.run_here(["-c", script, *map(str, arguments)], path or [])


# ---- The same bits, and the same script ------------------------------------------------------------------------------


@pytest.mark.parametrize("row", micropython.ROWS, ids=lambda row: row.name)
def test_a_row_ends_in_the_state_of_its_twin(row: Row, model: Path) -> None:
    try:
        assert row.run(model, STEPS) == expected(row.profile, STEPS)
    except Missing as missing:
        pytest.skip(str(missing))


def test_one_script_prints_the_same_on_cpython_and_micropython(here: Path, tmp_path: Path) -> None:
    options, adamw = Options(batch=2, store=StoreOptions(12), classes=CLASSES), optimizers.adamw(0.003)
    made = compile_model(digits.model(), losses.cross_entropy(), adamw, options)
    files = [tmp_path / "model.mote", tmp_path / "accumulating.mote", tmp_path / "other.gmck"]
    files[0].write_bytes(made.image)
    files[1].write_bytes(digits.image(adamw, batch=2, accumulate=True))
    files[2].write_bytes(Session(digits.image(optimizers.sgd(0.1), 1), "strict").save())
    script = [str(FOLDER / "scripts" / "session.py"), *map(str, files)]
    done = subprocess.run([sys.executable, *script], capture_output=True, text=True, check=True)
    assert micropython.run_here(script, []).splitlines() == done.stdout.splitlines()


def test_session_has_every_public_name_of_cpythons(here: Path, model: Path) -> None:
    script = "import sys\nfrom gradmote import Session\ns = Session(open(sys.argv[1], 'rb').read())\n"
    script += "print(' '.join(name for name in sys.argv[2:] if not hasattr(s, name)))"
    names = [name for name in dir(Session(image())) if not name.startswith("_")]
    assert run(script, model, *names).split() == []


EXPORT = """
import sys
from array import array
from gradmote import Session
session = Session(open(sys.argv[1], 'rb').read())
session.step(array('f', [0.5] * 64), array('i', [3]))
with open(sys.argv[4], 'wb') as checkpoint:
    session.save_to(checkpoint)
with open(sys.argv[2], 'rb') as table, open(sys.argv[3], 'wb') as out:
    session.export_model_to(table, out)
with open(sys.argv[2], 'rb') as table, open(sys.argv[3], 'rb') as out:
    print(session.export_model(table) == out.read())
with open(sys.argv[2], 'rb') as table, open(sys.argv[3], 'rb') as out:
    print(session.export_model(table.read()) == out.read())
"""


def test_a_model_goes_to_a_file_as_onnx(here: Path, model: Path, tmp_path: Path) -> None:
    (tmp_path / "model.gmex").write_bytes(export_table(digits.model(), model.read_bytes()))
    paths = [tmp_path / name for name in ("model.gmex", "trained.onnx", "trained.gmck")]
    assert run(EXPORT, model, *map(str, paths)).split() == ["True", "True"]
    check_export(tmp_path)


def test_every_code_has_the_words_of_cpythons_fault(here: Path) -> None:
    script = "from gradmote_errors import ERRORS\nfor code in sorted(ERRORS): print(code, '|'.join(ERRORS[code]))"
    wanted = [f"{code} {'|'.join(entry)}" for code, entry in sorted({**ERRORS, **FAULTS}.items())]
    assert run(script, path=[micropython.GENERATED]).splitlines() == wanted


# ---- Memory ----------------------------------------------------------------------------------------------------------

NO_ALLOCATION = """
import gc, micropython, sys
from array import array
Session = __import__(sys.argv[2]).Session
session = Session(open(sys.argv[1], 'rb').read())
data = (array('f', [0.5] * 64), array('i', [3])), (bytearray(256), bytes(4)), (memoryview(bytes(256)), b'\\x07')
def grown(steps):
    before = gc.mem_alloc()
    for k in range(steps):
        pixels, label = data[k % 3]
        session.step(pixels, label)
    return gc.mem_alloc() - before
def locked(steps):
    micropython.heap_lock()
    for k in range(steps):
        loss = session.step(data[0][0], data[0][1])
    micropython.heap_unlock()
    return loss
gc.collect()
print(grown(100), locked(1000) > 0)
session = Session(open(sys.argv[1], 'rb').read())
losses = [session.step(data[0][0], data[0][1]) for k in range(300)]
print(len(set(losses)) > 250, losses[-1] < losses[0])
"""


@pytest.mark.parametrize("form", ["user module", "native module"])
def test_a_step_allocates_nothing(here: Path, model: Path, tmp_path: Path, form: str) -> None:
    name = "gradmote"
    if form == "native module":
        name = "gradmote_native"
        module = micropython.module_or_missing("x64", model, fused=False, core=False)
        (tmp_path / f"{name}.mpy").write_bytes(module.read_bytes())
    assert run(NO_ALLOCATION, model, name, path=[tmp_path]).split() == ["0", "True", "True", "True"]


IN_PLACE = """
import gc, sys
from gradmote import Session
data = open(sys.argv[1], 'rb').read()
def grown(image):
    gc.collect()
    before = gc.mem_alloc()
    session = Session(image)
    taken = gc.mem_alloc() - before
    session.close()
    return taken
writable = bytearray(data)
print(grown(data) < grown(writable) - len(data) + 100, grown(data) < grown(memoryview(data)[:]) + 100)
print(grown(b'.' + data[:0] + data) if False else grown(memoryview(b'.' + data)[1:]) > grown(data) + len(data) - 100)
session = Session(writable)
writable[:] = bytes(len(writable))
session.reset()
print(session.requirements()['batch'])
"""


def test_an_image_that_nobody_can_write_to_is_used_in_place(here: Path, model: Path) -> None:
    assert run(IN_PLACE, model).split() == ["True", "True", "True", "1"]


def test_a_native_module_for_a_cortex_m4f_is_small(model: Path) -> None:
    try:
        module = micropython.module_or_missing("armv7emsp", model, fused=True)
    except Missing as missing:
        pytest.skip(str(missing))
    built = module.read_bytes()
    assert len(built) <= 26 * 1024
    assert str(ROOT).encode() not in built, "its bytes, and its size, would depend on the folder"


# ---- Files -----------------------------------------------------------------------------------------------------------

POWER_CUTS = """
import os, sys, vfs
from array import array
import gradmote
from gradmote import Session

class Cut(Exception):
    pass

class Disk:
    def __init__(self, data): self.data, self.left = data, None
    def readblocks(self, n, to, at=0):
        to[:] = memoryview(self.data)[512 * n + at : 512 * n + at + len(to)]
    def writeblocks(self, n, what, at=0):
        if self.left is not None:
            if self.left <= 0: raise Cut
            self.left -= 1
        self.data[512 * n + at : 512 * n + at + len(what)] = what
    def ioctl(self, op, arg):
        return len(self.data) // 512 if op == 4 else 512 if op == 5 else 0

def mount(disk):
    vfs.mount(vfs.VfsLfs2(disk), '/flash')
    os.chdir('/flash')

def save(session):
    with open('/flash/new.gmck', 'wb') as file:
        session.save_to(file)
    os.rename('/flash/new.gmck', '/flash/kept.gmck')

image = open(sys.argv[1], 'rb').read()
disk = Disk(bytearray(512 * 400))
vfs.VfsLfs2.mkfs(disk)
mount(disk)
session = Session(image)
old = session.save()
save(session)
session.step(array('f', [0.5] * 64), array('i', [3]))
new = session.save()
vfs.umount('/flash')
start = bytes(disk.data)
def writes_of_a_save():
    disk = Disk(bytearray(start))
    mount(disk)
    disk.left = 100000
    save(session)
    vfs.umount('/flash')
    return 100000 - disk.left

writes = writes_of_a_save()
found = set()
for cut in list(range(0, writes - 40, 23)) + list(range(writes - 40, writes + 1)):
    disk = Disk(bytearray(start))
    mount(disk)
    disk.left = cut
    try:
        save(session)
        whole = True
    except (Cut, OSError):
        whole = False
    found_there = Disk(bytearray(disk.data))
    disk.left = None
    vfs.umount('/flash')
    mount(found_there)
    other = Session(image)
    with open('/flash/kept.gmck', 'rb') as file:
        other.load(file)
    state = other.save()
    assert state == (new if whole else state) and state in (old, new), cut
    found.add((whole, state == new))
    try:
        with open('/flash/new.gmck', 'rb') as file:
            other.load(file)
        assert other.save() == new
    except (OSError, gradmote.RuntimeFault):
        pass
    vfs.umount('/flash')
print(writes > 50, sorted(found))
"""


def test_a_save_that_is_cut_at_any_write_leaves_a_whole_checkpoint(here: Path, model: Path) -> None:
    reported = run(POWER_CUTS, model).splitlines()[-1]  # the port also names files that it could not close
    assert reported.startswith("True") and "(False, False)" in reported and "(True, True)" in reported


STREAMS = """
import io, sys
from array import array
import gradmote
from gradmote import Session
image = open(sys.argv[1], 'rb').read()
session = Session(image)
initial = session.save()
for i in range(3): session.step(array('f', [0.5] * 64), array('i', [3]))
kept, half = session.save(), session.save(True)
for wanted, packed in ((kept, False), (half, True)):
    file = io.BytesIO()
    assert session.save_to(file, packed) == len(wanted) and file.getvalue() == wanted
    session.reset()
    session.load(file)
    session.load(kept)
file = io.BytesIO(kept)
session.reset()
assert session.carry_over(file) > 4
session.load(kept)

class Torn(io.IOBase):
    def __init__(self, data, fails): self.data, self.at, self.reads, self.fails = data, 0, 0, fails
    def readinto(self, to):
        self.reads += 1
        if self.reads == self.fails: raise ValueError('the card was pulled out')
        part = self.data[self.at : self.at + len(to)]
        to[: len(part)] = part
        self.at += len(part)
        return len(part)
    def ioctl(self, op, arg):
        import uctypes
        if op != 2: return 0
        seek = uctypes.struct(arg, {'offset': 0 | uctypes.INT64, 'whence': 8 | uctypes.INT32})
        self.at = seek.offset + (len(self.data) if seek.whence == 2 else 0)
        seek.offset = self.at
        return 0

reads = Torn(kept, 0)
session.load(reads)
assert session.save() == kept
states = set()
for fails in range(1, reads.reads + 1):
    session.load(kept)
    try:
        session.load(Torn(kept, fails))
        assert False
    except ValueError:
        states.add(session.save() == kept)
        assert session.save() in (kept, initial), fails
print(sorted(states))
for cut in (b'', kept[:40], kept[:-1]):
    try:
        session.load(io.BytesIO(cut))
        assert False
    except gradmote.RuntimeFault as error:
        print(error.name)
"""


def test_streams_take_and_give_checkpoints(here: Path, model: Path) -> None:
    reported = run(STREAMS, model).split("\n")
    assert "True" in reported[0] or "False" in reported[0]
    assert reported[1:4] == ["TRUNCATED"] * 3


# ---- A model in flash ------------------------------------------------------------------------------------------------


def test_an_image_in_the_firmware_is_used_from_there(firmware: Path) -> None:
    script = """
import gc, gradmote
gc.collect()
before = gc.mem_alloc()
session = gradmote.Session(gradmote.image)
print(gc.mem_alloc() - before - session.requirements()['arena_size'], len(gradmote.image), session.profile)
"""
    with micropython.emulated(firmware) as board:
        more, size, profile = board.run(script).split()
    assert int(size) == len(image()) and profile == "strict"
    assert int(more) < 4096 < int(size)


# ---- Examples, and builds for boards that are not here ---------------------------------------------------------------

MACHINE = """
import sys
class Pin:
    IN = PULL_UP = 0
    held = None
    def __init__(self, number, *rest): self.number = number
    def value(self): return 0 if Pin.held == self.number else 1
class ADC:
    at = 0
    def __init__(self, pin): pass
    def read_u16(self):
        ADC.at += 1
        if Pin.held is None: return 32768
        return 65535 if ADC.at // (2 if Pin.held == 14 else 16) % 2 else 0
"""

TAUGHT = """
import sys, time
sys.path.append(sys.argv[2])
import os
os.chdir(sys.argv[1])
import machine, pico_windows
pico_windows.SAVE_EVERY = 1
pico_windows.time = type('time', (), {'sleep_ms': staticmethod(lambda ms: None)})
pico_windows.run(6)
for held in (14, 15, None) * 4:
    machine.Pin.held = held
    pico_windows.run(4 if held else 1)
machine.Pin.held = 14
pico_windows.pressed = lambda buttons: None
pico_windows.run(1)
machine.Pin.held = 15
pico_windows.run(1)
print(sorted(name for name in os.listdir() if name.endswith('.gmck')))
"""


def test_the_picos_example_learns_what_its_buttons_say(here: Path, tmp_path: Path) -> None:
    examples = micropython.micropython.BINDING / "examples"
    subprocess.run([sys.executable, str(examples / "window_model.py")], cwd=tmp_path, check=True)
    options = Options(batch=4, store=StoreOptions(24))
    made = compile_model(tmp_path / "window.onnx", losses.cross_entropy(), optimizers.adamw(0.01), options)
    (tmp_path / "window.mote").write_bytes(made.image)
    (tmp_path / "machine.py").write_text(MACHINE)
    reported = run(TAUGHT, tmp_path, examples, path=[tmp_path, examples]).splitlines()
    assert [line.split()[:2] for line in reported[-3:-1]] == [["class", "1"], ["class", "2"]]
    assert reported[-1] == "['window.gmck']"


def test_the_esp32s_example_uses_what_a_computer_trained(here: Path, model: Path, tmp_path: Path) -> None:
    script = """
import os, sys
os.chdir(sys.argv[1])
import machine, esp32_trained_from_afar as example
example.gradmote_console.serve = lambda: None
example.main()
os.rename('later.mote', 'model.mote')
example.main()
"""
    (tmp_path / "later.mote").write_bytes(model.read_bytes())
    (tmp_path / "machine.py").write_text(MACHINE)
    path = [tmp_path, micropython.micropython.BINDING / "examples", micropython.MODULES, micropython.GENERATED]
    reported = run(script, tmp_path, path=path).splitlines()
    assert reported[0].startswith("no model yet") and reported[1].startswith("class ")


def test_the_package_for_mip_names_files_that_are_there() -> None:
    binding = micropython.micropython.BINDING
    package = json.loads((binding / "package.json").read_text())
    named = {name: binding / source for name, source in package["urls"]}
    assert all(path.is_file() and path.name == name for name, path in named.items())
    assert set(named) == {path.name for folder in ("python", "generated") for path in (binding / folder).glob("*.py")}
    assert package["version"] == gradmote.__version__


def test_the_build_file_of_cmake_compiles_module_and_runtime(firmware: Path, tmp_path: Path) -> None:
    """It is for ports whose kits are not here: rp2 and esp32. CMake reads it, and the module compiles for a Pico."""
    if not all(map(shutil.which, ("cmake", "arm-none-eabi-gcc"))):
        pytest.skip("apt-get install cmake gcc-arm-none-eabi")
    binding = micropython.micropython.BINDING / "gradmote"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(port C)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n"
        f"add_library(usermod INTERFACE)\ninclude({binding}/micropython.cmake)\n"
        "file(WRITE port.c)\nadd_library(port STATIC port.c)\ntarget_link_libraries(port PRIVATE usermod)\n"
    )
    flags = "-DGM_ONLY_SELECTED=1 -DGM_WITH_GEMM=1"
    options = [
        f"-DGRADMOTE_FLAGS={flags}",
        "-DCMAKE_C_COMPILER=arm-none-eabi-gcc",
        "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
    ]
    subprocess.run(["cmake", *options, "."], cwd=tmp_path, check=True, capture_output=True)
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    names = {Path(entry["file"]).name for entry in commands}
    assert {"module.c", "session_class.c", "gemm.c", "open.c", "adamw.c"} <= names and "libc.c" not in names
    port = micropython.micropython.fetch_micropython()
    more = ["-mcpu=cortex-m0plus", "-mthumb", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    more += [
        "-DMICROPY_HEAP_SIZE=1",
        "-DMICROPY_ROM_TEXT_COMPRESSION=0",
        f"-I{port / 'ports' / 'qemu'}",
        f"-I{port}",
        f"-I{firmware.parent}",
    ]
    for entry in commands:
        if Path(entry["file"]).parent == binding:
            assert "-ffp-contract=off" in entry["command"] and "GM_WITH_GEMM=1" in entry["command"]
            subprocess.run([*shlex.split(entry["command"]), *more], cwd=tmp_path, check=True)


def test_parameters_of_an_image_without_names_have_their_numbers(here: Path, tmp_path: Path) -> None:
    made = compile_model(digits.model(), losses.cross_entropy(), optimizers.sgd(0.1), Options(strip_names=True))
    (tmp_path / "model.mote").write_bytes(made.image)
    script = "import sys\nfrom gradmote import Session\ns = Session(open(sys.argv[1], 'rb').read())\n"
    script += "print(s.parameter_names(), [len(s.parameter(name)) for name in s.parameter_names()])"
    assert run(script, tmp_path / "model.mote") == "['0', '1', '2', '3'] [2048, 32, 320, 10]\n"

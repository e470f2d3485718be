"""The crate for Rust: its own tests, the twin's bits here and on a board, lifetimes that do not compile, and clippy and
rustdoc without a warning. The crate is what `gradmote sources` writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from bench.builds.cmake import Case
from bench.builds.rust import cargo, on_board, source_of_core

from gradmote.project.c_sources import write_sources
from runtime_sources import host_runs_fused
from support import train_state

pytestmark = pytest.mark.skipif(shutil.which("cargo") is None, reason="apt-get install cargo")

#: What must not compile -> what rustc says of it.
WRONG = {
    "the arena is used by two sessions": (
        "let mut arena = arena(); let a = Session::open(IMAGE, &mut arena).unwrap();"
        "let b = Session::open(IMAGE, &mut arena).unwrap(); drop(a); drop(b);",
        "E0499",
    ),
    "the arena does not live as long as the session": (
        "let session = { let mut arena = arena(); Session::open(IMAGE, &mut arena).unwrap() }; drop(session);",
        "E0597",
    ),
    "an output is read after the next program": (
        "let mut arena = arena(); let mut session = Session::open(IMAGE, &mut arena).unwrap();"
        "let output = session.output(0).unwrap(); session.infer().unwrap(); drop(output.elements::<f32>());",
        "E0502",
    ),
    "a session is shared by threads": (
        "let mut arena = arena(); let session = Session::open(IMAGE, &mut arena).unwrap();"
        "std::thread::scope(|s| { s.spawn(|| session.learning_rate()); });",
        "E0277",
    ),
    "an element has no type of the runtime": (
        "let mut arena = arena(); Session::open(IMAGE, &mut arena).unwrap().set_input(0, &[0f64]).unwrap();",
        "E0277",
    ),
}
START = """use std::mem::MaybeUninit;
use gradmote::{Aligned, Arena, Image, Session};
static IMAGE: &Image = &Aligned([0; 64]);
fn arena() -> Box<Arena> { Box::new(Aligned([MaybeUninit::uninit(); 64])) }
"""


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(tmp_path_factory.mktemp("case"))


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory, case: Case) -> Path:
    return write_sources(tmp_path_factory.mktemp("crate") / "gradmote", [case.files[0]])


@pytest.mark.parametrize("profile", ["strict", "fused"])
def test_it_trains_to_the_twins_bits(profile: str, crate: Path, case: Case) -> None:
    if profile == "fused" and not host_runs_fused():
        pytest.skip("this CPU has no fused multiply-add")
    done = cargo(crate, "run", "--features", profile, "--example", "train_state", "--", *map(str, case.files))
    assert done.returncode == 0, done.stderr
    assert done.stdout == train_state.said_by_twin(case.image, case.batches, profile)


@pytest.mark.skipif(source_of_core() is None, reason="apt-get install rustc-web rust-web-src")
@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="apt-get install qemu-system-arm")
def test_a_cortex_m4f_trains_to_the_twins_bits(crate: Path, case: Case, tmp_path: Path) -> None:
    said, _ = on_board(crate, case, tmp_path)
    assert said == train_state.said_by_twin(case.image, case.batches, "strict")


def test_its_own_tests_pass(crate: Path, case: Case) -> None:
    done = cargo(crate, "test", "--features", "strict", GRADMOTE_MODEL=str(case.files[0]))
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_own_tests_touch_no_memory_of_others(crate: Path, case: Case) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    runner = "valgrind --quiet --error-exitcode=1"
    done = cargo(crate, "test", "--features", "strict", "--tests", GRADMOTE_MODEL=str(case.files[0]),
                 CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=runner)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", WRONG)
def test_lifetimes_and_types_are_checked(name: str, crate: Path) -> None:
    code, error = WRONG[name]
    source = crate / "examples" / "wrong.rs"
    source.write_text(f"{START}fn main() {{ {code} }}\n")
    try:
        done = cargo(crate, "check", "--features", "strict", "--example", "wrong")
    finally:
        source.unlink()
    assert done.returncode != 0 and f"error[{error}]" in done.stderr, done.stderr


def test_what_is_right_compiles(crate: Path) -> None:
    """The frame of the wrong programs is not what is wrong with them."""
    source = crate / "examples" / "wrong.rs"
    source.write_text(
        f"{START}fn main() {{ let mut arena = arena(); assert!(Session::open(IMAGE, &mut arena).is_err()); }}\n"
    )
    try:
        done = cargo(crate, "check", "--features", "strict", "--example", "wrong")
    finally:
        source.unlink()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [
    ("clippy", "--all-targets", "--", "-D", "warnings"), ("doc", "--no-deps"), ("fmt", "--check"),
], ids=["clippy", "doc", "fmt"])  # fmt: skip
def test_it_has_no_warning(words: tuple[str, ...], crate: Path) -> None:
    if shutil.which(f"cargo-{words[0]}") is None and words[0] != "doc":
        pytest.skip(f"cargo {words[0]} is not installed")
    done = cargo(crate, *words, RUSTDOCFLAGS="-D warnings") if words[0] != "fmt" else subprocess.run(
        ["cargo", *words], cwd=crate, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr

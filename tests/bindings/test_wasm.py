"""`gradmote wasm`: modules with only the kernels of some images, from a checkout and from an installed package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import wasm_module
from bindings.test_node import images, network, twin_digest
from gradmote.cli import main
from gradmote.sources import parts as sources
from support import npm_package

#: Bytes of each module for the MLP under brotli.
LIMIT = 14_700


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with images."""
    npm_package.require()
    found = tmp_path_factory.mktemp("images")
    for name in ("accumulate", "infer", "step"):
        (found / f"{name}.mote").write_bytes(images()[name])
    (found / "lenet.mote").write_bytes(network("lenet", 2))
    return found


@pytest.mark.parametrize("name", ["accumulate", "lenet", "step"])
def test_a_models_own_modules_reach_its_bits(folder: Path, tmp_path: Path, name: str) -> None:
    model = folder / f"{name}.mote"
    assert main(["wasm", str(model), "-o", str(tmp_path)]) == 0
    for form in wasm_module.FORMS:
        found = npm_package.node("same_state.mjs", model, 5, form, 10, tmp_path).split()[-1]
        assert found == twin_digest(model.read_bytes(), 5, 10)
        whole = npm_package.ROOT / "build" / "wasm" / wasm_module.file_name(form)
        assert (tmp_path / whole.name).stat().st_size < 0.7 * whole.stat().st_size


def test_a_module_has_rounds_where_it_is_asked_to(folder: Path, tmp_path: Path) -> None:
    model = str(folder / "step.mote")
    for options, exported in (([], set()), (["--rounds"], set(wasm_module.round_exports()))):
        assert main(["wasm", model, "-o", str(tmp_path), *options]) == 0
        reported = json.loads(npm_package.node("exports.mjs", tmp_path / "gradmote.wasm"))
        assert set(reported["exports"]) & set(wasm_module.round_exports()) == exported


def test_a_module_refuses_other_models(folder: Path, tmp_path: Path) -> None:
    assert main(["wasm", str(folder / "infer.mote"), "-o", str(tmp_path)]) == 0
    with pytest.raises(AssertionError, match="this build of the runtime lacks an instruction"):
        npm_package.node("same_state.mjs", folder / "lenet.mote", 1, "plain", 10, tmp_path)


def test_one_module_for_several_models(folder: Path, tmp_path: Path) -> None:
    both = [str(folder / "lenet.mote"), str(folder / "accumulate.mote")]
    assert main(["wasm", *both, "-o", str(tmp_path)]) == 0
    for model in both:
        npm_package.node("same_state.mjs", model, 1, "simd", 10, tmp_path)


def test_an_mlps_module_is_small(folder: Path, tmp_path: Path) -> None:
    assert main(["wasm", str(folder / "accumulate.mote"), "-o", str(tmp_path)]) == 0
    for form in wasm_module.FORMS:
        assert int(npm_package.node("brotli.mjs", tmp_path / wasm_module.file_name(form))) <= LIMIT


def test_from_the_sources_of_a_package(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sources that a wheel carries are enough: a module of these has the bytes of the checkout's."""
    copied = tmp_path / "sources"
    sources.copy_sources(copied, (*sources.PARTS, *sources.FOR_WASM))
    script = "import sys, wasm_module; from pathlib import Path; wasm_module.build_module(Path(sys.argv[1]), 'plain')"
    command = [sys.executable, "-c", script, str(tmp_path / "found.wasm")]
    monkeypatch.setenv("PYTHONPATH", str(copied / "site_scons"))
    npm_package.run(*command, folder=tmp_path)
    assert (tmp_path / "found.wasm").read_bytes() == (
        npm_package.ROOT / "build" / "wasm" / "gradmote.wasm"
    ).read_bytes()


def test_clang_does_as_well(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm_module, "find_spec", lambda _: None)
    found = wasm_module.find_compiler()
    if found is None or not found.title.startswith("clang"):
        pytest.skip("there is no clang with wasm-ld")
    model = folder / "accumulate.mote"
    assert main(["wasm", str(model), "-o", str(tmp_path)]) == 0
    for form in wasm_module.FORMS:
        assert npm_package.node("same_state.mjs", model, 5, form, 10, tmp_path).split()[-1] == twin_digest(
            model.read_bytes(), 5, 10
        )


def test_without_a_compiler_a_line_says_what_to_install(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(wasm_module, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["wasm", str(folder / "infer.mote"), "-o", str(tmp_path / "out")]) == 1
    reported = capsys.readouterr().err
    assert "there is no compiler for WebAssembly" in reported and "pip install ziglang" in reported
    assert not list((tmp_path / "out").glob("*.wasm"))

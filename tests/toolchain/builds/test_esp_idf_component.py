"""ESP-IDF's own tools accept the component: its Kconfig files, and its manifest."""

from __future__ import annotations

import re
import shutil
import sys
import tarfile
from importlib.util import find_spec

import pytest
from bench.builds.cmake import ROOT, call

from amalgamate import version
from gradmote.project.c_sources import write_sources

RUNTIME = ROOT / "runtime_c"


@pytest.mark.parametrize("name", ["Kconfig", "Kconfig.options"])
def test_kconfig_is_in_their_style(name, tmp_path):
    """kconfcheck puts what it suggests beside a file, so it gets a copy."""
    if find_spec("kconfcheck") is None:
        pytest.skip("esp-idf-kconfig is not installed")
    shutil.copy(RUNTIME / name, tmp_path)
    call(sys.executable, "-m", "kconfcheck", tmp_path / name)


@pytest.mark.parametrize("tree", [False, True], ids=["one source", "folders"])
def test_the_registry_would_take_the_component(tree, tmp_path):
    """`compote component pack` checks the manifest as an upload does."""
    if find_spec("idf_component_manager") is None:
        pytest.skip("idf-component-manager is not installed")
    made = write_sources(tmp_path / "gradmote", tree=tree)
    compote = [sys.executable, "-m", "idf_component_manager"]
    call(*compote, "component", "pack", "--name", "gradmote", "--project-dir", made, "--dest-dir", tmp_path)
    with tarfile.open(tmp_path / f"gradmote_{version()}.tgz") as archive:
        packed = {name.removeprefix("./") for name in archive.getnames()}
    source = "src/open.c" if tree else "gradmote.c"
    assert packed >= {source, "CMakeLists.txt", "Kconfig", "Kconfig.options", "cmake/esp_idf.cmake", "LICENSE"}


@pytest.mark.parametrize("name, pattern", [
    ("runtime_c/idf_component.yml", r'^version: "(.+)"$'),
    ("bindings/rust/Cargo.toml", r'^version = "(.+)"$'),
])  # fmt: skip
def test_a_package_has_the_version_of_the_header(name, pattern):
    assert re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE) == [version()]

"""The CMSIS-Pack names what is in it, and a project with its files trains to the twin's bits.

Arm's own schema and packchk judge it by hand, as neither is here: docs/RELEASING.md.
"""

from __future__ import annotations

import dataclasses
import subprocess
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest
from bench.builds.arm_projects import PACK, added_by_pack, linked, missing
from bench.builds.cmake import Case, run
from dist import cmsis_pack, package_audits, published

from amalgamate import one_source, version
from gradmote.project.cmsis_pack import DESCRIPTION, options_header
from runtime_sources import RUNTIME
from support import train_state


@pytest.fixture
def pack(tmp_path, monkeypatch):
    """The archive."""
    monkeypatch.setattr(cmsis_pack, "OUT", tmp_path)
    monkeypatch.setattr(cmsis_pack, "WORK", tmp_path)
    return cmsis_pack.package()


def described(pack):
    with zipfile.ZipFile(pack) as archive:
        return ElementTree.fromstring(archive.read(DESCRIPTION))


def test_its_description_is_consistent(pack):
    root = described(pack)
    assert pack.name == f"{root.findtext('vendor')}.{root.findtext('name')}.{version()}.pack"
    versions = [element.attrib[name] for element in root.iter() for name in ("version", "Cversion")
                if name in element.attrib]  # fmt: skip
    assert len(versions) == 3 and set(versions) == {version()}
    conditions = {condition.attrib["id"] for condition in root.iter("condition")}
    assert {component.attrib["condition"] for component in root.iter("component")} == conditions
    assert root.attrib["schemaVersion"] and [len(root.findall(name)) for name in ("url", "releases")] == [1, 1]


def test_it_has_the_files_that_it_names(pack):
    root = described(pack)
    named = {root.findtext("license"), *(file.attrib["name"] for file in root.iter("file"))}
    with zipfile.ZipFile(pack) as archive:
        assert named | {DESCRIPTION} == set(archive.namelist())
        assert archive.read("gradmote.c").decode() == one_source()
    assert package_audits.audit(pack) == ""  # of a size that packages may have


def test_the_address_is_added_if_there_is_one(pack, monkeypatch):
    assert described(pack).findtext("url") == ""
    monkeypatch.setattr(published, "URL", "https://example.org/gradmote")
    root = described(cmsis_pack.package())
    assert root.findtext("url") == "https://example.org/gradmote/"
    assert "https://example.org/gradmote" in [file.attrib["name"] for file in root.iter("file")]


def test_the_options_are_those_of_kconfig(tmp_path):
    """As they are they define nothing; without its mark of a comment each leaves something out."""
    text = options_header()
    options = (RUNTIME / "Kconfig.options").read_text()
    names = [name for name in ("TRAINING", "WITH_INT8", "WITH_STORE", "WITH_ROUNDS", "ARCH") if name in options]
    for header, expected in ((text, set()), (text.replace("//#define", "#define"), {f"GM_{name}" for name in names})):
        (tmp_path / "options.h").write_text(header)
        done = subprocess.run(["gcc", "-E", "-dM", tmp_path / "options.h"], capture_output=True, text=True, check=True)
        assert {line.split()[1] for line in done.stdout.splitlines() if " GM_" in line} == expected
    assert len(names) == text.count("// <!c1>") == 5


@pytest.mark.parametrize("profile", ["strict", "fused"])
def test_a_project_with_its_files_trains_to_the_twins_bits(profile, pack, tmp_path):
    if lacks := missing(PACK):
        pytest.skip(f"{lacks} is not installed")
    row, case, project = dataclasses.replace(PACK, profile=profile), Case(tmp_path), tmp_path / "project"
    project.mkdir()
    with zipfile.ZipFile(pack) as archive:
        archive.extractall(tmp_path / "pack")
    program = linked(row, project, *added_by_pack(tmp_path / "pack", project, profile))
    assert run(row, program, case) == train_state.said_by_twin(case.image, case.batches, profile)

"""Tests of what packages for other languages say of themselves, and of a project that uses the JAR from a repository.

`./run dist` makes those for all platforms, and tries them by more tools (docs/RELEASING.md).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from dist import java_trials, maven, nuget, package_audits, published, swift_trials
from dist.commands import Failed, Missing
from dist.swift_package import PODSPEC, podspec
from dist.targets import TARGETS
from java_package import write_zip

from amalgamate import version
from bindings import same_state
from bindings.java import jar
from support.firmware import ROOT

ADDRESS = "https://example.org/gradmote"
HERE = next(target for target in TARGETS if target.name == "linux-x86_64")


def test_descriptions_have_what_registries_ask_for() -> None:
    package_audits.has_elements(maven.pom("gradmote").encode(), package_audits.OF_POM)
    package_audits.has_elements(nuget.nuspec().encode(), package_audits.OF_NUSPEC)
    assert {"name", "version", "summary", "license", "authors", "source_files"} <= set(json.loads(podspec()))


def test_descriptions_have_this_version(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(podspec())["version"] == version()
    for module, name in ((maven, "pom.xml"), (nuget, "Gradmote.nuspec")):
        monkeypatch.setattr(module, "version", lambda: "9.9.9")
        with pytest.raises(Failed, match=f"{name} has another version than 9.9.9"):
            maven.pom("gradmote") if module is maven else module.nuspec()


def test_an_address_is_added_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<url>" not in maven.pom("gradmote") and "projectUrl" not in nuget.nuspec()
    monkeypatch.setattr(published, "URL", ADDRESS)
    package_audits.has_elements(maven.pom("gradmote").encode(), ("url", "scm"))
    package_audits.has_elements(nuget.nuspec().encode(), ("projectUrl",))


def test_androids_description_is_of_an_aar() -> None:
    text = maven.pom("gradmote-android", "aar", "Experimental")
    assert "<artifactId>gradmote-android</artifactId>" in text and "<packaging>aar</packaging>" in text
    assert "<description>Experimental</description>" in text


def test_a_description_that_lacks_something_is_refused() -> None:
    with pytest.raises(Failed, match="lacks description, version"):
        package_audits.has_elements(b"<a><version/><id>x</id></a>", ("id", "version", "description"))
    with pytest.raises(Failed, match="is not XML"):
        package_audits.has_elements(b"<!-- a -- b --><a/>", ())


def test_the_podspec_takes_the_sources_of_the_swift_package() -> None:
    assert (ROOT / PODSPEC.name).exists()
    swift_trials.has_its_paths(ROOT)
    swift_trials.has_its_pods_paths(ROOT)


def test_swift_of_debian_builds_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="swiftlang"):
        swift_trials.builder()
    for name, command in (("swift-build", ["swift-build"]), ("swift", ["swift", "build"])):
        (tmp_path / name).touch(0o755)
        assert swift_trials.builder() == command


def test_the_same_files_make_the_same_archive(tmp_path: Path) -> None:
    for name in ("one.zip", "other.zip"):
        write_zip(tmp_path / name, {"b": b"1", "a": b"2"})
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "other.zip").read_bytes()
    assert package_audits.contents((tmp_path / "one.zip").read_bytes()) == {"b": b"1", "a": b"2"}


@pytest.mark.toolchain
@pytest.mark.skipif(shutil.which("javac") is None, reason="apt-get install default-jdk-headless")
def test_a_project_uses_the_jar_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JAR has the libraries of this computer, which SCons built."""
    name = f"gradmote-{version()}"
    files = {f"{name}.jar": jar().read_bytes(), f"{name}.pom": maven.pom("gradmote").encode()}
    archive = maven.repository(tmp_path / f"{name}-maven.zip", "gradmote", files)
    monkeypatch.setattr(package_audits, "TARGETS", (HERE,))
    monkeypatch.setattr(java_trials, "FOLDER", tmp_path / "trials")
    package_audits.audit(archive)
    repository = java_trials.unpacked(archive)
    model = same_state.write_model(tmp_path)
    for profile in ("fused", "strict"):
        assert java_trials.by_java(repository, model, 30, profile).split()[-1] == same_state.expected(profile, 30)
    assert java_trials.is_refused(repository) == "says what it has"
    assert java_trials.is_compared(repository) == "refused"

"""The site of the documentation: `./run docs` builds it, and it has what the C header declares."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import c_reference
import pytest
from bench.screenshots import OPTIONS
from markdown_it import MarkdownIt

from gradmote import artifacts, losses, optimizers, testing, training
from gradmote.studio import own_wheel
from support.firmware import run_scons

#: Programs that build the studio, which the site has if they are here.
NPM = ("node", "npm")
FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?(?:https?:)?//[^>]*>")


def run_docs(root: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `./run docs`. The studio is built before, in its turn: another test may build it at the same time."""
    if all(map(shutil.which, NPM)):
        run_scons("studio")
    command = [root / "run", "docs", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_fetches_nothing(root: Path, tmp_path: Path) -> None:
    done = run_docs(root, "--site-dir", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.html")}
    assert {"index.html", "api/session.html", "api/gradmote_h.html", "SPEC.html"} <= pages.keys()
    if (root / "build" / "studio").is_dir():  # else node is missing, which ./run reported
        assert all((tmp_path / "studio" / name).is_file() for name in ("index.html", "offline.js", own_wheel.NAME))
        assert 'href="../studio/index.html"' in pages["guides/data.html"]
    assert 'id="gradmote.Session.step"' in pages["api/session.html"]
    offered = {*artifacts.__all__, *losses.LOSSES, *optimizers.OPTIMIZERS, *training.__all__, *testing.__all__}
    described = {name for text in pages.values() for name in re.findall(r'id="gradmote\.[\w.]*?(\w+)"', text)}
    assert offered <= described
    assert [tag for text in pages.values() for tag in FETCHED.findall(text)] == []
    if shutil.which("chromium"):
        assert search_finds(tmp_path / "api" / "session.html", "checkpoint"), "opened as a file, without a server"
    for page in (root / "docs").rglob("*.md"):
        name = str(page.relative_to(root / "docs").with_suffix(".html"))
        assert blocks(pages[name].partition("<article")[2].partition("</article")[0]) == as_on_github(page), name


@pytest.mark.slow
@pytest.mark.parametrize("link", ["NO_SUCH_PAGE.md", "SPEC.md#no-such-heading"])
def test_a_link_that_leads_nowhere_is_refused(root: Path, tmp_path: Path, link: str) -> None:
    shutil.copytree(root / "docs", tmp_path / "docs")
    with (tmp_path / "docs" / "GLOSSARY.md").open("a") as page:
        page.write(f"[nowhere]({link})\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        f"INHERIT: {root / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: site\nplugins: []\n"
        f"hooks: [{root / 'site_scons' / 'docs_site.py'}]\n"
    )
    done = run_docs(root, "--config-file", config)
    assert done.returncode == 1 and "1 warnings in strict mode" in done.stdout + done.stderr
    assert "GLOSSARY.md" in done.stdout + done.stderr


def search_finds(page: Path, word: str) -> bool:
    """Return whether the search of a page, opened from its folder in a browser, has results for a word."""
    with tempfile.TemporaryDirectory() as profile:
        command = ["chromium", *OPTIONS, f"--user-data-dir={profile}", "--virtual-time-budget=20000", "--dump-dom"]
        done = subprocess.run([*command, f"{page.as_uri()}?q={word}"], capture_output=True, text=True, timeout=60)
    return "md-search-result__item" in done.stdout


def as_on_github(page: Path) -> Counter[str]:
    """Return how many headings, lists, tables and blocks of code a page has if Markdown is read as on GitHub."""
    return blocks(MarkdownIt("commonmark").enable("table").render(page.read_text()))


def blocks(html: str) -> Counter[str]:
    return Counter(re.findall(r"<(h2|h3|li|ol|pre|table|ul)[ >]", html))


@pytest.mark.parametrize("name", ["gradmote.h", "gm_config.h"])
def test_each_declaration_of_a_header_has_a_heading(root: Path, name: str) -> None:
    header = (root / "runtime_c/include" / name).read_text()
    without_comments = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    declared = set(re.findall(r"^(?:\w[\w *]*?|typedef .*?\(\*|\} )\*?(gm_\w+)\)?[(;]", without_comments, re.M))
    headings = re.findall(r"^### (.*)$", c_reference.page(header), re.M)
    assert declared - {one for heading in headings for one in heading.split(", ")} == set()
    assert len(headings) > 5


def test_a_comment_and_what_it_is_about_stay_together() -> None:
    page = c_reference.page(
        "/* The top.\n *\n *     int x;\n */\n#ifndef A_H\n#define A_H\n\n#include <a.h>\n\n/* ---- One ---- */\n\n"
        "#if GM_B\n/* Sets *out of `x`. */\nint gm_a(int x,\n         int *out);\n#endif\nint gm_b(void);\n\n#endif\n"
    )
    assert page == (
        "The top.\n\n    int x;\n\n## One\n\n### gm_a\n\nOnly where `GM_B` is 1.\n\nSets \\*out of `x`.\n\n"
        "```c\nint gm_a(int x,\n         int *out);\n```\n\n### gm_b\n\n```c\nint gm_b(void);\n```\n"
    )


def test_the_site_is_built_with_the_versions_that_tests_have(root: Path) -> None:
    """Both are installed in .venv, where one must not replace what the other needs."""
    pins = [dict(re.findall(r"^([\w.-]+)==(\S+)", file.read_text().lower(), re.M)) for file in requirements(root)]
    assert {name for name in pins[0].keys() & pins[1].keys() if pins[0][name] != pins[1][name]} == set()


def requirements(root: Path) -> list[Path]:
    return [root / ".ci" / f"requirements-{name}.txt" for name in ("docs", "test")]

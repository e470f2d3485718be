"""The pages lead somewhere: their links, and the front page's length."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from wrap_prose import too_wide, wrapped

ROOT = Path(__file__).parents[3]
PAGES = [
    "README.md",
    "CHANGELOG.md",
    "examples/README.md",
    *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("docs/**/*.md")),
]


#: How a page names a file: with a known ending, or a folder in front of it.
NAMED = re.compile(r"[\w.-]+(/[\w.-]+)*\.(py|c|h|hpp|toml|md|json|csv|ini)|[\w-][\w.-]*(/[\w.-]+)+/?")
#: What is built or downloaded, and entries of the npm package.
UNTRACKED = (".", "build/", "gradmote/build")
MADE = {"gradmote.c", "monocypher.c", "bindings/python/gradmote_runtime/_fused"}
MADE |= {"gradmote/infer", "gradmote/serial", "gradmote/board"}
MADE |= {"report.html", "report.json", "model.onnx"}


@cache
def files() -> set[str]:
    """Return the files and folders of the checkout, with each end of their paths."""
    folders = ("arduino", "bindings", "docs", "examples", "firmware", "host_tools", "runtime_c", "site_scons", "tests")
    paths = [path.relative_to(ROOT).parts for name in folders for path in (ROOT / name).rglob("*")]
    top = {path.name for path in ROOT.iterdir()}
    return top | set(folders) | {"/".join(parts[i:]) for parts in paths for i in range(len(parts))}


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and pictures, except those of other sites."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """Return the anchors that the headings of a page have on GitHub."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_what_is_there(name: str) -> None:
    for link in links(ROOT / name):
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), f"{name} links to {link}"
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{name} links to {link}"


@pytest.mark.parametrize("name", [name for name in PAGES if name != "CHANGELOG.md"])
def test_files_that_are_named_are_there(name: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(), flags=re.M | re.S)
    named = {path.strip("/") for path in re.findall(r"`([\w./-]+)`", text) if NAMED.fullmatch(path)}
    assert {path for path in named - MADE if "NAME" not in path and not path.startswith(UNTRACKED)} <= files()


@pytest.mark.parametrize("name", PAGES)
def test_prose_has_short_lines(name: str) -> None:
    assert too_wide((ROOT / name).read_text()) == [], "python site_scons/wrap_prose.py PAGE fills it anew"


def test_pages_are_wrapped_without_a_change_of_words() -> None:
    word = "lengthy "
    page = (
        f"# {word * 20}\n\n{word * 20}\n- {word * 20}\n  end `{word * 6}` - [a\n  b](c)\n   1. {word * 20}\n      end\n"
        f"| {word * 20} |\n\n    {word * 20}\n```\n{word * 20}\n```\n"
    )
    narrow = wrapped(page)
    assert narrow.split() == page.split() and too_wide(page) and not too_wide(narrow)
    assert wrapped(narrow) == narrow
    assert len([line for line in narrow.split("\n") if len(line) > 100]) == len(["heading", "table", "code", "fence"])


def test_the_front_page_is_short_and_its_picture_small() -> None:
    assert len((ROOT / "README.md").read_text().split("\n")) <= 120
    assert (ROOT / "docs" / "learning.svg").stat().st_size < 200_000


def test_guides_are_linked_from_the_front_page() -> None:
    linked = links(ROOT / "README.md")
    assert [path.name for path in ROOT.glob("docs/guides/*.md") if f"docs/guides/{path.name}" not in linked] == []

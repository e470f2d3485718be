"""Add the pages that are not in docs/ to the documentation site. This is a hook of mkdocs, named in mkdocs.yml.

Pages are written for the repository, whose links can lead to files of any kind. On the site, links to other pages stay,
and links to files that the site lacks become plain text.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "site_scons"))

import c_reference  # noqa: E402  (mkdocs loads this file by its path)
from wrap_prose import FENCED  # noqa: E402

#: Page of the site -> its file in the repository.
ELSEWHERE = {"index.md": "README.md", "CHANGELOG.md": "CHANGELOG.md", "examples.md": "examples/README.md"}
#: Page of the site -> its heading, and the names of the Python API that it describes.
PYTHON = {
    "compile": (
        "Compile a model",
        "gradmote.compile_model",
        "gradmote.compiler.options",
        "gradmote.compiler.compile.Result",
    ),
    "session": ("Session", "gradmote.Session"),
    "losses": ("Losses", "gradmote.losses"),
    "optimizers": ("Optimizers", "gradmote.optimizers"),
    "artifacts": ("Artifacts", "gradmote.artifacts"),
    "targets": ("Targets", "gradmote.open_target", "gradmote.device.target.Target", "gradmote.device.types"),
    "analyze": ("Analyze", "gradmote.report.analyze"),
    "training": ("Training, as in onnxruntime", "gradmote.training"),
    "onnxblock": (
        "Blocks, as in onnxruntime",
        "gradmote.onnxblock.block.Block",
        "gradmote.onnxblock.blocks",
        "gradmote.onnxblock.loss",
        "gradmote.onnxblock.optim",
        "gradmote.onnxblock.whole_models",
        "gradmote.onnxblock.base_model",
        "gradmote.onnxblock.state_files",
    ),
    "testing": ("Assertions for tests", "gradmote.testing"),
    "errors": ("Errors", "gradmote.errors"),
}
#: The studio page as `scons studio` builds it; the site has it under the same folder name.
STUDIO = ROOT / "build" / "studio"
HEADERS = {"gradmote_h": "runtime_c/include/gradmote.h", "gm_config_h": "runtime_c/include/gm_config.h"}
#: Code, which stays as it is; and links and pictures.
CHANGED = re.compile(r"^```.*?^```|`[^`\n]*`|\[(?P<text>[^\[\]]*)\]\((?P<target>[^)\s]+)\)", re.M | re.S)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are not in docs/, and the studio."""
    for name, content in pages().items():
        files.append(File.generated(config, name, content=content))
    for path in studio_files():
        uri = path.relative_to(STUDIO.parent).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_nav(nav: Navigation, **_: Any) -> Navigation:
    """Add the studio, which is not a page of the documentation, after the overview."""
    if studio_files():
        nav.items.insert(1, Link("Studio", "studio/index.html"))
    return nav


def studio_files() -> list[Path]:
    """Return the files of the built studio page, or none if it is not built."""
    return sorted(path for path in STUDIO.rglob("*") if path.is_file())


def pages() -> dict[str, str]:
    """Return each page that is not in docs/, as Markdown."""
    found = {name: (ROOT / path).read_text() for name, path in ELSEWHERE.items()}
    for name, (heading, *described) in PYTHON.items():
        entries = [entry for it in described for entry in (it, *hidden(it))]
        found[f"api/{name}.md"] = "\n\n".join([f"# {heading}", *(f"::: {entry}" for entry in entries)]) + "\n"
    for name, path in HEADERS.items():
        found[f"api/{name}.md"] = f"# {Path(path).name}\n\n{c_reference.page((ROOT / path).read_text())}"
    return found


def hidden(package: str) -> list[str]:
    """Return the names in a package that equal one of its modules', because mkdocstrings takes them for the module."""
    folder = ROOT / "host_tools" / package.replace(".", "/")
    if not folder.is_dir():
        return []
    imports = [
        node for node in ast.parse((folder / "__init__.py").read_text()).body if isinstance(node, ast.ImportFrom)
    ]
    names = [(node.module, alias.name) for node in imports for alias in node.names if node.level == 1]
    return [f"{package}.{module}.{name}" for module, name in names if (folder / f"{name}.py").exists()]


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Adapt links to the site, and lists to Python-Markdown."""
    parts = FENCED.split(markdown)
    text = "".join(part if index % 2 else indented(part) for index, part in enumerate(parts))
    return CHANGED.sub(lambda found: changed(found, page.file.src_uri), text)


def indented(text: str) -> str:
    """Indent the contents of lists by four spaces, and put an empty line before each item that follows a paragraph."""
    lines: list[str] = []
    width, has_paragraphs = 0, False
    for line in text.split("\n"):
        if item := re.match(r"(?:[-*]|\d+\.) +", line):
            if has_paragraphs and lines[-1]:
                lines.append("")
            width, has_paragraphs = len(item[0]), False
        elif width and line.startswith(" " * width):
            line = "    " + line[width:]
        elif line:
            width = 0
        has_paragraphs = width > 0 and (has_paragraphs or not line)
        lines.append(line)
    return "\n".join(lines)


def changed(found: re.Match[str], uri: str) -> str:
    """Return the site's replacement for a match of CHANGED."""
    if not found["target"] or "://" in found["target"] or found["target"].startswith("#"):
        return found[0]
    target = site_target(found["target"], uri)
    return f"[{found['text']}]({target})" if target else found["text"]


def site_target(link: str, uri: str) -> str:
    """Return the site's target for a link of a page, or "" if the site does not have that file."""
    source = ELSEWHERE.get(uri, f"docs/{uri}").replace("docs/api/", "docs/")
    path, hash_, anchor = link.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    on_site = {file: page for page, file in ELSEWHERE.items()}.get(path, path.removeprefix("docs/"))
    if on_site == path and path not in ELSEWHERE:
        return ""
    return posixpath.relpath(on_site, posixpath.dirname(uri) or ".") + hash_ + anchor

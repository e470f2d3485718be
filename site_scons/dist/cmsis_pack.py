"""The CMSIS-Pack: the files that its description names, of those that `gradmote sources` writes."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from java_package import write_zip

from amalgamate import version
from gradmote.project.c_sources import write_sources
from gradmote.project.cmsis_pack import DESCRIPTION

from . import published
from .commands import OUT, WORK


def package() -> Path:
    """Make the pack, whose description has the project's address if there is one, and return its path."""
    folder = WORK / "cmsis_pack"
    shutil.rmtree(folder, ignore_errors=True)
    text = (write_sources(folder) / DESCRIPTION).read_text()
    address = f"{published.URL.rstrip('/')}/" if published.URL else ""
    text = published.described(text, {"url": address}, "      </files>", '        <file category="doc" name="{0}"/>\n')
    named = [file.attrib["name"] for file in ElementTree.fromstring(text).iter("file")]
    files = {name: (folder / name).read_bytes() for name in ("LICENSE", *named) if "://" not in name}
    made = OUT / f"{DESCRIPTION.removesuffix('.pdsc')}.{version()}.pack"
    write_zip(made, {DESCRIPTION: text.encode(), **files})
    return made

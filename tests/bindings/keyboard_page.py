"""Show that the keyboard page, the twin and an emulated board learn the same, to the bit.

    cd tests && ../.venv/bin/python -m bindings.keyboard_page

They learn the verses of one book from the model of examples/keyboard.py; Chromium types them into the page. Prints the
SHA-256 of each checkpoint, and ends with 1 if they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import onnx

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))

import keyboard_files

from gradmote.device import Target, open_target
from support import npm_package

from data import bible
from next_word.network import SIZE, Size, general_model
from next_word.owner import PASSES, compile_for, learn, learning, split, type_text
from next_word.vocabulary import Vocabulary

NAME = "lora8"
PAGE = "scripts/keyboard/drive.html"
#: Every fifth sentence tests; HELD_OUT of page.js.
HELD_OUT = 5


def typed(sentences: Sequence[bible.Verse]) -> list[bible.Verse]:
    """Return the sentences that the page trains on."""
    return [sentence for i, sentence in enumerate(sentences) if i % HELD_OUT != HELD_OUT - 1]


def on_page(general: onnx.ModelProto, words: list[str], size: Size, sentences: Sequence[bible.Verse]) -> dict[str, Any]:
    """Return what the page shows, and the digest of the checkpoint that it keeps."""
    folder = npm_package.BUILT / "keyboard"
    npm_package.project()
    keyboard_files.write_page(folder, general, words, learning(NAME), size)
    for path in folder.iterdir():
        npm_package.give(f"keyboard/{path.name}", path.read_bytes())
    npm_package.give("keyboard/text.txt", "".join(f"{' '.join(sentence)}. " for sentence in sentences).encode())
    found: dict[str, Any] = npm_package.browse(PAGE)[PAGE]
    return found


def on_target(
    target: Target, general: onnx.ModelProto, words: list[str], size: Size, sentences: Sequence[bible.Verse]
) -> tuple[str, Vocabulary]:
    """Return the digest of the checkpoint after learning what the page trains on, and the words."""
    vocabulary = Vocabulary(words, size.spare)
    target.load_image(compile_for(general, learning(NAME), size).image)
    learn(target, *type_text(typed(sentences), vocabulary), learning(NAME).rate, PASSES)
    return hashlib.sha256(target.save()).hexdigest(), vocabulary


def main() -> int:
    """Print the three digests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--book", default="revelation", choices=list(bible.WRITERS))
    parser.add_argument("--verses", type=int, help="only so many of them")
    given = parser.parse_args()
    (general, words), sentences = general_model(0), split(bible.load().own[given.book])[0][: given.verses]
    found = on_page(general, words, SIZE, sentences)
    assert "error" not in found and not found["problems"], found
    digests = {"page": found["digest"]}
    for name in ("twin:strict", "qemu:mps2-an386"):
        with open_target(name) as target:
            digests[target.name] = on_target(target, general, words, SIZE, sentences)[0]
    for name, digest in digests.items():
        print(f"{digest}  {name}")
    print(found["status"])
    return len(set(digests.values())) - 1


if __name__ == "__main__":
    raise SystemExit(main())

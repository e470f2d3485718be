"""Keyboard page: writes a page on which a keyboard learns what its visitor types, with all that it loads.

    ./run scons npm                                                       # the runtime for pages
    ./run example keyboard_files
    python3 -m http.server -d build/keyboard/page                         # and open http://localhost:8000

Nothing that is typed leaves the page (docs/guides/keyboard.md).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import onnx

from gradmote.compiler import Result
from gradmote.errors import DataError
from gradmote.formats.files import make_folder, write_atomically

from next_word.network import PRETRAINING_EPOCHS, SIZE, Size, general_model
from next_word.owner import PASSES, Learning, compile_for, learning
from next_word.vocabulary import CONTEXT, SPARE, START, TIMES, UNKNOWN, Vocabulary
from shared import report

PAGE = Path(__file__).with_name("keyboard_page")
PACKAGE = Path(__file__).parents[1] / "build" / "js" / "package" / "dist"
#: What the page loads of the npm package.
RUNTIME = ("gradmote.min.js", "storage.min.js", "gradmote.wasm", "gradmote-simd.wasm")


def settings(vocabulary: Vocabulary, spare: int, chosen: Learning) -> bytes:
    """Return words.json: the word of each row, and all that keyboard.js has to know beside the image."""
    of_rows = {"words": vocabulary.words, "start": START, "unknown": UNKNOWN, "firstSpare": SPARE, "spare": spare}
    return json.dumps({**of_rows, "context": CONTEXT, "times": TIMES, "passes": PASSES, "rate": chosen.rate}).encode()


def write_page(
    out: Path, general: onnx.ModelProto, words: Sequence[str], chosen: Learning, size: Size = SIZE
) -> Result:
    """Write the page with all that it loads into the folder OUT, and return what its image was compiled to."""
    if not all((PACKAGE / name).exists() for name in RUNTIME):
        raise DataError(f"the runtime for pages is not in {PACKAGE}", "build it: ./run scons npm")
    compiled = compile_for(general, chosen, size)
    make_folder(out)
    write_atomically(out / "keyboard.mote", compiled.image)
    write_atomically(out / "words.json", settings(Vocabulary(words, size.spare), size.spare, chosen))
    for path in [*PAGE.iterdir(), *(PACKAGE / name for name in RUNTIME)]:
        shutil.copy(path, out)
    return compiled


def main(
    out: Path = Path("build/keyboard/page"),
    train: str = "lora8",
    seed: int = 0,
    pretraining_epochs: int = PRETRAINING_EPOCHS,
) -> int:
    """Write the page into the folder OUT. Returns the bytes of its image."""
    compiled = write_page(out, *general_model(seed, pretraining_epochs), learning(train))
    report.say(f"{out}: serve it with python3 -m http.server -d {out}")
    return len(compiled.image)


if __name__ == "__main__":
    report.run(main)

"""The committed generated files are what the spec renders to."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from render.__main__ import left_over, rendered
from render.spec import check_folds, check_indices, check_names, check_refusal, check_windows, opcodes


def test_generated_files_are_not_stale(root: Path) -> None:
    stale = [path for path, text in rendered().items() if not path.exists() or path.read_text() != text]
    assert not stale, f"run `scons render` and commit {[str(path.relative_to(root)) for path in stale]}"


def test_no_generated_file_is_left_over(root: Path) -> None:
    extra = left_over(rendered())
    assert not extra, f"nothing renders {[str(path.relative_to(root)) for path in extra]}: `scons render` removes them"


def test_the_header_of_an_opcode_that_is_gone_is_left_over(root: Path) -> None:
    header = root / "runtime_c" / "generated" / "instructions" / "relu.h"
    assert left_over({path: text for path, text in rendered().items() if path != header}) == [header]


def test_a_window_that_is_not_summed_is_refused() -> None:
    """Kernels add these parameters up: an opcode that the verifier knows no sums of could make them wrap."""
    conv = next(op for op in opcodes() if op.name == "CONV")
    check_windows(conv)
    with pytest.raises(ValueError, match="leaves out dilation_w, in_w, kernel_w, out_w, pad_w, stride_w"):
        check_windows(replace(conv, windows=conv.windows[:1]))


def test_an_output_that_folds_is_not_cut() -> None:
    loss = next(op for op in opcodes() if op.folds)
    check_folds(loss)
    with pytest.raises(ValueError, match="parts could write one element of loss"):
        check_folds(replace(loss, split=(("outer", 1),)))
    cells = next(op for op in opcodes() if op.name == "LSTM_CELLS")
    with pytest.raises(ValueError, match="parts could write one element of h"):
        check_folds(replace(cells, ranges=(("steps", 1),)))


def test_parts_check_all_indices() -> None:
    gather = next(op for op in opcodes() if op.name == "GATHER")
    check_indices(gather)
    with pytest.raises(ValueError, match="GATHER: parts along count would not check all of indices"):
        check_indices(replace(gather, split=(("count", 1),)))


def test_what_indices_are_refused_with_is_told() -> None:
    gather = next(op for op in opcodes() if op.name == "GATHER")
    check_refusal(gather)
    with pytest.raises(ValueError, match="GATHER: it reads indices, and `refuses` does not say"):
        check_refusal(replace(gather, refuses=None))
    with pytest.raises(ValueError, match="GATHER: it refuses with NO_SUCH_ERROR, which errors.toml does not have"):
        check_refusal(replace(gather, refuses="NO_SUCH_ERROR"))


def test_kernels_refuse_with_what_the_spec_says(root: Path) -> None:
    """The errors from `#if GM_WITH_<opcode>` to the next one."""
    found: dict[str, set[str]] = {}
    for path in (root / "runtime_c" / "kernels").rglob("*.c"):
        for part in re.split(r"^#if (?=.*GM_WITH_)", path.read_text().replace("\\\n", ""), flags=re.MULTILINE)[1:]:
            for opcode in re.findall(r"GM_WITH_(\w+)", part.splitlines()[0]):
                found.setdefault(opcode, set()).update(re.findall(r"GM_ERR_(\w+)", part))
    assert {op.name: {op.refuses} - {None} for op in opcodes()} == {op.name: found.get(op.name) for op in opcodes()}


@pytest.mark.parametrize("name", ["lambda", "register", "class", "True", "2nd", "größe", "x y", ""])
def test_a_name_that_a_language_keeps_is_refused(name):
    with pytest.raises(ValueError, match="is no name in C, C\\+\\+ and Python alike"):
        check_names("ABS", ["x", name])


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match="'n' stands twice"):
        check_names("ABS", ["x", "n", "n"])

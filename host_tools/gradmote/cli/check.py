"""The check of an image against its model, made by `gradmote compile`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import GradmoteError, ModelError
from .output import say

if TYPE_CHECKING:
    from ..artifacts.artifacts import Artifacts
    from ..checking import Checked
    from ..compiler.compile import Result
    from ..compiler.options import Options
    from ..data import Dataset

#: Up to this many instructions and bytes, images are checked unless --no-check is given: it takes under a second.
INSTRUCTIONS, BYTES = 200, 1 << 20

Check = Annotated[
    bool | None,
    typer.Option(
        "--check/--no-check",
        help="Compare the image with the model on drawn samples, or those of --data: outputs and loss with "
        "onnxruntime's, gradients with these and with differences in float64. By default for up to "
        f"{INSTRUCTIONS} instructions.",
    ),
]


def check_image(
    wanted: bool | None,
    result: Result,
    made: Artifacts,
    options: Options,
    model: Path | None = None,
    samples: Dataset | None = None,
) -> str | None:
    """Return a line on the check of an image; None without a check, because of the option or its size.

    model: the user's own file; that of the artifacts by default. samples: the source of one batch; random samples by
    default. Prints a table and raises ModelError if the image differs from its model.
    """
    if wanted is False or (wanted is None and not is_small(result)):
        return None
    from ..checking import check
    from ..compiler.compile import keeping_gradients
    from ..frontend import read_model
    from ..frontend.samples_first import samples_first

    try:
        kept = keeping_gradients(result, made, options)
        given = batch_of(samples, kept) if samples is not None else None
        own = samples_first(read_model(model), result.sample_axes) if model is not None else None
        found = check(result.image, kept, made, own, given)
    except GradmoteError as error:
        if wanted:
            raise
        return f"not checked: {error.message}"
    if not found.agrees:
        show(found)
        hint = "that is a fault of the compiler: please report it with the model. --no-check writes the image"
        raise ModelError(f"the image {found.summary()}", hint)
    return f"checked: {found.summary()}"


def batch_of(samples: Dataset, image: bytes) -> dict[str, Any]:
    """Return the first batch of samples in an image's dtypes, by the names of inputs and labels. Raises DataError."""
    from ..data.check import arrays_of, require_fit
    from ..data.dataset import quantized
    from ..data.expected import expected_of_image

    expected = expected_of_image(image)
    require_fit(samples, expected)
    found = {}
    for tensor in expected.tensors:
        _, array, _ = next(arrays_of(samples, tensor))
        if tensor.role == "input" and tensor.dtype in ("int8", "uint8"):
            array = quantized(samples, array, tensor.name, tensor.dtype)
        elif array is samples.x:
            array = samples.widened()
        assert array is not None  # require_fit() raises
        found[tensor.name] = array[: expected.batch or 1]
    return found


def is_small(result: Result) -> bool:
    """Return whether the check is quick, and the twin is installed."""
    count = sum(len(program.instructions) for program in result.compiled.programs)
    return bool(find_spec("gradmote_runtime")) and count <= INSTRUCTIONS and len(result.image) <= BYTES


def show(found: Checked) -> None:
    """Print the comparisons as a table."""
    from ..terminal.terminal import console, table

    rows = [(r.what, r.name, f"{r.worst:.1e}", f"{r.limit:.0e}", "" if r.agrees else "differs") for r in found.rows]
    console().print(table(f"Compared with {found.engine}", (("", "", "error#", "limit#", ""), rows)))
    for note in found.notes:
        say(note)

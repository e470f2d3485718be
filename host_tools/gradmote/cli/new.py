"""The command `gradmote new`, which makes a project to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DataError
from .output import say
from .samples import SampleOptions, print_notes, with_samples

if TYPE_CHECKING:
    from ..project.federated import Federation


@with_samples
def command(
    *,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.")],
    board: Annotated[
        str | None, typer.Option(metavar="BOARD", help="The board that it is for: gradmote boards lists them.")
    ] = None,
    federated: Annotated[
        bool, typer.Option("--federated", help="For many devices that learn together: an app for Flower.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote); else a small example."),
    ] = None,
    onnx: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="With --federated: its ONNX model, to export what is learned."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", exists=True, help="With --federated: all samples, as for `gradmote train`.")
    ] = None,
    devices: Annotated[int, typer.Option(min=1, help="Among how many devices they are divided.")] = 10,
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Or a device for each value of this array, such as a person's number."),
    ] = None,
    sample_options: SampleOptions,
) -> None:
    """Make a PlatformIO project: firmware, model, and an example of a sensor, to replace with yours.

    `gradmote new lamp --board mps2-an386`, then `cd lamp` and `pio run -t upload`

    Or a project of devices that learn together, which needs `pip install '.[flower]'`:

    `gradmote new watches --federated`, then `cd watches` and `flwr run . --stream`
    """
    from ..project.create import create

    if federated == (board is not None):
        raise DataError("a project is either for a board or federated", "give --board BOARD, or --federated")
    if board is not None:
        if data is not None or onnx is not None:
            raise DataError("--data and --onnx are for --federated", "leave them out")
        made = create(folder, board, model)
    else:
        from ..project.federated import create_federated

        made = create_federated(folder, _federation(model, onnx, data, devices, by, sample_options))
    say(f"wrote {made}: its README.md says how to go on")


def _federation(
    model: Path | None, onnx: Path | None, data: Path | None, devices: int, by: str | None, options: SampleOptions
) -> Federation:
    """Return the model, and the samples of each device: the user's, or the example's."""
    from ..data.expected import expected_of_image
    from ..federated.partition import divided
    from ..formats.image.read import load
    from ..project.federated import Federation, example_federation

    if (model is None) != (data is None) or (model is None and onnx is not None):
        raise DataError("a model without data, or data without a model", "give --model and --data, or neither")
    if model is None or data is None:
        return example_federation()
    image = load(model)
    samples = options.read(data, expected_of_image(image, model.name), by)
    print_notes(samples)
    return Federation(image, onnx.read_bytes() if onnx else b"", samples, divided(samples, devices, by))

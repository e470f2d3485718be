"""The results of a run in its folder: the report of its rounds, and the trained ONNX model."""

from __future__ import annotations

from pathlib import Path

from ..errors import DataError
from ..federated.coordinator import Coordinator
from ..formats.files import write_atomically
from ..report.rounds_report import devices_table, rounds_json, rounds_page, rounds_table
from ..terminal.terminal import console, table

TITLE = "Federated learning"
#: How many devices the terminal's table shows; the page shows all.
MOST_SHOWN = 50


class Results:
    """The files that a run writes to the coordinator's folder; none if it has no folder."""

    def __init__(self, coordinator: Coordinator, model: Path | None) -> None:
        """Check, before the first round, that the model can take the trained parameters.

        Raises DataError for a model without a folder, ModelError and CheckpointError if it is not the
        compiled one.
        """
        if model is not None and coordinator.folder is None:
            raise DataError("a model to export, and no folder for it", "give a folder")
        if model is not None:
            from ..artifacts.export import trained_model  # the compiler, which takes two seconds to import

            trained_model(model, coordinator.server.checkpoint())
        self._coordinator, self._model = coordinator, model

    def write_report(self) -> None:
        """Write report.json and report.html, if there was a round. Raises OutputError."""
        folder, history = self._coordinator.folder, self._coordinator.history
        if folder is not None and history:
            write_atomically(folder / "report.json", rounds_json(history).encode())
            write_atomically(folder / "report.html", rounds_page(TITLE, history).encode())

    def write(self) -> None:
        """Write the report, and the model with the trained parameters. Raises OutputError."""
        self.write_report()
        if self._model is not None:
            from ..artifacts.export import export_inference

            assert self._coordinator.folder is not None
            export_inference(
                self._model, self._coordinator.server.checkpoint(), self._coordinator.folder / "model.onnx"
            )

    def show(self) -> None:
        """Print the tables of rounds and devices, and the folder of the results."""
        history = self._coordinator.history
        if history:
            console().print(table(TITLE, rounds_table(history)))
            console().print(table("Devices", devices_table(history, MOST_SHOWN)))
        if self._coordinator.folder is not None:
            console().print(f"results are in {self._coordinator.folder}", highlight=False, soft_wrap=True)

"""How many of the PyTorch models in onnx's wheel infer what comes with them, and why the rest do not. The outputs are
PyTorch's own; onnxruntime gives the same if it still has the operators of opset 6.

    cd tests && python -m numeric.onnx_backend.pytorch
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from gradmote.errors import GradmoteError
from gradmote.onnx_backend import prepare

FOLDERS = ("pytorch-converted", "pytorch-operator")
#: How many must infer what comes with them.
AT_LEAST = 111
RELATIVE, ABSOLUTE = 1e-4, 1e-5


def folders() -> list[Path]:
    root = Path(onnx.__file__).parent / "backend" / "test" / "data"
    return sorted(path for folder in FOLDERS for path in (root / folder).iterdir() if (path / "model.onnx").exists())


def arrays(folder: Path, what: str) -> list[np.ndarray]:
    """The inputs or outputs that come with a model, in their order."""
    count = len(list((folder / "test_data_set_0").glob(f"{what}_*.pb")))
    paths = [folder / "test_data_set_0" / f"{what}_{i}.pb" for i in range(count)]
    return [numpy_helper.to_array(onnx.load_tensor(path)) for path in paths]


def difference(folder: Path) -> str | None:
    """Return None if a model infers what comes with it, else the reason why not."""
    try:
        found = prepare(onnx.load(folder / "model.onnx")).run(arrays(folder, "input"))
    except GradmoteError as error:
        return str(error)
    for actual, wanted in zip(found, arrays(folder, "output"), strict=True):
        if not np.allclose(actual, wanted, RELATIVE, ABSOLUTE, equal_nan=True):
            return f"other numbers: {np.nanmax(np.abs(actual - wanted)):.1e} apart"
    return None


def differences() -> Iterator[tuple[str, str | None]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some take the root of what is below 0
        for folder in folders():
            yield folder.name, difference(folder)


def main() -> None:
    found = dict(differences())
    for name, reason in found.items():
        if reason is not None:
            print(f"{name}: {reason}")
    alike = sum(reason is None for reason in found.values())
    print(f"{alike} of {len(found)} infer what comes with them; {AT_LEAST} must.")
    raise SystemExit(alike < AT_LEAST)


if __name__ == "__main__":
    main()

"""docs/guides/export.md runs as it is printed: each model computes what its framework does, and trains."""

from __future__ import annotations

import importlib.util
import logging
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gradmote import cli
from gradmote_runtime import Session
from support.oracle import values

pytestmark = pytest.mark.filterwarnings("ignore")
GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "export.md"
RECIPES = {
    heading: (re.findall(r"```python\n(.*?)```", text, re.S)[0], re.findall(r"^gradmote (compile .*)$", text, re.M)[0])
    for heading, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE.read_text(), re.M | re.S)
    if "```python" in text
}
#: The modules of a recipe that some environments lack: .ci/nightly makes environments for them.
HEAVY = {"Keras": ["keras"], "Keras on TensorFlow": ["tensorflow", "tf2onnx"], "JAX": ["jax2onnx"]}


def of_torch(names: dict, x: np.ndarray) -> np.ndarray:
    import torch

    return names["model"].eval()(torch.from_numpy(x)).detach().numpy()


FRAMEWORK: dict[str, Callable[[dict, np.ndarray], np.ndarray]] = {
    "scikit-learn": lambda names, x: names["model"].predict_proba(x),
    "Keras": lambda names, x: names["model"].predict(x, verbose=0),
    "Keras on TensorFlow": lambda names, x: names["model"](x).numpy(),
    "JAX": lambda names, x: np.asarray(names["forward"](x)),
}


def test_every_recipe_is_found():
    assert len(RECIPES) == 9 and set(HEAVY) < set(RECIPES) and set(FRAMEWORK) < set(RECIPES)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe(recipe, tmp_path, monkeypatch):
    for module in HEAVY.get(recipe, []):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: .ci/requirements-exporters-*.txt")
    monkeypatch.chdir(tmp_path)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    code, command = RECIPES[recipe]
    names: dict = {"__name__": "recipe"}
    exec(code, names)
    assert cli.main(shlex.split(command)) == 0
    x = values(1, 8, 1, 8, 8) if "Conv2d" in code else values(1, 8, 12)
    expected = FRAMEWORK.get(recipe, of_torch)(names, x)
    with Session((tmp_path / "model.mote").read_bytes()) as session:
        if recipe.endswith("kept"):
            assert set(session.parameter_names()) == {name for name, _ in names["model"].named_parameters()}
        np.testing.assert_allclose(np.array(session.infer(x)[0]), expected, rtol=1e-4, atol=1e-5)
        session.learning_rate = 0.01
        labels = x.reshape(8, -1)[:, :4].argmax(1)
        losses = [session.step(x, labels) for _ in range(40)]
    assert losses[-1] < 0.7 * losses[0]

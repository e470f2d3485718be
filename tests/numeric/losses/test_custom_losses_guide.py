"""docs/CUSTOM_LOSSES.md runs as it is printed, and learns what PyTorch's loss of that name learns."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from support.oracle import make_model, node, values

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "CUSTOM_LOSSES.md"
WEIGHT = values(1, 4, 3)


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, y = values(2, 8, 4), 3 * values(3, 8, 3)
    nodes = [node("Tanh", "x", "h"), node("MatMul", "h w", "y")]
    onnx.save(make_model(nodes, {"w": WEIGHT}, {"x": ("N", 4)}), "model.onnx")
    np.savez("samples.npz", x=x, y=y)
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(block, names)
    np.testing.assert_allclose(names["curve"], torch_curve(x, y), rtol=1e-4)
    assert names["curve"][-1] < names["curve"][0]


def torch_curve(x, y):
    w = torch.nn.Parameter(torch.from_numpy(WEIGHT).clone())
    optimizer = torch.optim.AdamW([w], 0.003, weight_decay=0.01)
    curve = []
    for _ in range(100):
        loss = torch.nn.functional.huber_loss(torch.tanh(torch.from_numpy(x)) @ w, torch.from_numpy(y), delta=1.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curve.append(loss.item())
    return curve


@pytest.mark.parametrize("function", ["label", "class_label", "mask_label"])
def test_functions_that_the_guide_names_are_there(function):
    from gradmote import losses

    assert f"`{function}(builder" in GUIDE.read_text() and callable(getattr(losses, function))

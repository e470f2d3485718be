"""PyTorch exports with onnxscript, which `pip install torch` leaves out. Its absence was reported as a module that
torch.export cannot follow."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules["onnxscript"] = None  # as if it were not installed
import torch
import gradmote.torch
module = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(module.parameters(), 0.1)
try:
    gradmote.torch.compile(module, torch.randn(2, 4), torch.nn.MSELoss(), optimizer)
except gradmote.errors.ModelError as error:
    print(error)
"""


def test_the_missing_package_is_named() -> None:
    pytest.importorskip("torch")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == "onnxscript, which PyTorch exports with, is not installed - pip install onnxscript\n"

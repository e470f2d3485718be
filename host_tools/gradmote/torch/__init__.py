"""PyTorch's front door: an nn.Module in, an image out, and what the board learned as a state_dict.

    made = gradmote.torch.compile(module, example, nn.CrossEntropyLoss(), torch.optim.AdamW(module.parameters()))
    gradmote.torch.check(made, module, inputs, labels)  # against autograd
    Path("model.mote").write_bytes(made.image)
    module.load_state_dict(made.state_dict("learned.gmck"))

It trains the parameters with requires_grad, under the names of named_parameters(), each tied one once; buffers
are constants. It needs PyTorch 2.9 or later and onnxscript, which the extra [torch] installs.
"""

from __future__ import annotations

from .against_autograd import Check, Compared, check
from .compiling import compile
from .made import Made

__all__ = ["Check", "Compared", "Made", "check", "compile"]

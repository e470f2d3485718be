"""The pass that fuses SOFTMAX_CROSS_ENTROPY with its gradient, if only that reads log_prob.

Each exponential is then computed once. Label smoothing needs the logarithms of all classes, and
stays in two instructions.
"""

from __future__ import annotations

from ..program import Buffer, Compiled, Instruction, Program, Uses


def run(compiled: Compiled) -> None:
    """Fuse every loss with its gradient where that is possible."""
    for program in compiled.programs:
        for gradient in [i for i in program.instructions if i.opcode == "SOFTMAX_CROSS_ENTROPY_GRAD"]:
            loss = loss_of(program, program.uses(), gradient)
            if loss is not None:
                fuse(program, loss, gradient)


def loss_of(program: Program, uses: dict[Buffer, Uses], gradient: Instruction) -> Instruction | None:
    """Return the loss that can compute its gradient at once, else None.

    Another instruction must not read log_prob, and dloss must be known before the loss.
    """
    dloss, log_prob, dx = (gradient.operands[name] for name in ("dloss", "log_prob", "dx"))
    assert dloss is not None and log_prob is not None and dx is not None
    used = uses[log_prob.buffer]
    if len(used.writers) != 1 or len(used.readers) != 1 or log_prob.buffer in program.bound():
        return None
    at = used.writers[0]
    loss = program.instructions[at]
    if loss.opcode != "SOFTMAX_CROSS_ENTROPY" or loss.operands["log_prob"] != log_prob or not is_alike(loss, gradient):
        return None
    is_first = program.instructions[uses[dx.buffer].first] is gradient
    return loss if is_first and all(k < at for k in uses[dloss.buffer].writers) else None


def is_alike(loss: Instruction, gradient: Instruction) -> bool:
    """Tell whether loss and gradient have the same operands and parameters, without smoothing."""
    shared = all(loss.operands[name] == gradient.operands[name] for name in ("labels", "weight", "mask"))
    plain = not loss.params["smoothing"] and not loss.params["log_input"]
    return shared and plain and loss.params == gradient.params


def fuse(program: Program, loss: Instruction, gradient: Instruction) -> None:
    """Turn the loss into SOFTMAX_CROSS_ENTROPY_WITH_GRAD, and remove the gradient."""
    operands = {name: loss.operands[name] for name in ("x", "labels", "weight", "mask", "loss")}
    loss.opcode = "SOFTMAX_CROSS_ENTROPY_WITH_GRAD"
    loss.operands = {**operands, "dloss": gradient.operands["dloss"], "dx": gradient.operands["dx"]}
    loss.params = {name: value for name, value in loss.params.items() if name not in ("smoothing", "log_input")}
    program.instructions.remove(gradient)

"""Write window.onnx for pico_windows.py: 64 readings of a sensor, 16 hidden units, 3 classes. Run it on a computer.

gradmote compile window.onnx -o window.mote --loss cross_entropy --optimizer adamw --lr 0.01 --batch 4 --store 24
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

READINGS, HIDDEN, CLASSES = 64, 16, 3


def main() -> None:
    """Write the model, with weights as PyTorch would draw them."""
    random = np.random.default_rng(0)
    sizes = {"w1": (HIDDEN, READINGS), "b1": (HIDDEN,), "w2": (CLASSES, HIDDEN), "b2": (CLASSES,)}
    weights = {name: random.uniform(-0.15, 0.15, size).astype(np.float32) for name, size in sizes.items()}
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], transB=1),
        helper.make_node("Relu", ["h"], ["a"]),
        helper.make_node("Gemm", ["a", "w2", "b2"], ["y"], transB=1),
    ]
    values = [helper.make_tensor_value_info(*value) for value in (("x", 1, ("N", READINGS)), ("y", 1, ("N", CLASSES)))]
    initializers = [numpy_helper.from_array(weight, name) for name, weight in weights.items()]
    graph = helper.make_graph(nodes, "window", values[:1], values[1:], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "window.onnx")


if __name__ == "__main__":
    assert TensorProto.FLOAT == 1
    main()

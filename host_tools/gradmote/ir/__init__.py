"""The two representations of a model: typed ONNX graphs, and the flat programs that they are lowered to."""

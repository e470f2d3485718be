"""The two representations of a model: typed ONNX graphs, and the flat programs lowered from them."""

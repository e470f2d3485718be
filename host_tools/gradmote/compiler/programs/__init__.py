"""The programs of an image, each lowered from its ONNX model."""

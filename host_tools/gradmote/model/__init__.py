"""The ONNX model: reading it, its shapes and parameters, and its gradients."""

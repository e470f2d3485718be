"""An ONNX model as it comes in: reading it, its shapes and parameters, its gradients."""

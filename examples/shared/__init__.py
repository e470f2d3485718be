"""Parts that the examples share: a builder of small ONNX networks, log-mel features, and the report at the end."""

"""What all examples use: a builder of small ONNX networks, and what is printed at the end."""

"""Passes over ONNX graphs: to a normal form, and to the operators that programs support."""

"""The passes on ONNX graphs: to a normal form, and to the operators that programs have."""

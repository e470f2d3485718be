"""Quantized networks, as the tools that quantize write them: float operators between DequantizeLinear and
QuantizeLinear.

mcunet.py has those of MCUNetV3, by_onnxruntime.py those that onnxruntime quantizes, exported.py those that torchao and
tf2onnx wrote.
"""

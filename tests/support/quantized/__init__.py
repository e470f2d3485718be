"""Quantized networks, as written by quantization tools: float operators between DequantizeLinear and QuantizeLinear.

mcunet.py has those of MCUNetV3, by_onnxruntime.py those quantized by onnxruntime, exported.py those written by
torchao and tf2onnx.
"""

"""The canonical form of QDQ models, with 8-bit integers between QuantizeLinear and DequantizeLinear.

These passes run when a model is read. The result still consists of ONNX's own operators, except for
FlipSign at inputs and outputs of type uint8:

    check_forms        refuses other forms of quantized models, and scales that are not finite
    quantize_weights   turns a float weight that a QuantizeLinear reads into an int8 constant of its name
    signed_values      turns uint8 into int8: q - 128, zero - 128
    centre_weights     turns the zero point of weights into 0 if all q - zero fit int8
    dequantize_last    moves a view of a constant in front of its DequantizeLinear
    remove_repeated    removes a QuantizeLinear that only repeats the preceding one

Before differentiation and lowering, fuse_bounds turns each QuantizeLinear into Quantize of our own
domain, with a preceding Relu or Clip as bounds.
"""

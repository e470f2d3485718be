"""The canonical form of QDQ models, in which 8-bit integers lie between QuantizeLinear and DequantizeLinear.

These passes run when a model is read, and the result is still ONNX's own operators, but for
FlipSign at inputs and outputs of type uint8:

    check_forms        other forms of quantized models are refused, and scales that are not finite
    quantize_weights   a float weight behind QuantizeLinear becomes an int8 constant of its name
    signed_values      uint8 becomes int8: q - 128, zero - 128
    centre_weights     the zero point of weights becomes 0 where all q - zero fit int8
    dequantize_last    a view of a constant stands in front of its DequantizeLinear, not behind it
    remove_repeated    a QuantizeLinear goes that only repeats the one before it

Before differentiation and lowering, fuse_bounds makes Quantize of our own domain of each
QuantizeLinear, with the Relu or Clip in front of it as bounds.
"""

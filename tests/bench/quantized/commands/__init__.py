"""The commands of `python -m bench.quantized`, one a file."""

"""Machine instructions of quantized kernels and of whole steps, counted on emulated boards."""

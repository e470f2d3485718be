"""Four small networks learn something new: float32, and int8 in each way that there is."""

"""Files as bytes: images, checkpoints, signatures, and the records that they contain."""

"""Train a model on numbers that every language can make, and print the loss and the SHA-256 of the checkpoint.

Arguments: MODEL.mote, STEPS, and the name of the module if it is not gradmote. CPython runs it too.
"""

import hashlib
import sys
from array import array
from binascii import hexlify

gradmote = __import__(sys.argv[3] if len(sys.argv) > 3 else "gradmote")

with open(sys.argv[1], "rb") as file:
    session = gradmote.Session(file.read())
pixels, label = array("f", [0.0] * 64), array("i", [0])
loss = 0.0
for step in range(int(sys.argv[2])):
    state = step + 1
    for i in range(64):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        pixels[i] = (state >> 8) / 16777216
    label[0] = step * 7 % 10
    loss = session.step(pixels, label)
print("MicroPython", "%.6f" % loss, hexlify(hashlib.sha256(session.save()).digest()).decode())

"""Uses a model of 8-bit or 16-bit integers, on CPython and on MicroPython: narrow.py MODEL DTYPE."""

import sys
from array import array

from gradmote import Session

try:
    import gradmote.errors as errors
except ImportError:
    import gradmote as errors

CODES = {"int8": "b", "uint8": "B"}
with open(sys.argv[1], "rb") as file:
    image = file.read()
dtype = sys.argv[2]
code = CODES[dtype]
session = Session(image, "strict")


def shown(view):
    return bytes(view).hex()


def flat(view):
    """Return the numbers of a view of any shape. MicroPython's have none."""
    return list(view.cast("B").cast(view.format) if hasattr(view, "cast") else view)


def refused(name, call, *arguments):
    try:
        call(*arguments)
        print(name, "was taken")
    except errors.DataError as error:
        print(name, name != "too few" and str(error).split(" takes ")[-1].split(";")[0].split(",")[0])


for tensor in session.inputs() + session.outputs() + session.labels():
    print(tensor["dtype"], tensor["shape"], tensor["size"])
x = array(code, [(37 * i) % 100 for i in range(6)])
forms = (x, bytes(x), bytearray(bytes(x)), array("h", list(x)), array("i", list(x)), memoryview(x))
for form in forms:
    scores = session.infer(form)[0]
    print(flat(scores), len(flat(scores)), session.classify())
print(flat(session.output(0)), flat(session.input_view(0)))
other = array("B", [200] * 6) if dtype == "int8" else array("b", [-1] * 6)
refused("a value outside", session.set_input, 0, other)
refused("a larger value", session.set_input, 0, array("i", [1000] * 6))
refused("floats", session.set_input, 0, array("f", [1] * 6))
refused("too few", session.set_input, 0, x[:5])
print(flat(session.input_view(0)))
signs = bytes([255, 128, 127, 0, 1, 254])
session.set_input(0, signs)
print(flat(session.input_view(0)))
initial = bytes(session.parameters())
for label in (2, 3, 1):
    print(int(1e5 * session.step(x, array("i", [label]))))
print(session.parameter_names(), flat(session.parameter(0)), len(session.parameters()))
delta, trained = session.delta(), bytes(session.parameters())
print(trained != initial, delta.hex())
session.set_parameters(initial)
print(bytes(session.parameters()) == initial)
session.apply_delta(delta)
print(bytes(session.parameters()) == trained, session.state_sha256())
refused("floats for parameters", session.set_parameters, array("f", [1] * (len(initial) // 4)))
print(session.store()["dtype"], session.learn(1, x), session.store()["kept"])
print(session.classify() if session.infer(x) else None, session.score(1))

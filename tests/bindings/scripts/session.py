"""A script that CPython and MicroPython run, and that prints the same there.

Arguments: MODEL.mote, one that accumulates gradients, and a checkpoint of another model.
"""

import sys
from array import array

from gradmote import Session

try:
    import gradmote.errors as errors
except ImportError:  # MicroPython has them next to Session
    import gradmote as errors


def show(name, value):
    print(name, printable(value))


def printable(value):
    """Return a text that does not depend on the length of a float, or on the order of a dict."""
    if isinstance(value, dict):
        return [f"{key}: {printable(value[key])}" for key in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [printable(item) for item in value]
    if isinstance(value, float):
        return f"{value:.7g}"
    return value if value is None or isinstance(value, (str, int, bool)) else digest(value)


def digest(data):
    """Return a sum over the bytes, in which their order counts."""
    total = 0
    for byte in bytes(data):
        total = (total * 31 + byte) % 1000003
    return total


def refused(name, call):
    try:
        call()
        print(name, "was not refused")
    except errors.RuntimeFault as error:
        print(name, "RuntimeFault", error.code, error.name, error.hint)
    except errors.DataError:
        print(name, "DataError")
    except errors.GradmoteError as error:
        print(name, "GradmoteError", bool(error.hint))


def pixels(seed, count=128):
    numbers = array("f")
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2147483648
        numbers.append((seed >> 8) / 8388608.0)
    return numbers


with open(sys.argv[1], "rb") as file:
    image = file.read()
with open(sys.argv[2], "rb") as file:
    accumulating_image = file.read()
with open(sys.argv[3], "rb") as file:
    other = file.read()

session = Session(image, "strict")
show("profile", session.profile)
show("required", Session.required(image))
show("requirements", session.requirements())
show("inputs", session.inputs())
show("labels", session.labels())
show("outputs", session.outputs())
show("outputs of eval", session.outputs("eval"))
show("parameters", session.parameter_names())

labels = array("i", [3, 5])
for k in range(3):
    show("step", session.step(pixels(k), labels))
show("loss", session.loss("step"))
show("eval", session.eval_step(pixels(7), labels))
show("control", session.control())
show("infer", session.infer(pixels(10)))
kept = [session.infer(pixels(k))[0] for k in (11, 12)]
show("kept", kept)
show("others", session.infer(pixels(10)))
show("kept", kept)
show("output", session.output(0))
one, alone = pixels(10, 64), array("i", [3])
show("one sample", (session.infer(one), session.output(0)))
show("one sample", (session.eval_step(one, alone), session.step(one, alone), session.output(0, program="eval")))
show("one again", session.run_program("eval"))
refused("one and two", lambda: session.step(one, labels))
show("two again", session.eval_step(pixels(7), labels))
show("class", session.classify())
show("class", session.classify(1))
show("class names", session.class_names())
show("by name", (session.classify(row=1), session.output(0, program="infer"), session.outputs(program="eval")))

for name, data in (
    ("bytes", bytes(pixels(1))),
    ("bytearray", bytearray(bytes(pixels(1)))),
    ("memoryview", memoryview(pixels(1))),
):
    session.set_input(0, data)
    show(name, session.run_program("eval"))
for code in "bBhHiIlLqQ":
    session.set_label(0, array(code, [1, 9]))
    show("label " + code, session.label_view(0))
session.set_label(0, bytes(8))
show("raw labels", session.label_view(0))
session.set_label(0, bytes([4, 2]))
show("labels of a byte", session.label_view(0))
view = session.input_view(0)
try:
    view[0, 0] = 0.25
except TypeError:  # MicroPython's views have one dimension
    view[0] = 0.25
show("written in place", session.eval_step())

session.begin("step")
slices = 0
while not session.run(2):
    slices += 1
show("slices", slices)
session.begin("eval")
session.abort()
show("loss", session.run_program("step"))
show("nothing", session.run_program("infer"))

session.learning_rate = 0.125
show("rate", session.learning_rate)
session.set_linear_schedule(0.5, 2, 10)
for k in range(3):
    session.step(pixels(k), labels)
show("rate", session.learning_rate)
session.set_seed(4294967295)
show("control", session.control())
show("skipped", session.skipped_steps)
show("instructions", session.instructions > 100)

show("store", session.store())
for k in range(8):
    session.learn(k % 3, pixels(k, 64))
session.learn(1)
session.learn(2, sample=pixels(5, 64))
session.learn(2, None)
show("class", session.store_class(1))
show("replay", session.replay())
session.begin_replay(program="step")
while not session.run(1000):
    pass
show("score", session.score(1))
session.forget(1)
show("store", session.store())

for key, value in (("epoch", 3), ("best", 0.5), ("low", -2147483648)):
    session.set_property(key, value)
session.remove_property("epoch")
show("property", session.get_property("best"))
show("properties", session.properties())

kept, half = session.save(), session.save(True)
show("sizes", (len(kept), len(half)))
show("kept", kept)
show("half", half)
show("by name", session.save(half=True) == half)
show("by name", session.save(half=False) == kept)
show("state", session.state())
show("sha256", session.state_sha256())
delta = session.delta()
show("delta", delta)
session.reset()
show("reset", session.state_sha256())
session.apply_delta(delta)
show("applied", session.parameters())
session.load(half)
show("half loaded", session.state_sha256())
session.load(bytearray(kept))
show("loaded", session.state_sha256())
show("carried", session.carry_over(other))
show("carried over", session.state_sha256())
session.load(kept)
session.set_parameters(session.parameters())
session.set_parameters(bytes(session.parameters()))
session.parameters()[1] = 1.5
show("changed", session.state_sha256())
session.poison()
show("after poison", session.step(pixels(1), labels))

both = Session(accumulating_image, "strict")
show("train", both.train_step(pixels(8), labels))
show("train", both.train_step())
show("gradient", both.gradient(0))
show("gradient", both.gradient(both.parameter_names()[1]))
both.optimizer_step()
both.train_step(pixels(9), labels)
both.lazy_reset_grad()
show("control", both.control())
show("loss", both.run_program("train"))
show("state", both.state_sha256())
refused("no step", lambda: both.step())
refused("no store", lambda: both.store())
refused("no gradient", lambda: session.gradient(0))

refused("rate", lambda: setattr(session, "learning_rate", -1.0))
session.begin_round(3)
session.step(pixels(1), labels)
show("round", session.round)
show("delta of a round", [session.round_delta(), session.round_delta(2, 7), session.round_delta(8, shared="*0*")])
sent = session.round_delta(8, 5, [session.parameter_names()[0]])
session.check_delta(sent)
show("next round", [session.end_round(sent, bits=8, seed=5), session.round, session.parameters()])
show("its delta", session.round_delta(4, seed=9))
refused("old delta", lambda: session.end_round(sent))
refused("damaged delta", lambda: session.check_delta(sent[:60] + b"x" + sent[61:]))
refused("short delta", lambda: session.check_delta(b"abc"))
refused("bits", lambda: session.round_delta(3))
refused("pattern", lambda: session.round_delta(4, 0, "nope*"))
session.begin_round(0)
refused("schedule", lambda: session.set_linear_schedule(0.1, 5, 2))
refused("label", lambda: session.step(pixels(0), array("i", [0, 10])))
refused("not finite", lambda: session.step(array("f", [float("nan")] * 128), labels))
show("skipped", session.skipped_steps)
refused("few", lambda: session.step(pixels(0)))
refused("short", lambda: session.step(pixels(0, 127), labels))
refused("type", lambda: session.step(pixels(0), array("f", [0, 1])))
refused("range", lambda: session.set_label(0, array("q", [0, 1 << 40])))
refused("range", lambda: session.set_label(0, array("I", [0, 1 << 31])))
refused("no input", lambda: session.set_input(1, pixels(0)))
refused("no input", lambda: session.set_input(-1, pixels(0)))
refused("no program", lambda: session.begin("nope"))
refused("no parameter", lambda: session.parameter("nope"))
refused("no parameter", lambda: session.parameter(99))
refused("no property", lambda: session.get_property("nope"))
refused("long property", lambda: session.set_property("x" * 20, 1))
refused("large property", lambda: session.set_property("x", 1 << 40))
refused("no class", lambda: session.learn(10, pixels(0, 64)))
refused("row", lambda: session.classify(2))
refused("seed", lambda: session.set_seed(1 << 32))
refused("seed", lambda: session.set_seed(-1))
refused("few parameters", lambda: session.set_parameters(bytes(8)))
refused("short file", lambda: session.load(kept[:100]))
refused("damaged file", lambda: session.load(kept[:200] + bytes([kept[200] ^ 1]) + kept[201:]))
refused("other model", lambda: session.load(other))
session.begin("step")
refused("busy", lambda: session.set_input(0, pixels(0)))
refused("busy", lambda: session.save())
while not session.run(1000):
    pass
refused("image", lambda: Session(image[:200], "strict"))
refused("image", lambda: Session(image[:300] + b"x" + image[301:], "strict"))
refused("profile", lambda: Session(image, "nope"))
show("at the end", session.state_sha256())
with session:
    weights = session.parameters()
refused("closed", lambda: session.step())
session.close()
show("kept alive", weights)
show("repr", repr(session))

"""An ESP32 that a computer trains over USB, and that then uses the trained model.

Copy it to the board as main.py. On the computer:

    gradmote train model.mote --data digits.npz --epochs 5 --on /dev/ttyUSB0

Ctrl-C in a terminal ends the console. The board then classifies its sensors' readings with the model and the checkpoint
that the console has stored.
"""

from array import array

import gradmote_console
import kept_checkpoint
from machine import ADC, Pin

from gradmote import Session

PINS = (32, 33, 34, 35)


def open_kept():
    """Return a session with the stored state, or None before the first training."""
    try:
        with open("model.mote", "rb") as file:
            session = Session(file.read())
    except OSError:
        return None
    kept_checkpoint.restore(session, "checkpoint.gmck")
    return session


def classify(session, sensors):
    """Return the class of one round of readings; inputs without a sensor are 0."""
    inputs = session.input_view(0)
    inputs[:] = array("f", [0] * len(inputs))
    for i in range(min(len(sensors), len(inputs))):
        inputs[i] = sensors[i].read_u16() / 65535
    session.infer()
    return session.classify()


def main():
    """Serve the computer first, then use the model."""
    gradmote_console.serve()
    session = open_kept()
    if session is None:
        print("no model yet: gradmote train model.mote --data data.npz --on PORT")
        return
    sensors = [ADC(Pin(number)) for number in PINS]
    print("class %d, score %.3f" % classify(session, sensors))


if __name__ == "__main__":
    main()

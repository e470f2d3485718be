"""A Raspberry Pi Pico learns events from its sensor: hold a button during an event to label it with that class.

Wiring: a sensor's voltage at ADC0 (GP26), buttons from GP14 and GP15 to ground. The first second, without any button or
event, is class 0. Copy it to the board as main.py, with window.mote (see window_model.py) and kept_checkpoint.py.
"""

import time
from array import array

import kept_checkpoint
from machine import ADC, Pin

from gradmote import Session

READINGS = 64
CHECKPOINT = "window.gmck"
SAVE_EVERY = 50  # lessons


def read_window(sensor, window):
    """Fill the window with 64 readings over a second, as -1 .. 1."""
    for i in range(READINGS):
        window[i] = sensor.read_u16() / 32768 - 1
        time.sleep_ms(15)


def pressed(buttons):
    """Return the class whose button is held, or None."""
    for label, button in enumerate(buttons):
        if not button.value():
            return label + 1
    return None


def teach(session, label, window):
    """Store the window with its class, and train on the stored windows."""
    session.learn(label, window)
    for _ in range(5):
        session.replay()


def run(rounds=None):
    """Teach and recognize for this many windows, or for ever."""
    with open("window.mote", "rb") as file:
        session = Session(file.read())
    known = kept_checkpoint.restore(session, CHECKPOINT)
    sensor, buttons = ADC(26), [Pin(number, Pin.IN, Pin.PULL_UP) for number in (14, 15)]
    batch = session.requirements()["batch"]
    window, inputs = array("f", [0] * READINGS), session.input_view(0)
    lessons = 0
    while rounds is None or rounds > 0:
        read_window(sensor, window)
        label = pressed(buttons)
        if not known or label is not None:
            teach(session, label or 0, window)
            known, lessons = True, lessons + 1
            if lessons % SAVE_EVERY == 0:
                kept_checkpoint.save(session, CHECKPOINT)
        for row in range(batch):
            inputs[row * READINGS : (row + 1) * READINGS] = window
        session.infer()
        print("class", session.classify()[0], "taught" if label is not None else "")
        rounds = rounds and rounds - 1


if __name__ == "__main__":
    run()

"""Conversations with the firmware in text and frames, mixed; `.ci/nightly` has 10,000 of them, others each night."""

from __future__ import annotations

from fuzz import conversing

CONVERSATIONS, STEPS = 300, 300


def test_the_firmware_serves_whatever_was_said():
    conversing.build()
    told = conversing.draw(CONVERSATIONS, STEPS, seed=1)
    print(told)
    assert f"{CONVERSATIONS} conversations of {STEPS} steps, 0 hangs" in told

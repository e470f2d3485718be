"""Conversations with the firmware in text and frames, mixed; and sequences of requests
in which power or flash fails. `.ci/nightly` has 10,000 of both, others each night."""

from __future__ import annotations

import re

from fuzz import conversing

CONVERSATIONS, STEPS = 300, 300
CUT, REQUESTS = 40, 20


def test_the_firmware_serves_whatever_was_said():
    conversing.build()
    reported = conversing.draw(CONVERSATIONS, STEPS, seed=1)
    print(reported)
    assert f"{CONVERSATIONS} conversations of {STEPS} steps, 0 hangs" in reported


def test_a_restart_finds_what_was_before_a_request_or_after_it():
    conversing.build()
    reported = conversing.cut(CUT, REQUESTS, seed=1)
    print(reported)
    assert f"{CUT} conversations of {REQUESTS} requests" in reported
    for kind in ("SAVE", "ROUND_BEGIN", "ROUND_BEGIN 0", "DELTA_END", "CHECKPOINT", "UPDATE"):
        (done,) = re.findall(rf"^{kind} +\d+ asked, +(\d+) done$", reported, re.MULTILINE)
        assert int(done) > 10

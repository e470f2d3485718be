"""Runs the tests of this folder on a board: asks it to begin, and reads one line per test from the serial line."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import click
import serial
from platformio.public import TestCase, TestRunnerBase, TestStatus

#: Seconds without a line after which the board counts as lost.
PATIENCE = 60.0
RESULT = re.compile(r"(\w+) (PASSED|FAILED|SKIPPED)(?: (.+))?")


class CustomTestRunner(TestRunnerBase):
    def stage_testing(self) -> None:
        if self.options.without_testing:
            return
        click.secho("Testing...", bold=True)
        with serial.serial_for_url(self.port(), baudrate=115200, timeout=0.1) as line:
            line.write(b"\r")
            for text in lines(line):
                if text == "done":
                    return
                self.take(text)
        raise RuntimeError(f"the board said nothing for {PATIENCE:.0f} s")

    def port(self) -> str:
        """Return the port of the serial line: --test-port, or else the project's test_port or monitor_port."""
        monitor = self.project_config.get(f"env:{self.test_suite.env_name}", "monitor_port")
        found = self.get_test_port() or monitor
        if not found:
            raise RuntimeError("where is the board? Say it: pio test --test-port PORT")
        return str(found)

    def take(self, text: str) -> None:
        """Handle a line from the board: record a test's result, and print anything else."""
        found = RESULT.fullmatch(text)
        if found is None:
            click.echo(text)
            return
        case = TestCase(found[1], TestStatus.from_string(found[2]), message=found[3])
        self.test_suite.add_case(case)
        click.echo(case.humanize())


def lines(line: serial.SerialBase) -> Iterator[str]:
    """Yield each line that arrives, stripped, until none has arrived for PATIENCE seconds."""
    received, heard = b"", time.monotonic()
    while time.monotonic() - heard < PATIENCE:
        received += line.read(line.in_waiting or 1)
        *whole, received = received.split(b"\n")
        for text in whole:
            heard = time.monotonic()
            yield text.decode(errors="replace").strip()

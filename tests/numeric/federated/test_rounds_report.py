"""The table of a run's devices: all of them for the page, those to look at for the terminal."""

from __future__ import annotations

from gradmote.federated import RoundRecord
from gradmote.report.rounds_report import devices_table


def row(seconds: float, fault: str = "") -> dict:
    return {"examples": 8, "loss": 1.0, "seconds": seconds, "bytes_up": 10, "bytes_down": 20, "fault": fault, "late": 0}


def history(devices: int) -> list[RoundRecord]:
    """Return three rounds. Device 5 fails in the second one, device 7 is always the slowest, and device 2 is tested."""
    return [
        RoundRecord(number, rows={str(n): row(9.0 if n == 7 else 0.1, "it burns" * (n == 5 and number == 1))
                                  for n in range(devices)}, tests={"2": {"accuracy": number / 4}})
        for number in range(3)
    ]  # fmt: skip


def test_all_devices_are_in_the_table_unless_it_is_told_otherwise() -> None:
    columns, rows = devices_table(history(30))
    assert [cells[0] for cells in rows] == sorted(map(str, range(30)))
    found = {cells[0]: dict(zip(columns, cells)) for cells in rows}
    assert (found["5"]["rounds#"], found["5"]["failed#"], found["5"]["last fault"]) == ("2", "1", "it burns")
    assert (found["7"]["slowest of#"], found["0"]["slowest of#"], found["7"]["median s#"]) == ("3", "0", "9.00")
    assert (found["0"]["bytes up#"], found["0"]["bytes down#"]) == ("30", "60")
    assert (found["2"]["last accuracy#"], found["0"]["last accuracy#"]) == ("50.00%", "")
    assert devices_table(history(30), 30)[1] == rows


def test_a_short_table_has_those_that_failed_and_those_that_were_slow() -> None:
    _, rows = devices_table(history(30), 3)
    assert [cells[0] for cells in rows] == ["0", "5", "7", "27 others"]

"""Which microcontroller a model fits."""

from __future__ import annotations

from gradmote.microcontrollers import FIRMWARE_FLASH, FIRMWARE_RAM, MICROCONTROLLERS, smallest


def test_the_smallest_that_holds_both_is_found() -> None:
    for chip in MICROCONTROLLERS:
        found = smallest(chip.ram - FIRMWARE_RAM, chip.flash - FIRMWARE_FLASH)
        assert found is not None and found.ram <= chip.ram and found.holds(chip.ram - FIRMWARE_RAM, 0)
        assert not chip.holds(chip.ram - FIRMWARE_RAM + 1, 0)
        assert not chip.holds(0, chip.flash - FIRMWARE_FLASH + 1)


def test_what_fits_none() -> None:
    assert smallest(1 << 30, 0) is None


def test_they_are_in_ascending_order_of_ram() -> None:
    sizes = [chip.ram for chip in MICROCONTROLLERS]
    assert sizes == sorted(sizes)

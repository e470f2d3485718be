"""Which common microcontrollers hold an image and its arena."""

from __future__ import annotations

from dataclasses import dataclass

KB = 1024
#: Bytes that firmware, its console and its stack take beside the model (the most of all boards; rounded up).
FIRMWARE_RAM, FIRMWARE_FLASH = 8 * KB, 112 * KB


@dataclass(frozen=True)
class Microcontroller:
    """ram: bytes of the largest piece of it that is in one place, since an arena cannot be split. flash: bytes, of the
    board's flash chip where the microcontroller itself has none."""

    name: str
    ram: int
    flash: int

    def holds(self, arena: int, image: int) -> bool:
        """Whether a model of these sizes fits beside the firmware."""
        return arena + FIRMWARE_RAM <= self.ram and image + FIRMWARE_FLASH <= self.flash


#: In ascending order of RAM; sizes from the makers' data sheets.
MICROCONTROLLERS = (
    Microcontroller("STM32F103RB", 20 * KB, 128 * KB),
    Microcontroller("nRF52832", 64 * KB, 512 * KB),
    Microcontroller("STM32F446RE", 128 * KB, 512 * KB),
    Microcontroller("nRF52840", 256 * KB, 1024 * KB),
    Microcontroller("RP2040 (Pico)", 256 * KB, 2048 * KB),
    Microcontroller("RP2350 (Pico 2)", 512 * KB, 4096 * KB),
    Microcontroller("STM32H743", 512 * KB, 2048 * KB),
    Microcontroller("i.MX RT1170", 1024 * KB, 16384 * KB),
    Microcontroller("ESP32-S3 with PSRAM", 8192 * KB, 8192 * KB),
)


def smallest(arena: int, image: int) -> Microcontroller | None:
    """The one with the least RAM that holds a model of these sizes in bytes; None where all are too small."""
    return next((m for m in MICROCONTROLLERS if m.holds(arena, image)), None)

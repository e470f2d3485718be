"""The tool esptool, over the serial port of an ESP32. It verifies what it wrote.

Setting: its name for the chip. Boot loader and partition table stay as they are; `pio run -t upload`
writes them too.
"""

from .tool import Command, Job, Tool

#: The address of the first application in the usual partition table.
_APPLICATION = "0x10000"


def commands(job: Job) -> list[Command]:
    """Return the commands that convert the ELF file and write it."""
    converted = str(job.file.with_suffix(".esp.bin"))
    chip = ["esptool", "--chip", job.setting]
    return [
        [*chip, "elf2image", "--output", converted, str(job.file)],
        [*chip, "--port", job.port, "write_flash", _APPLICATION, converted],
    ]


TOOL = Tool("esptool", "pip install esptool", "elf", commands)

"""MicroPython on an emulated Cortex-M4F, driven through its raw prompt like mpremote."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gradmote.device.listening import Listening, start_emulator

CTRL_A, CTRL_B, CTRL_C, CTRL_D = b"\x01", b"\x02", b"\x03", b"\x04"
#: The bytes of a file in one line of Python.
CHUNK = 2048


class EmulatedMicroPython:
    """A running emulator and its serial line, at `port`."""

    def __init__(self, firmware: Path) -> None:
        """Start the emulator, and wait for the prompt."""
        port = Listening()
        self.port = port.url
        machine = ["-machine", "mps2-an386", "-display", "none", "-monitor", "none", "-semihosting"]
        serial = [*port.options("line", waits=True), "-serial", "chardev:line"]
        command = ["qemu-system-arm", *machine, *serial, "-kernel", str(firmware)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}  # it reports its end
        self.process = start_emulator(command, [port], **quiet)
        self.line = port.client(lambda: socket.create_connection(("127.0.0.1", port.port)), self.check_alive)
        self.write(CTRL_C + CTRL_A)
        self.read_until(b"raw REPL; CTRL-B to exit\r\n>")

    def check_alive(self) -> None:
        """Fail if the emulator has ended."""
        assert self.process.poll() is None, f"the emulator ended with status {self.process.returncode}"

    def write(self, data: bytes) -> None:
        """Send bytes to the board."""
        self.line.sendall(data)

    def read_until(self, end: bytes) -> bytes:
        """Return what the board sends, up to `end`."""
        got = b""
        while not got.endswith(end):
            byte = self.line.recv(1)
            assert byte, f"the emulator ended after {got[-400:]!r}"
            got += byte
        return got[: -len(end)]

    def run(self, script: str) -> str:
        """Run a script and return its output. An exception in the script fails the test."""
        self.write(script.encode() + CTRL_D)
        self.read_until(b"OK")
        printed = self.read_until(CTRL_D)
        error = self.read_until(CTRL_D + b">")
        assert not error, error.decode()
        return printed.decode().replace("\r\n", "\n")

    def make_file_system(self, blocks: int = 512) -> None:
        """Mount a file system in the board's memory."""
        self.run(
            "import vfs\n"
            "class Disk:\n"
            "    def __init__(self, n): self.n, self.data = n, bytearray(512 * n)\n"
            "    def readblocks(self, n, to, at=0):\n"
            "        to[:] = memoryview(self.data)[512 * n + at : 512 * n + at + len(to)]\n"
            "    def writeblocks(self, n, what, at=0):\n"
            "        self.data[512 * n + at : 512 * n + at + len(what)] = what\n"
            "    def ioctl(self, op, arg):\n"
            "        return self.n if op == 4 else 512 if op == 5 else 0\n"
            f"disk = Disk({blocks})\n"
            "vfs.VfsLfs2.mkfs(disk)\n"
            "vfs.mount(disk, '/')\n"
        )

    def copy(self, path: Path, name: str) -> None:
        """Copy a file onto the board's file system."""
        data = path.read_bytes()
        self.run(f"file = open({name!r}, 'wb')")
        for start in range(0, len(data), CHUNK):
            self.run(f"_ = file.write({data[start : start + CHUNK]!r})")
        self.run("file.close()")

    def start(self, script: str) -> None:
        """Run a script that does not end, and release the line."""
        self.write(script.encode() + CTRL_D)
        self.read_until(b"OK")
        self.line.close()

    def close(self) -> None:
        """Stop the emulator."""
        self.line.close()
        self.process.terminate()
        self.process.wait()


@contextmanager
def emulated(firmware: Path) -> Iterator[EmulatedMicroPython]:
    """Yield a running board, and stop it afterwards."""
    board = EmulatedMicroPython(firmware)
    try:
        yield board
    finally:
        board.close()

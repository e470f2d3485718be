"""The command `gradmote keygen`, which makes a pair of keys for signing images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    key: Annotated[Path, typer.Argument(help="The private key to write (.pem). Whoever has it can sign.")],
) -> None:
    """Make a private key to sign images with, and a public one for firmware.

    They are Ed25519 keys in PEM. The public key is written beside the private one: key.pub.pem
    """
    from ..formats.signing import make_keys

    public, key_id = make_keys(key)
    say(f"wrote {key}, to be kept secret: gradmote sign model.mote --key {key}")
    say(f"wrote {public}, key {key_id.hex()}, for the board: gradmote flash --board NAME --key {public}")

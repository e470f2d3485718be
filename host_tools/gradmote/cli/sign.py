"""The command `gradmote sign`, which appends a signature to an image."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import say


def command(
    image: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="What `gradmote compile` wrote (.mote).")],
    key: Annotated[
        Path, typer.Option(help="The private key, from `gradmote keygen` or `openssl genpkey -algorithm ed25519`.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The signed image; in place by default.")] = None,
) -> None:
    """Sign an image, for boards with firmware that demands it (gradmote flash --key key.pub.pem)."""
    from ..formats.files import Output
    from ..formats.signing import key_id_of, load_private_key, sign

    output = Output(out or image)
    private = load_private_key(key, lambda: typer.prompt(f"passphrase of {key}", hide_input=True, err=True))
    output.write(sign(image.read_bytes(), private))
    say(f"signed {output.path} by key {key_id_of(private.public_key()).hex()}")

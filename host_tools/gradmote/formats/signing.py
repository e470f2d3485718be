"""Signing of images, and checks of their signatures.

Ed25519 keys are PEM files, as `openssl genpkey -algorithm ed25519` writes them. Boards check with the
public key built into their firmware (docs/SPEC.md, "Signature"). This module needs `gradmote[sign]`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError, GradmoteError, ImageError
from .files import Output, write_together
from .image.read import read_image
from .image.signature import KEY_ID_SIZE, Signature, signature_of, without_signature

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_MAKE = "make one: gradmote keygen key.pem"
_PRIVATE_MODE = 0o600


def sign(image: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the image followed by this key's signature, which replaces any previous one.

    Raises ImageError if the bytes are not an image.
    """
    read_image(image)
    alone = without_signature(image)
    return alone + Signature(key_id_of(key.public_key()), key.sign(alone)).pack()


def check(image: bytes, key: Ed25519PublicKey) -> None:
    """Raise ImageError if this key did not sign the image.

    A board whose firmware was built with the key refuses the same images.
    """
    from cryptography.exceptions import InvalidSignature

    found, hint = signature_of(image), "sign it: gradmote sign model.mote --key key.pem"
    if found is None:
        raise ImageError("the image is not signed", hint)
    if found.key_id != key_id_of(key):
        raise ImageError(f"the image is signed by key {found.key_id.hex()}, not {key_id_of(key).hex()}", hint)
    try:
        key.verify(found.value, without_signature(image))
    except InvalidSignature as error:
        raise ImageError("the signature does not match the image: one of them was changed", hint) from error


def key_id_of(key: Ed25519PublicKey) -> bytes:
    """Return the first bytes of a public key, by which people and boards name it."""
    return key.public_bytes_raw()[:KEY_ID_SIZE]


def make_keys(private: Path) -> tuple[Path, bytes]:
    """Write a new private key, readable by its owner alone, and its public key beside it.

    The files are `key.pem` and `key.pub.pem`. Returns the path of the public key, and its id. Raises
    DataError if one of the files already exists.
    """
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public = private.with_suffix(".pub.pem")
    outputs = [Output(path) for path in (private, public)]
    for path in (private, public):
        if path.exists():
            raise DataError(f"{path} exists already", "give another name: a key that is lost cannot be made again")
    key = Ed25519PrivateKey.generate()
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    known = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    write_together(list(zip(outputs, (secret, known), (_PRIVATE_MODE, None), strict=True)))
    return public, key_id_of(key.public_key())


def load_private_key(path: str | os.PathLike[str], passphrase: Callable[[], str] | None = None) -> Ed25519PrivateKey:
    """Return the private key in a PEM file.

    passphrase: called if the key is encrypted. Raises DataError if the file does not hold a private Ed25519
    key.
    """
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    pem = _pem(path)
    if b"PRIVATE KEY" not in pem:
        raise DataError(f"{path} holds no private key in PEM", f"sign with the private one; {_MAKE}")
    try:
        word = passphrase().encode() if b"ENCRYPTED" in pem and passphrase else None
        key = serialization.load_pem_private_key(pem, word)
    except (ValueError, TypeError) as error:
        hint = "is the passphrase right, and the file whole?"
        raise DataError(f"the key {path} cannot be read: {error}", hint) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise DataError(f"{path} is a key of another kind than Ed25519", _MAKE)
    return key


def load_public_key(path: str | os.PathLike[str]) -> Ed25519PublicKey:
    """Return the public key in a PEM file.

    Raises DataError if the file does not hold a public Ed25519 key.
    """
    serialization = _serialization()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        key = serialization.load_pem_public_key(_pem(path))
    except ValueError as error:
        raise DataError(f"{path} holds no public key in PEM", "give the public one: key.pub.pem") from error
    if not isinstance(key, Ed25519PublicKey):
        raise DataError(f"{path} is a key of another kind than Ed25519", _MAKE)
    return key


def _pem(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"cannot read the key {path}: {error.strerror}", _MAKE) from error


def _serialization() -> Any:
    """Return the module that reads and writes keys, from the optional package cryptography."""
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError as error:
        raise GradmoteError("the package cryptography is not installed", "pip install cryptography") from error
    return serialization
